// peak.h - the fused multiply-adds a core can do: the bound of separable sums.
#pragma once

namespace facet::bench {

/// Fused multiply-adds a second (one a lane) of this core now, registers only, in the best of a few
/// milliseconds: vectors of `bytes` bytes (32, 64), of double or of float.
double fusedMultiplyAdds(int bytes, bool isDouble);

} // namespace facet::bench
