// compute.cpp - the values of instructions.def, each in a loop over lanes that the compiler makes
// vectors of. Compiled twice, the second time for CPUs with fused multiply-adds (PTX_SET): fma.rn
// would call the C library a lane otherwise. What it defines is local, so that the linker cannot
// mix the two.
#include "compute.h"

namespace facet::ptx {
namespace {

using pred = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

int sign = 0; // of the approximations' errors

/// The smaller of two numbers, -0 before 0; a NaN gives way.
template <class T> T least(T a, T b) {
  if (a < b || b != b)
    return a;
  if (b < a || a != a)
    return b;
  return __builtin_signbit(a) ? a : b;
}

s32 towardsZero(f64 a) {
  return a != a ? 0 : a >= 2147483647.0 ? INT32_MAX : a <= -2147483648.0 ? INT32_MIN : s32(a);
}
/// Division by 0 has no value in PTX; machines give ones.
u32 quotient(s32 a, s32 b) { return b == 0 ? ~u32{0} : static_cast<u32>(s64{a} / b); }
/// `length` bits of `a` from bit `at` on; beyond bit 31 they are 0.
u32 bitField(u32 a, u32 at, u32 length) {
  return at > 31 ? 0 : static_cast<u32>((a >> at) & ((u64{1} << (length < 32 ? length : 32)) - 1));
}

f32 flushed(f32 a) { return __builtin_fabsf(a) < 0x1p-126f ? __builtin_copysignf(0, a) : a; }

/// PTX ISA, sin and cos: off by 2^-20.5 at most in [-2 pi, 2 pi], by 2^-14.7 in [-100 pi, 100 pi].
/// No bound is known beyond: NaN shows that somebody asked.
f32 approximateSine(f32 a, bool cosine) {
  constexpr f64 pi = 3.14159265358979323846;
  const f64 x = flushed(a), size = __builtin_fabs(x);
  if (!(size <= 100 * pi))
    return __builtin_nanf("");
  const f64 bound = size <= 2 * pi ? 6.743e-7 : 3.757e-5; // 2^-20.5, 2^-14.7
  return static_cast<f32>((cosine ? __builtin_cos(x) : __builtin_sin(x)) + sign * bound);
}

/// PTX ISA, ex2: off by 2^-22 of the value at most. Small values are flushed.
f32 approximatePower(f32 a) {
  return flushed(static_cast<f32>(__builtin_exp2(f64{flushed(a)}) * (1 + sign * 0x1p-22)));
}

template <class Body> void forEach(Lanes lanes, Body body) {
  if (lanes.list == nullptr)
    for (int k = 0; k < lanes.count; ++k)
      body(k);
  else
    for (int k = 0; k < lanes.count; ++k)
      body(lanes.list[k]);
}

template <class R, class A, class F> void one(void *r, const void *const *from, Lanes lanes) {
  auto *to = static_cast<R *>(r);
  const auto *a = static_cast<const A *>(from[0]);
  forEach(lanes, [=](int k) { to[k] = static_cast<R>(F()(a[k])); });
}
template <class R, class A, class B, class F>
void two(void *r, const void *const *from, Lanes lanes) {
  auto *to = static_cast<R *>(r);
  const auto *a = static_cast<const A *>(from[0]);
  const auto *b = static_cast<const B *>(from[1]);
  forEach(lanes, [=](int k) { to[k] = static_cast<R>(F()(a[k], b[k])); });
}
template <class R, class A, class B, class C, class F>
void three(void *r, const void *const *from, Lanes lanes) {
  auto *to = static_cast<R *>(r);
  const auto *a = static_cast<const A *>(from[0]);
  const auto *b = static_cast<const B *>(from[1]);
  const auto *c = static_cast<const C *>(from[2]);
  forEach(lanes, [=](int k) { to[k] = static_cast<R>(F()(a[k], b[k], c[k])); });
}

constexpr Named functions[] = {
#define PTX_ONE(spelling, R, A, value)                                                             \
  {spelling, 1, {sizeof(R), sizeof(A)}, one<R, A, decltype([](A a) { return value; })>},
#define PTX_TWO(spelling, R, A, B, value)                                                          \
  {spelling,                                                                                       \
   2,                                                                                              \
   {sizeof(R), sizeof(A), sizeof(B)},                                                              \
   two<R, A, B, decltype([](A a, B b) { return value; })>},
#define PTX_THREE(spelling, R, A, B, C, value)                                                     \
  {spelling,                                                                                       \
   3,                                                                                              \
   {sizeof(R), sizeof(A), sizeof(B), sizeof(C)},                                                   \
   three<R, A, B, C, decltype([](A a, B b, C c) { return value; })>},
#include "instructions.def"
};

} // namespace

const FunctionSet PTX_SET{functions, sizeof functions / sizeof *functions,
                          [](int given) { sign = given; }};

} // namespace facet::ptx
