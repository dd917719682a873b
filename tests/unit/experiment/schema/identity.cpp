// identity.cpp - the identity of a run: what changes its numbers, not how or where it is run.
#include "files.h"
#include "runtime/experiment/schema/schema.h"

namespace facet::test {
namespace {

using runtime::schema::identityOf;
const std::string whole = kernel + beam + sample + gold + grid;

TEST(SchemaIdentity, HasAPartForEachTable) {
  const auto parts = identityOf(read(whole));
  EXPECT_EQ(parts.at("beam"), "wavelength = 0.124; alpha_i = [0.2]");
  EXPECT_HAS(parts.at("sample"), "name = 'film', thickness = 40, delta = 3e-06, beta = 5e-07");
  EXPECT_HAS(parts.at("particles"), "delta = 2.97e-05; beta = 2.08e-06");
  EXPECT_EQ(parts.at("grid"), "qx = '0'; qy = '-1:1:5'; qz = '0.5'");
  EXPECT_EQ(parts.at("accuracy"), "relative = 1e-05");
  EXPECT_EQ(parts.size(), 5U);
}

TEST(SchemaIdentity, IsNotHowOrWhereItIsRun) {
  const auto parts = identityOf(read(whole));
  for (const char *more : {"[run]\nthreads = 3\nmemory = \"1GB\"\n",
                           "[output]\nfile = \"x.h5\"\npicture = { decades = 3 }\n"})
    EXPECT_EQ(identityOf(read(whole + more)), parts);
  EXPECT_EQ(identityOf(read("title = \"other\"\n" + whole)), parts);
  EXPECT_NE(identityOf(read(whole + "[accuracy]\nrelative = 1e-4\n")), parts);
}

TEST(SchemaIdentity, IsNotWhereAMeshLies) {
  const std::string head = kernel + beam + sample, tail = "delta = 1e-5\n" + grid;
  const auto of = [&](const std::string &mesh) {
    return identityOf(read(head + "[particle]\nmesh = \"" + mesh + "\"\n" + tail));
  };
  EXPECT_EQ(of("a.stl"), of("b.stl"));
}

} // namespace
} // namespace facet::test
