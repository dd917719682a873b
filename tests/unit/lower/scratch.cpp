// scratch.cpp - memory for the tables of a separable sum, as a kernel library gives it.
#include <facet/scratch.h>
