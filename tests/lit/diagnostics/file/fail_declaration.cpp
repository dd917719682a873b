// What is neither kernel, record, constant nor function.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
asm("nop");
extern "C" int system(const char *);
enum class Kind { one, two };
template <class T> struct Pair { T a, b; };
template <class T> constexpr T two = 2;
namespace facet {
constexpr real three = 3;
}
constexpr vec3 operator*(vec3 a, vec3 b) { return cross(a, b); }
int main() { return 0; }
struct Layer : Triangle {
  static real scale;
  friend real inner(Layer) { return 1; }
};
constexpr thread_local real mine = 1;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
real Layer::scale = 2;
// CHECK:{{.*}}fail_declaration.cpp:5:1: error: 'asm("nop")' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:    5 | asm("nop");
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:6:1: error: 'extern "C" int system(const char *)' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:    6 | extern "C" int system(const char *);
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:7:1: error: 'enum class Kind { one, two }' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:    7 | enum class Kind { one, two };
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:8:1: error: 'template <class T> struct Pair { T a, b; }' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:    8 | template <class T> struct Pair { T a, b; };
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:9:1: error: 'template <class T> constexpr T two = 2' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:    9 | template <class T> constexpr T two = 2;
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:10:1: error: 'namespace facet {' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:   10 | namespace facet {
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:13:1: error: 'constexpr vec3 operator*(vec3 a, vec3 b) { retur...' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:   13 | constexpr vec3 operator*(vec3 a, vec3 b) { return cross(a, b); }
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:14:1: error: 'int main() { return 0; }' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:   14 | int main() { return 0; }
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:16:3: error: 'static real scale' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:   16 |   static real scale;
// CHECK-NEXT:      |   ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:17:3: error: 'friend real inner(Layer) { return 1; }' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:   17 |   friend real inner(Layer) { return 1; }
// CHECK-NEXT:      |   ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:19:1: error: 'constexpr thread_local real mine = 1' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:   19 | constexpr thread_local real mine = 1;
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:{{.*}}fail_declaration.cpp:25:1: error: 'real Layer::scale = 2' does not belong in a kernel file: remove it [facet-declaration]
// CHECK-NEXT:   25 | real Layer::scale = 2;
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file holds kernels, records, constexpr constants and functions; it is compiled as a whole, and nothing of it may run by itself
// CHECK-NEXT:12 errors generated.
