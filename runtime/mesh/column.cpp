// column.cpp - columns of doubles that kernels read: geometry of the triangles and columns of the
// file.
#include <facet/runtime/error.h>
#include <facet/runtime/mesh.h>
