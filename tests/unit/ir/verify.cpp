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
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.params.push_back("kappa"); }),
                   "two parameters are named 'kappa'"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.fields[0].type = Type::Cplx; }),
                   "column 'area' is cplx"));
  EXPECT_TRUE(says(verdict(sound, [](Kernel &k) { k.axes[1].fixed = -2; }), "axis y"));
}

} // namespace
} // namespace facet::ir
