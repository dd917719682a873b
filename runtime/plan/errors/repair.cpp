// repair.cpp - finds the q whose amplified error breaks the contract, and sums them in f64.
#include "runtime/plan/errors/repair.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

// Bands of Im q.z of 5%: with both neighbours about the 10% within which errors are judged. What
// damps a mesh by less than 5% is one band.
constexpr int bands = 2048;
int bandOf(double im, double radius) {
  if (std::abs(im) * radius < 0.05)
    return 0;
  const int step =
      std::clamp(static_cast<int>(std::floor(std::log(std::abs(im)) * 20)) + 700, 1, 1000);
  return im < 0 ? 1022 + step : step;
}

} // namespace

/// max|F| in each band and its neighbours; of a real grid one number. Where the error may be as
/// large as half of F (e: of the sum, by bin), F may be all error, and does not count.
std::vector<double> Repair::largestNear(const std::vector<std::complex<double>> &f,
                                        const Risk &risk, const std::vector<double> &e) const {
  const Grid &grid = work_.grid;
  const bool product = grid.kind == Grid::Kind::Product;
  const std::vector<double> &im = grid.axes[2].im;
  const auto length = product ? static_cast<std::size_t>(grid.extents()[2]) : f.size();
  std::vector<double> squares(im.empty() ? 4 : length); // 4: none waits for the one before it
  for (std::size_t i = 0, z = 0; i < f.size(); ++i, z = z + 1 == squares.size() ? 0 : z + 1) {
    const double square = std::norm(f[i]); // a NaN never wins
    if (!(square > squares[z]))
      continue;
    const auto q = static_cast<std::int64_t>(i);
    const double error = e[risk.binIndex(q)] * risk.amplification(q);
    if (4 * error * error <= square)
      squares[z] = square;
  }
  if (im.empty())
    squares = {*std::max_element(squares.begin(), squares.end())};
  for (double &s : squares)
    s = std::sqrt(s);
  if (im.empty())
    return squares;
  const double radius = work_.records.radius();
  std::vector<double> own(bands + 1, 0.0);
  for (std::size_t z = 0; z < length; ++z) {
    double &most = own[static_cast<std::size_t>(bandOf(im[z], radius))];
    most = std::max(most, squares[z]);
  }
  for (std::size_t z = 0; z < length; ++z) {
    const auto band = static_cast<std::size_t>(bandOf(im[z], radius));
    squares[z] = own[band];
    if (band > 0)
      squares[z] = std::max({squares[z], band > 1 ? own[band - 1] : 0.0, own[band + 1]});
  }
  return squares;
}

std::int64_t Repair::run(const Candidate &c, const Risk &risk, double accuracy,
                         std::vector<std::complex<double>> &f) {
  std::vector<double> e;
  for (const Bin &bin : risk.bins())
    e.push_back(relativeError(c, bin, work_.records) * termSize(c, bin));
  const std::vector<double> largest = largestNear(f, risk, e);
  std::vector<std::int64_t> at;
  const double share = modelShare * accuracy;
  for (std::size_t i = 0, z = 0; i < f.size(); ++i, z = z + 1 == largest.size() ? 0 : z + 1) {
    const auto q = static_cast<std::int64_t>(i);
    if (e[risk.binIndex(q)] * risk.amplification(q) > share * largest[z] &&
        !std::binary_search(work_.zeros.begin(), work_.zeros.end(), q))
      at.push_back(q);
  }
  if (at.empty())
    return 0;
  if (!sums_ || at != at_) {
    at_ = std::move(at);
    list_ = pointsOf(work_.grid, at_);
    sums_ =
        std::make_unique<Sums>(Work{work_.kernel, list_, work_.records, work_.pool, work_.params,
                                    noZeros_, silent_, work_.queues, work_.memory},
                               *precise_);
  }
  again_.resize(at_.size());
  sums_->execute(again_);
  for (std::size_t i = 0; i < at_.size(); ++i)
    f[static_cast<std::size_t>(at_[i])] = again_[i];
  return static_cast<std::int64_t>(at_.size());
}

} // namespace facet::runtime
