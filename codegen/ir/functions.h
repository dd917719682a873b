// functions.h - the functions of the table of operations that <cmath> lacks, in plain double.
#pragma once
#include "evaluate.h"

namespace facet::ir {

double sinpi(double a);
double cospi(double a);
/// 2^a - 1, exact near 0.
double exp2m1(double a);
/// Principal branch; i sqrt(|a|) for negative a, whatever the sign of its imaginary zero.
Complex csqrt(Complex a);
Complex cis(Complex a);
/// e^{i a} - 1, exact near 0.
Complex cism1(Complex a);
/// a * 2^b, b clamped to the exponent range.
double scale2(double a, double b);
inline Vector vec(Complex x, Complex y, Complex z) { return {x, y, z}; }
Complex dot(const Vector &a, const Vector &b);
Vector cross(const Vector &a, const Vector &b);
double norm2(const Vector &a);
/// The mean of e^{i u} over a flat triangle on which u is linear, with corner values a, b, c: twice
/// the divided difference of exp at i a, i b, i c (Hermite-Genocchi). `minusOne`: of e^{i u} - 1.
Complex meanCis(Complex a, Complex b, Complex c, bool minusOne);

} // namespace facet::ir
