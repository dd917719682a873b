// verify.cpp - each rule of the verifier: a sound kernel passes, one mistake is named.
#include "codegen/ir/ir.h"
#include "tests/support/ir.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace facet::ir {
namespace {

const std::string sound = test::kernelIr(
    "triangle { area: real, centroid: vec3 } grid product { x: real, y: real, z: cplx } "
    "params { kappa }",
    "%1 = dot q, t.centroid  %2 = cis %1  %3 = mul t.area, %2  yield %3",
    "%1 = mul sum, p.kappa  yield %1");

const std::string packed = test::kernelIr(
    "triangle { area: real } grid points { x: real, y: real, z: real } "
    "pack t { %1 = mul 2, t.area  yield w0 = %1, w1 = t.area }",
    "%1 = mul r.w0, q.x  yield re = %1, im = r.w1", "yield re = sum.re, im = sum.im");

const std::string waves = R"(kernel @k {
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

Value &find(Region &region, Op op) { return *std::ranges::find(region.values, op, &Value::op); }

/// Gives the region one more value.
template <Op op, Region Kernel::*region> void append(Kernel &kernel) {
  Value value;
  value.op = op;
  value.name = op == Op::Field ? "area" : "";
  (kernel.*region).values.push_back(value);
  annotate(kernel);
}

/// Makes finish read another sum or total.
template <Op op, int k> void renumber(Kernel &kernel) { find(kernel.finish, op).component = k; }

/// One mistake, and a part of what verify says of it.
struct Mistake {
  const char *name;
  std::string kernel;
  void (*make)(Kernel &);
  const char *says;
};
constexpr const char *one = "must yield one number, or re and im";
constexpr const char *outputs = "or 1 to 8 outputs with names of their own";
const Mistake mistakes[] = {
    {"OperandAfterItsUser", sound,
     [](Kernel &k) { find(k.term, Op::Cis).args[0] = static_cast<Id>(k.term.values.size()) - 1; },
     "comes after its user"},
    {"OperandMissing", sound, [](Kernel &k) { find(k.term, Op::Cis).args[0] = -1; },
     "operand 1 is missing"},
    {"OperandTooMany", sound, [](Kernel &k) { find(k.term, Op::Cis).args[1] = 0; },
     "it takes 1 operands"},
    {"Exponent",
     test::kernelIr("record { a: real } grid points { x: real, y: real, z: real }",
                    "%1 = pow t.a, 0.3  yield %1"),
     [](Kernel &k) { find(k.term, Op::Pow).args[1] = 0; }, "operand 2 must be a number"},
    {"LargeExponent",
     test::kernelIr("record { a: real } grid points { x: real, y: real, z: real }",
                    "%1 = pow t.a, 0.3  yield %1"),
     [](Kernel &k) { find(k.term, Op::Number).number = 1e4; }, "from -1000 to 1000"},
    {"Type", sound, [](Kernel &k) { find(k.term, Op::Cis).type = Type::Real; },
     "its type is cplx, not real"},
    {"Domain", sound, [](Kernel &k) { find(k.term, Op::Dot).domain = T; },
     "its domain is [x y z t], not [t]"},
    {"Operation", sound, [](Kernel &k) { find(k.term, Op::Dot).op = Op::Add; }, "verify: sum:"},
    {"ColumnInFinish", sound, append<Op::Field, &Kernel::finish>,
     "verify: finish: t.area has no meaning here"},
    {"SumInTerm", sound, append<Op::Sum, &Kernel::term>, "verify: sum: sum has no meaning here"},
    {"AxisInPack", packed, append<Op::Axis, &Kernel::pack>, "verify: pack: q has no meaning here"},
    {"ColumnInPackedTerm", packed, append<Op::Field, &Kernel::term>,
     "verify: sum: t.area has no meaning here"},
    {"YieldsNothing", sound, [](Kernel &k) { k.term.outputs.clear(); }, one},
    {"YieldsAHalf", sound, [](Kernel &k) { k.finish.outputs[0].name = "re"; }, one},
    {"OutputName", sound, [](Kernel &k) { k.finish.outputs[0].name = "title"; }, outputs},
    {"OutputTwice", sound,
     [](Kernel &k) {
       k.finish.outputs[0].name = "up";
       k.finish.outputs.push_back(k.finish.outputs[0]);
     },
     outputs},
    {"OutputsAndOrigin", sound,
     [](Kernel &k) {
       k.finish.outputs[0].name = "up";
       k.origin.values = {Value{.op = Op::Number}};
       k.origin.outputs = {{"", 0}};
     },
     "origin: it must yield the outputs of finish"},
    {"YieldsAVector", sound, [](Kernel &k) { k.term.outputs[0].value = 0; }, one}, // q
    {"YieldsWhatIsNotThere", sound, [](Kernel &k) { k.term.outputs[0].value = 99; },
     "yields a value that is not there"},
    {"TwoPackedColumns", packed, [](Kernel &k) { k.pack.outputs[1].name = "w0"; },
     "two columns are named 'w0'"},
    {"TwoColumns", sound, [](Kernel &k) { k.fields.push_back(k.fields[0]); },
     "two columns are named 'area'"},
    {"TwoParameters", sound, [](Kernel &k) { k.params.push_back({"kappa"}); },
     "two parameters are named 'kappa'"},
    {"ParameterAndSlot", sound,
     [](Kernel &k) { k.params.insert(k.params.end(), {{"m", Type::Vec3}, {"m.y"}}); },
     "two parameters are named 'm.y'"},
    {"ParameterType", sound, [](Kernel &k) { k.params[0].type = Type::Wide; },
     "parameter 'kappa' is wide, not real, cplx, vec3, cvec3 or mat3"},
    {"ParameterDefault", sound, [](Kernel &k) { k.params.push_back({"m", Type::Vec3, {1, 2}}); },
     "the default of parameter 'm' has 2 numbers, not 3"},
    {"ColumnType", sound, [](Kernel &k) { k.fields[0].type = Type::Cplx; },
     "column 'area' is cplx"},
    {"AxisExtent", sound, [](Kernel &k) { k.axes[1].fixed = -2; }, "axis y"},
    {"TransformMissing", waves, renumber<Op::Sum, 2>, "finish: sum2 has no meaning here"},
    {"SumBesideTransforms", waves, renumber<Op::Sum, -1>, "finish: sum has no meaning here"},
    {"TotalMissing", waves, renumber<Op::Total, 2>, "finish: total2 has no meaning here"},
    {"TransformOfASum", sound, renumber<Op::Sum, 0>, "finish: sum0 has no meaning here"},
    {"WaveName", waves, [](Kernel &k) { k.waves.outputs[3].name = "b1"; },
     "waves: 'b1' where a point (x1, y1, z1) or b0 is to stand"},
    {"TotalName", waves, [](Kernel &k) { k.totals.outputs[2].name = "b2"; },
     "totals: 'b1re' where b1 is to stand"},
    {"ComplexPoint", waves, [](Kernel &k) { k.waves.outputs[0].value = k.waves.outputs[3].value; },
     "waves: x0 is cplx, not real"},
    {"SumBesideWaves", waves,
     [](Kernel &k) {
       k.term = k.totals;
       k.term.outputs.resize(1);
       k.term.outputs[0].name.clear();
     },
     "a sum or waves, not both"},
};
void PrintTo(const Mistake &mistake, std::ostream *out) { *out << mistake.name; }

class Verify : public testing::TestWithParam<Mistake> {};
INSTANTIATE_TEST_SUITE_P(Mistakes, Verify, testing::ValuesIn(mistakes),
                         [](const auto &mistake) { return std::string(mistake.param.name); });

TEST_P(Verify, NamesTheMistake) {
  Kernel kernel = read(GetParam().kernel, "test");
  GetParam().make(kernel);
  EXPECT_REFUSED(verify(kernel), GetParam().says);
}

TEST(VerifySound, KernelsPass) {
  for (const std::string &text : {sound, packed, waves})
    EXPECT_NO_THROW(verify(read(text, "test")));
}

} // namespace
} // namespace facet::ir
