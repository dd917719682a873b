// page.cpp - pages of one file: what is text stays text, bytes come back, nothing may ask a
// network.
#include "runtime/app/page/page.h"
#include <facet/runtime/error.h>
#include <gtest/gtest.h>
#include <regex>

using facet::page::htmlOf;
using facet::page::Page;

namespace {

const char *const hostile = "</script><script>alert(1)</script><!-- \xff \" ' & \xe2\x82\xac";

std::string between(const std::string &text, const std::string &start, const std::string &end) {
  const std::size_t from = text.find(start) + start.size();
  return text.substr(from, text.find(end, from) - from);
}

} // namespace

TEST(Page, TextsAreNeverMarkup) {
  const std::string html = htmlOf({hostile, {}, {{"name", hostile}}, {{hostile, hostile}}});
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_EQ(between(html, "<title>", "</title>"),
            "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- \xef\xbf\xbd \" ' &amp; "
            "\xe2\x82\xac");
  const auto data = nlohmann::json::parse(between(html, "id=\"data\">", "</script>"));
  const std::string kept =
      "</script><script>alert(1)</script><!-- \xef\xbf\xbd \" ' & \xe2\x82\xac";
  EXPECT_EQ(data["data"]["name"], kept);
  EXPECT_EQ(data["title"], kept);
  EXPECT_EQ(data["blobs"][0], kept);
}

TEST(Page, BytesAreInBase64) {
  for (const auto &[bytes, wanted] :
       std::vector<std::pair<std::string, std::string>>{{"", ""},
                                                        {"f", "Zg=="},
                                                        {"fo", "Zm8="},
                                                        {"foo", "Zm9v"},
                                                        {"foob", "Zm9vYg=="},
                                                        {std::string("\0\xff\x10", 3), "AP8Q"}})
    EXPECT_EQ(between(htmlOf({"t", {}, {}, {{"b", bytes}}}), "class=\"blob\">", "</script>"),
              wanted); // RFC 4648
}

TEST(Page, EveryScriptHasTheNumberOfThePolicyAndNothingElseRuns) {
  const std::string html = htmlOf({"t", {"module.js", "uPlot.iife.js"}, {}, {}});
  const std::string policy = between(html, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("http"), std::string::npos);
  const std::string number = between(policy, "'nonce-", "'");
  const std::regex script("<script nonce=\"" + number + "\">");
  EXPECT_EQ(std::distance(std::sregex_iterator(html.begin(), html.end(), script), {}), 3);
  EXPECT_NE(html.find("uPlot.js"), std::string::npos);
  EXPECT_NE(html.find(".u-over"), std::string::npos); // its style sheet
  EXPECT_NE(number, between(htmlOf({"u", {}, {}, {}}), "'nonce-", "'"));
}

TEST(Page, AScriptThatThereIsNot) {
  EXPECT_THROW(htmlOf({"t", {"nothing.js"}, {}, {}}), facet::runtime::Error);
}
