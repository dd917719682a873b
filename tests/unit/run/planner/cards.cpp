// cards.cpp - an algorithm that only this test knows: it is weighed, refused, taken where it is
// cheapest, and carried out, by a card alone.
#include "../fixture.h"
#include "runtime/engine/plan/decision.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/reference.h"

namespace facet::test {
namespace {

constexpr auto toy = static_cast<facet_algorithm>(3);

/// F at one q after the other by the reference; of the fixture F is a sum over records.
class ToySum final : public Algorithm {
public:
  ToySum(const SumContext &work, int &sums) : Algorithm(work), sums_(sums) {}

  void changed() override {}
  void resized(std::shared_ptr<const NodeRules>) override {}
  void sum() override {
    ++sums_;
    f_.resize(2 * static_cast<std::size_t>(work_.grid.size()));
    for (std::int64_t q = 0; q < work_.grid.size(); ++q) {
      const auto f = referenceAt(work_.kernel, work_.grid.at(q), work_.records.columns(),
                                 work_.records.size(), work_.params)
                         .f[0];
      f_[2 * static_cast<std::size_t>(q)] = f.real();
      f_[2 * static_cast<std::size_t>(q) + 1] = f.imag();
    }
  }
  void finish(std::complex<double> *f) override {
    for (std::size_t i = 0; i < f_.size(); i += 2)
      f[i / 2] = {f_[i], f_[i + 1]};
  }
  std::vector<std::span<double>> partial() override { return {f_}; }
  Totals &recordSums() override { return totals_; }

private:
  std::vector<double> f_;
  Totals totals_;
  int &sums_;
};

class ToyCard final : public Card {
public:
  ToyCard() : Card(toy, "toy") {}

  Refusal refusal(const PlanProblem &) const override { return none; }
  std::vector<PlannedChoice> ways(const PlanProblem &problem) const override {
    PlannedChoice way;
    way.grid = problem.isList() ? FACET_POINTS : FACET_PRODUCT;
    return {way};
  }
  void cost(PlannedChoice &way, const PlanProblem &problem, Speeds &) const override {
    way.seconds = seconds;
    way.bytes = 16 * problem.q();
    way.detail = "a toy";
  }
  double error(const PlannedChoice &, const Octave &, const Records &) const override {
    return relative;
  }
  bool runs(const Kernel &, const HowToSum &, const std::string &, int) const override {
    return true;
  }
  std::unique_ptr<Algorithm> carryOut(const SumContext &work, const CardRun &) const override {
    return std::make_unique<ToySum>(work, sums);
  }

  Refusal none;
  double seconds = 1e-9, relative = 1e-15;
  mutable int sums = 0;
};

class Cards : public testing::Test {
protected:
  Cards() { cards().push_back(&card); }
  ~Cards() override { cards().pop_back(); }
  static Grid square() { return productGrid("0.1", "-2:2:20", "0.05:2:21"); }
  static Plan plan(const PlanOptions &options = {}) {
    return {fixture("waves"), square(), torus(), options};
  }
  static PlanOptions forced(facet_algorithm algorithm = toy) {
    PlanOptions options;
    options.algorithm = algorithm;
    return options;
  }
  /// The toy among the choices of a plan.
  static Choice toyOf(const Plan &plan) {
    for (const Choice &c : plan.explain().choices)
      if (c.algorithm == toy)
        return c;
    ADD_FAILURE() << "it is not weighed";
    return {};
  }

  ToyCard card;
};

TEST_F(Cards, TheCheapestIsTakenAndCarriedOut) {
  Plan cheap = plan();
  EXPECT_EQ(name(cheap.choice()), "toy, f64");
  EXPECT_HAS(cheap.explain().reason, "a toy; ");
  PlanOptions exact = forced(FACET_DIRECT);
  exact.klass = FACET_F64;
  Plan direct = plan(exact);
  EXPECT_LT(difference(cheap.execute({1}), direct.execute({1})), 1e-12);
  EXPECT_EQ(card.sums, 1);
  EXPECT_TRUE(cheap.measure().met);
}

TEST_F(Cards, ADearOneIsWeighedAndNotTaken) {
  card.seconds = 1e3;
  const Plan other = plan();
  EXPECT_NE(other.choice().algorithm, toy);
  EXPECT_HAS(whyNot(toyOf(other), other.choice(), 1e-5), "times slower");
  EXPECT_HAS(other.explain().reason, "toy 1e+03 s");
}

TEST_F(Cards, AnInexactOneIsNotTaken) {
  card.relative = 1;
  const Plan other = plan();
  EXPECT_NE(other.choice().algorithm, toy);
  EXPECT_EQ(whyNot(toyOf(other), other.choice(), 1e-5), "not accurate enough");
}

TEST_F(Cards, ARefusalIsListedAndSaidIfItIsForced) {
  card.none = {"toys are put away", "ask for another"};
  EXPECT_EQ(toyOf(plan()).refusal, "toys are put away");
  EXPECT_HAS(refusal([] { plan(forced()); }), "toy: toys are put away");
}

TEST_F(Cards, UnitsAreCarriedOutByTheDecision) {
  Plan whole = plan(forced());
  const Decision d = decisionFromJson(toJson(whole.run().decide(true)), "here");
  EXPECT_EQ(d.algorithm, algorithmByName("toy"));
  const auto mesh = std::make_shared<const Mesh>(torus());
  const auto blocks = std::make_shared<RecordBlocks>(whole.run().kernel, d, blocksOf(mesh), 1e9);
  std::vector<std::complex<double>> f(static_cast<std::size_t>(square().size()));
  whole.run().evaluatorFor(d, blocks, {.pool = poolFor(d, 1)})->run(square(), {1}, f.data());
  EXPECT_EQ(f, whole.execute({1}));
}

} // namespace
} // namespace facet::test
