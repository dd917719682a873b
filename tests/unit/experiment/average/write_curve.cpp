// write_curve.cpp - writes curves in several units to a folder, for silx_curve.py to read.
#include "some_curve.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  facet::runtime::Curve curve = facet::test::someCurve();
  for (const auto &[name, unit] :
       {std::pair{"absolute", "1/cm"}, {"volume", "nm^3"}, {"none", ""}}) {
    curve.unit = unit;
    facet::runtime::writeNxcansas(curve, std::string(argv[1]) + "/" + name + ".h5");
  }
}
