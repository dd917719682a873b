// shared.cpp - finds slopes that are c q^p B with the same B at every q, in three steps. For each
// power that the first slope may have, it counts how many others have a power too, at some q. For
// the power with the most others, it compares them at all q. It finds their B by least squares, so
// that nothing is divided by a small number.
#include "runtime/engine/derive/shared.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
using Member = SharedTransform::Member;

/// A power of q at each q of a grid.
class Powers {
public:
  explicit Powers(const Grid &grid) : grid_(grid), extents_(grid.extents()) {}

  double at(const NufftPowers &power, std::size_t q) const {
    double product = 1;
    std::array<std::size_t, 3> place{q, q, q};
    if (grid_.kind == Grid::Kind::Product) {
      const auto ny = static_cast<std::size_t>(extents_[1]),
                 nz = static_cast<std::size_t>(extents_[2]);
      place = {q / (ny * nz), q / nz % ny, q % nz};
    }
    for (std::size_t d = 0; d < 3; ++d)
      for (int k = 0; k < power[d]; ++k)
        product *= grid_.axes[d].re[place[d]];
    return product;
  }

private:
  const Grid &grid_;
  std::array<std::int64_t, 3> extents_;
};

/// Powers of degree 2 at most along some axes, the lower ones first.
std::vector<NufftPowers> powersOf(const PowerAxes &axes) {
  std::vector<NufftPowers> all{{}};
  for (std::size_t from = 0; from < all.size(); ++from)
    for (std::size_t d = 0; d < 3; ++d) {
      NufftPowers next = all[from];
      ++next[d];
      if (axes[d] && next[0] + next[1] + next[2] <= 2 && std::ranges::find(all, next) == all.end())
        all.push_back(next);
    }
  return all;
}

class SharedSums {
public:
  SharedSums(const Grid &grid, const PowerAxes &axes)
      : powers_(grid), all_(powersOf(axes)), size_(static_cast<std::size_t>(grid.size())) {}

  /// Takes the first transform, and all that are like it, out of `each`.
  SharedTransform take(std::vector<SharedTransform> &each) const {
    SharedTransform first = std::move(each.front());
    each.erase(each.begin());
    std::vector<Member> best;
    NufftPowers own{};
    for (const NufftPowers &power : all_) {
      const std::vector<Member> like = alike(first, power, each);
      if (like.size() > best.size())
        best = like, own = power;
    }
    std::erase_if(best, [&](const Member &member) {
      const auto same = [&](const SharedTransform &other) {
        return other.transforms.front().transform == member.transform;
      };
      return !multiple(first.slope, own, std::ranges::find_if(each, same)->slope, member.power, 1);
    });
    std::vector<std::pair<const Slope *, Member>> members{
        {&first.slope, {first.transforms.front().transform, 1, own}}};
    for (const Member &member : best)
      for (const SharedTransform &other : each)
        if (other.transforms.front().transform == member.transform)
          members.emplace_back(&other.slope, member);
    SharedTransform made{base(members), {}};
    for (const auto &[slope, member] : members)
      made.transforms.push_back(member);
    if (!holds(members, made.slope))
      return {std::move(first.slope), {{first.transforms.front().transform, 1}}};
    std::erase_if(each, [&](const SharedTransform &other) {
      return std::ranges::any_of(
          best, [&](const Member &m) { return m.transform == other.transforms.front().transform; });
    });
    return made;
  }

private:
  Powers powers_;
  std::vector<NufftPowers> all_;
  std::size_t size_;

  /// The other transforms that are multiples of the first one, if the first one has this power.
  std::vector<Member> alike(const SharedTransform &first, const NufftPowers &own,
                            const std::vector<SharedTransform> &others) const {
    std::vector<Member> found;
    constexpr std::size_t some = 61;
    const std::size_t step = std::max<std::size_t>(1, first.slope.linear.size() / some);
    for (const SharedTransform &other : others)
      for (const NufftPowers &power : all_)
        if (const auto times = multiple(first.slope, own, other.slope, power, step)) {
          found.push_back({other.transforms.front().transform, *times, power});
          break;
        }
    return found;
  }

  /// c with b q^own = c a q^power, to rounding, at every step-th q.
  std::optional<Complex> multiple(const Slope &a, const NufftPowers &own, const Slope &b,
                                  const NufftPowers &power, std::size_t step) const {
    if (a.conjugate.size() != b.conjugate.size())
      return std::nullopt;
    const auto left = [&](std::size_t i) { return b.linear[i] * powers_.at(own, i % size_); };
    const auto right = [&](std::size_t i) { return a.linear[i] * powers_.at(power, i % size_); };
    std::size_t most = 0;
    double largest = 0; // squared
    for (std::size_t i = 0; i < a.linear.size(); i += step)
      if (const double size = std::norm(right(i)); size > largest)
        most = i, largest = size;
    if (largest == 0)
      return std::nullopt;
    const Complex times = left(most) / right(most);
    // For squares: rounding of the number itself, and of the largest one.
    const double rounding = 1e-30 * largest * std::norm(times);
    const auto equal = [&](const Complex &x, const Complex &y) {
      return std::norm(x - y) <= 1e-24 * std::norm(x) + rounding;
    };
    for (std::size_t i = 0; i < a.linear.size(); i += step)
      if (!equal(left(i), times * right(i)) ||
          (!a.conjugate.empty() &&
           !equal(b.conjugate[i] * powers_.at(own, i % size_),
                  std::conj(times) * a.conjugate[i] * powers_.at(power, i % size_))))
        return std::nullopt;
    return times;
  }

  /// Whether members are c q^p B. Two members could be compared only where neither power is 0.
  bool holds(const std::vector<std::pair<const Slope *, Member>> &members,
             const Slope &base) const {
    return std::ranges::all_of(members, [&](const auto &one) {
      const auto &[slope, member] = one;
      double largest = 0;
      for (const Complex &value : slope->linear)
        largest = std::max(largest, std::norm(value));
      const auto equal = [&](const Complex &x, const Complex &y) {
        return std::norm(x - y) <= 1e-22 * std::norm(x) + 1e-30 * largest;
      };
      for (std::size_t i = 0; i < base.linear.size(); ++i) {
        const double power = powers_.at(member.power, i % size_);
        if (!equal(slope->linear[i], member.times * power * base.linear[i]) ||
            (!base.conjugate.empty() &&
             !equal(slope->conjugate[i], std::conj(member.times) * power * base.conjugate[i])))
          return false;
      }
      return true;
    });
  }

  /// B of members c q^p B.
  Slope base(const std::vector<std::pair<const Slope *, Member>> &members) const {
    if (std::ranges::all_of(members, [](const auto &m) { return m.second.power == NufftPowers{}; }))
      return *members.front().first;
    Slope made = *members.front().first;
    for (std::size_t i = 0; i < made.linear.size(); ++i) {
      Complex linear = 0, conjugate = 0;
      double squares = 0;
      for (const auto &[slope, member] : members) {
        const double power = powers_.at(member.power, i % size_);
        linear += std::conj(member.times) * power * slope->linear[i];
        if (!made.conjugate.empty())
          conjugate += member.times * power * slope->conjugate[i];
        squares += std::norm(member.times) * power * power;
      }
      made.linear[i] = squares > 0 ? linear / squares : 0;
      if (!made.conjugate.empty())
        made.conjugate[i] = squares > 0 ? conjugate / squares : 0;
    }
    return made;
  }
};

} // namespace

std::vector<SharedTransform> shared(std::vector<SharedTransform> each, const Grid &grid,
                                    const PowerAxes &axes) {
  const SharedSums sharing(grid, axes);
  std::vector<SharedTransform> made;
  while (!each.empty())
    made.push_back(sharing.take(each));
  return made;
}

} // namespace facet::runtime
