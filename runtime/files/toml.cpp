// toml.cpp - the body of toml++, which others read as declarations: it takes seconds to compile.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
