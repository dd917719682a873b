// document.cpp - docs/experiments.md lists the keys that there are. After a change of keys.h:
//   FACET_UPDATE=1 build/bin/facet_unit_schema --gtest_filter='*Document*'
#include "runtime/experiment/schema/schema.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace facet::test {
namespace {

std::string asMarkdown(const std::vector<runtime::schema::KeyRow> &keys) {
  std::string text = "| in | key | unit | what it is (default) |\n| --- | --- | --- | --- |\n",
              last;
  for (const auto &key : keys) {
    const std::string in = key.table.empty() || key.table == last ? "" : "`" + key.table + "`";
    text += "| " + in + " | `" + key.key + "` | " + key.unit + " | " + key.doc + " |\n";
    last = key.table;
  }
  return text;
}

TEST(Schema, TheDocumentListsTheKeys) {
  const std::string path = DOCUMENT, begin = "<!-- keys -->\n", end = "<!-- end of keys -->";
  std::stringstream in;
  in << std::ifstream(path).rdbuf();
  const std::string text = in.str();
  const std::size_t first = text.find(begin) + begin.size(), last = text.find(end);
  ASSERT_LE(first, last);
  ASSERT_NE(last, std::string::npos);
  const std::string keys = asMarkdown(runtime::schema::allKeys());
  if (std::getenv("FACET_UPDATE") != nullptr)
    std::ofstream(path) << text.substr(0, first) << keys << text.substr(last);
  else
    EXPECT_EQ(text.substr(first, last - first), keys);
}

} // namespace
} // namespace facet::test
