// verify.cpp - each rule of the verifier: a sound kernel passes, one mistake is named.
#include "codegen/ir/ir.h"
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>

namespace facet::ir {
namespace {

const char *const sound = R"(kernel @k {
  triangle { area: real, centroid: vec3 }
  grid product { x: real, y: real, z: cplx }
  params { kappa }
  sum t {
    %1 = dot q, t.centroid
    %2 = cis %1
    %3 = mul t.area, %2
    yield %3
  }
  finish {
    %1 = mul sum, p.kappa
    yield %1
  }
}
)";

const char *const packed = R"(kernel @k {
  triangle { area: real }
  grid points { x: real, y: real, z: real }
  pack t {
    %1 = mul 2, t.area
    yield w0 = %1, w1 = t.area
  }
  sum t {
    %1 = mul r.w0, q.x
    yield re = %1, im = r.w1
  }
  finish { yield re = sum.re, im = sum.im }
}
)";

const char *const waves = R"(kernel @k {
  triangle { area: real, centroid: vec3 }
  grid points { x: real, y: real, z: real }
  waves t {
    %1 = component.x t.centroid
    %2 = component.y t.centroid
    %3 = mul i, t.area
    yield x0 = %1, y0 = %2, z0 = t.area, b0 = %3, b1re = %1, b1im = %2
  }
  totals t { yield b0 = t.area, b1re = t.area, b1im = t.area }
  finish {
    %1 = mul q.x, sum1
    %2 = add %1, total1
    yield %2
  }
}
)";

/// What verify says of `text` with `spoil` done to it; empty where it is content.
std::string verdict(const char *text, const std::function<void(Kernel &)> &spoil = nullptr) {
  Kernel kernel = read(text, "test");
  if (spoil)
    spoil(kernel);
  try {
    verify(kernel);
  } catch (const Error &error) {
    return error.message;
  }
  return "";
}

/// Whether the verdict has `part` in it, with the verdict shown where not.
testing::AssertionResult says(const std::string &verdict, const std::string &part) {
  if (verdict.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "verify said: '" << verdict << "'";
}

Value &find(Region &region, Op op) {
  for (Value &value : region.values)
    if (value.op == op)
      return value;
  throw std::runtime_error("no such value");
}

TEST(Verify, SoundKernelsPass) {
  EXPECT_EQ(verdict(sound), "");
  EXPECT_EQ(verdict(packed), "");
}

TEST(Verify, OperandsComeBeforeTheirUsers) {
  EXPECT_TRUE(says(verdict(sound,
                           [](Kernel &k) {
                             find(k.term, Op::Cis).args[0] =
                                 static_cast<Id>(k.term.values.size()) - 1;
                           }),
                   "comes after its user"));
}

TEST(Verify, OperandsAreThereAndNoMore) {
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { find(k.term, Op::Cis).args[0] = -1; }),
                   "operand 1 is missing"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { find(k.term, Op::Cis).args[1] = 0; }),
                   "it takes 1 operands"));
}

TEST(Verify, TypesAndDomainsAreTheDerivedOnes) {
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { find(k.term, Op::Cis).type = Type::Real; }),
                   "its type is cplx, not real"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { find(k.term, Op::Dot).domain = T; }),
                   "its domain is [x y z t], not [t]"));
  EXPECT_TRUE(
      says(verdict(sound, [](Kernel &k) { find(k.term, Op::Dot).op = Op::Add; }), "verify: sum:"));
}

TEST(Verify, LeavesStandWhereTheyHaveAMeaning) {
  const auto append = [](Op op, std::string name, Region Kernel::*region) {
    return [=](Kernel &k) {
      Value value;
      value.op = op;
      value.name = name;
      (k.*region).values.push_back(value);
      annotate(k);
    };
  };
  EXPECT_TRUE(says(verdict(sound, append(Op::Field, "area", &Kernel::finish)),
                   "verify: finish: t.area has no meaning here"));
  EXPECT_TRUE(says(verdict(sound, append(Op::Sum, "", &Kernel::term)),
                   "verify: sum: sum has no meaning here"));
  EXPECT_TRUE(says(verdict(packed, append(Op::Axis, "", &Kernel::pack)),
                   "verify: pack: q has no meaning here"));
  EXPECT_TRUE(says(verdict(packed, append(Op::Field, "area", &Kernel::term)),
                   "verify: sum: t.area has no meaning here"));
}

TEST(Verify, RegionsYieldWhatTheyMust) {
  const std::string one = "must yield one number, or re and im";
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.term.outputs.clear(); }), one));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.finish.outputs[0].name = "re"; }), one));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.term.outputs[0].value = 0; }), one)); // q
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.term.outputs[0].value = 99; }),
                   "yields a value that is not there"));
  EXPECT_TRUE(says(verdict(packed, [](Kernel &k) { k.pack.outputs[1].name = "w0"; }),
                   "two columns are named 'w0'"));
}

TEST(Verify, NamesAreUniqueAndColumnsPlain) {
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.fields.push_back(k.fields[0]); }),
                   "two columns are named 'area'"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.params.push_back({"kappa"}); }),
                   "two parameters are named 'kappa'"));
  EXPECT_TRUE(says(
      verdict(sound,
              [](Kernel &k) { k.params.insert(k.params.end(), {{"m", Type::Vec3}, {"m.y"}}); }),
      "two parameters are named 'm.y'"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.params[0].type = Type::Wide; }),
                   "parameter 'kappa' is wide, not real, cplx, vec3 or cvec3"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.params.push_back({"m", Type::Vec3, {1, 2}}); }),
                   "the default of parameter 'm' has 2 numbers, not 3"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.fields[0].type = Type::Cplx; }),
                   "column 'area' is cplx"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.axes[1].fixed = -2; }), "axis y"));
}

TEST(Verify, LetsWavesAndTotalsPass) { EXPECT_EQ(verdict(waves), ""); }

TEST(Verify, FindsATransformOrATotalThatIsNotThere) {
  const auto renumber = [](Op op, int k) {
    return [op, k](Kernel &kernel) {
      for (Value &value : kernel.finish.values)
        if (value.op == op)
          value.component = k;
    };
  };
  EXPECT_TRUE(says(verdict(waves, renumber(Op::Sum, 2)), "finish: sum2 has no meaning here"));
  EXPECT_TRUE(says(verdict(waves, renumber(Op::Sum, -1)), "finish: sum has no meaning here"));
  EXPECT_TRUE(says(verdict(waves, renumber(Op::Total, 2)), "finish: total2 has no meaning here"));
  EXPECT_TRUE(says(verdict(sound,
                           [](Kernel &kernel) {
                             for (Value &value : kernel.finish.values)
                               if (value.op == Op::Sum)
                                 value.component = 0;
                           }),
                   "finish: sum0 has no meaning here"));
}

TEST(Verify, FindsWavesAndTotalsWithOtherNames) {
  const auto rename = [](Region Kernel::*region, std::size_t k, const char *name) {
    return [=](Kernel &kernel) { (kernel.*region).outputs[k].name = name; };
  };
  EXPECT_TRUE(says(verdict(waves, rename(&Kernel::waves, 3, "b1")),
                   "waves: 'b1' where a point (x1, y1, z1) or b0 is to stand"));
  EXPECT_TRUE(says(verdict(waves, rename(&Kernel::totals, 2, "b2")),
                   "totals: 'b1re' where b1 is to stand"));
}

TEST(Verify, FindsAPointThatIsComplex) {
  EXPECT_TRUE(says(verdict(waves,
                           [](Kernel &kernel) {
                             kernel.waves.outputs[0].value = kernel.waves.outputs[3].value;
                           }),
                   "waves: x0 is cplx, not real"));
}

TEST(Verify, FindsASumBesideWaves) {
  EXPECT_TRUE(says(verdict(waves,
                           [](Kernel &kernel) {
                             kernel.term = kernel.totals;
                             kernel.term.outputs.resize(1);
                             kernel.term.outputs[0].name.clear();
                           }),
                   "a sum or waves, not both"));
}

} // namespace
} // namespace facet::ir
