// environment.h - an environment variable that is set while a test runs.
#pragma once
#include <cstdlib>

namespace facet::test {

class Environment {
public:
  Environment(const char *name, const char *value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

private:
  const char *name_;
};

} // namespace facet::test
