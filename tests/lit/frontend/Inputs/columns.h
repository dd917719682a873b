// columns.h - a record shared by kernels, for the test of includes.
#pragma once
#include <facet/dsl.h>
struct Weighted : facet::Triangle {
  facet::real weight;
};
