// lettering.cpp - text by cairo: its notation, its parts, its width, the rectangle that it covers.
#include "runtime/picture/lettering.h"
#include "runtime/engine/system/places.h"
#include "runtime/picture/scale.h"
#include <algorithm>
#include <cairo.h>
#include <cctype>
#include <cmath>
#include <fontconfig/fontconfig.h>
#include <limits>
#include <map>
#include <regex>

namespace facet::runtime::plot {
namespace {

const std::map<std::string, std::string> &notationTable() {
  static const std::map<std::string, std::string> table{
#define FACET_NOTATION(spelling, drawn) {spelling, drawn},
#include "runtime/picture/notation.def"
  };
  return table;
}

/// Whether a word may go on with this byte. All of UTF-8 beyond ASCII may.
bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
}

/// Whether a word ends before `at`; "qy.h5" is one word.
bool endsAt(const std::string &text, std::size_t at) {
  return at >= text.size() || !(isOfWord(text[at]) || (text[at] == '.' && at + 1 < text.size() &&
                                                       isOfWord(text[at + 1])));
}

/// Spellings of the table, as whole words, the longest first.
std::string withLetters(const std::string &text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::string *drawn = nullptr;
    std::size_t length = 0;
    for (const auto &[spelling, letters] : notationTable())
      if (spelling.size() > length && text.compare(at, spelling.size(), spelling) == 0 &&
          (at == 0 || !(isOfWord(text[at - 1]) || text[at - 1] == '.')) &&
          endsAt(text, at + spelling.size()))
        drawn = &letters, length = spelling.size();
    result += drawn ? *drawn : text.substr(at, 1);
    at += drawn ? length : 1;
  }
  return result;
}

/// Calls with each match, and replaces it by what is returned.
template <class Use>
std::string replaced(const std::string &text, const std::regex &pattern, const Use &use) {
  std::string result;
  auto from = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    result.append(from, (*at)[0].first);
    result += use(*at);
    from = (*at)[0].second;
  }
  return result.append(from, text.end());
}

/// "8.75e9" as "8.75·10⁹", "1e-05" as "10⁻⁵".
std::string withPowers(const std::string &text) {
  static const std::regex number(R"((^|[^\w.])([0-9]+(\.[0-9]+)?)e([-+]?[0-9]{1,3})(?![\w.]*\w))");
  return replaced(text, number, [](const std::smatch &m) {
    return m[1].str() + (m[2] == "1" ? "" : m[2].str() + "·") + "10" + raised(std::stoi(m[4]));
  });
}

/// "1/nm^2" as "nm^-2", "0.1 deg" as "0.1°".
std::string withUnits(const std::string &text) {
  static const std::regex inverse(R"((^|[^\w./])1/([A-Za-z]{1,3})(\^([0-9]))?(?![\w/^]))"),
      degrees(R"(([0-9]) deg(rees)?(?!\w))"), inBrackets(R"(\(deg(rees)?\))");
  std::string result = replaced(text, inverse, [](const std::smatch &m) {
    return m[1].str() + m[2].str() + raised(m[4].matched ? -std::stoi(m[4]) : -1);
  });
  result = std::regex_replace(result, degrees, "$1°");
  return std::regex_replace(result, inBrackets, "(°)");
}

/// A hyphen before a number is a minus.
std::string withMinus(const std::string &text) {
  static const std::regex minus(R"((^|[\s(\[=,])-(?=[0-9.]|π))");
  return std::regex_replace(text, minus, "$1−");
}

/// A Python wheel carries its font: its machine may have none, and cairo's own has no raised
/// digits.
bool takeOwnFont() {
  const std::string file = besideLibrary("../share/facet/fonts/DejaVuSans.ttf");
  if (file.empty())
    return false;
  FcConfig *config = FcConfigCreate(); // not the system's: it may have none either
  const bool added =
      FcConfigAppFontAddFile(config, reinterpret_cast<const FcChar8 *>(file.c_str()));
  return FcConfigSetCurrent(config) && added;
}

/// DejaVu has all raised digits; if it is not installed, fontconfig finds another.
void takeFont(cairo_t *cairo, double pixels) {
  [[maybe_unused]] static const bool own = takeOwnFont();
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_set_font_options(cairo, options);
  cairo_font_options_destroy(options);
  cairo_set_font_size(cairo, pixels);
}

/// A piece of a text: normal, lowered or raised.
struct Part {
  std::string text;
  double size = 1, down = 0; // of the text's pixels
};

std::vector<Part> partsOf(const std::string &text) {
  constexpr double small = 0.7, lowered = 0.25, raised = -0.35;
  std::vector<Part> parts;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos || open <= at ||
        (text[open - 1] != '_' && text[open - 1] != '^')) {
      ++open;
      continue;
    }
    parts.push_back({text.substr(at, open - 1 - at)});
    parts.push_back(
        {text.substr(open + 1, close - open - 1), small, text[open - 1] == '_' ? lowered : raised});
    at = open = close + 1;
  }
  parts.push_back({text.substr(at)});
  return parts;
}

/// A text as it will stand: its pieces, its width, and how far its ink goes from where it begins.
struct TextExtent {
  std::vector<Part> parts;
  double width = 0, base = 0; // base: of its line, below its middle
  double left = 0, right = 0, top = 0, bottom = 0;
};

TextExtent measured(cairo_t *cairo, const std::string &text, double pixels) {
  constexpr double none = std::numeric_limits<double>::infinity();
  TextExtent m{
      .parts = partsOf(notation(text)), .left = none, .right = -none, .top = none, .bottom = -none};
  cairo_font_extents_t font;
  takeFont(cairo, pixels);
  cairo_font_extents(cairo, &font);
  m.base = (font.ascent - font.descent) / 2;
  for (const Part &part : m.parts) {
    cairo_text_extents_t ink;
    takeFont(cairo, part.size * pixels);
    cairo_text_extents(cairo, part.text.c_str(), &ink);
    if (ink.width > 0) {
      const double y = m.base + part.down * pixels + ink.y_bearing;
      m.left = std::min(m.left, m.width + ink.x_bearing);
      m.right = std::max(m.right, m.width + ink.x_bearing + ink.width);
      m.top = std::min(m.top, y), m.bottom = std::max(m.bottom, y + ink.height);
    }
    m.width += ink.x_advance;
  }
  if (!(m.left <= m.right)) // nothing but blanks
    m.left = m.right = m.top = m.bottom = 0;
  return m;
}

Lettering covered(const TextExtent &m, const TextPlace &place, const std::string &text,
                  double pixels) {
  Lettering lettering{text, pixels, {}};
  const double sine = std::sin(place.turn), cosine = std::cos(place.turn),
               begin = -place.align * m.width;
  const std::array<std::array<double, 2>, 4> flat{{{begin + m.left, m.top},
                                                   {begin + m.right, m.top},
                                                   {begin + m.right, m.bottom},
                                                   {begin + m.left, m.bottom}}};
  for (std::size_t k = 0; k < 4; ++k)
    lettering.corners[k] = {place.x + cosine * flat[k][0] - sine * flat[k][1],
                            place.y + sine * flat[k][0] + cosine * flat[k][1]};
  return lettering;
}

/// A page for measuring only.
class Ruler {
public:
  Ruler()
      : surface(cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)), cairo(cairo_create(surface)) {}
  Ruler(Ruler &&) = delete;
  ~Ruler() {
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }
  TextExtent of(const std::string &text, double pixels) const {
    return measured(cairo, text, pixels);
  }

private:
  cairo_surface_t *surface;
  cairo_t *cairo;
};

/// The last blank before the middle of a text, or the first behind it.
std::size_t blankNearMiddle(const std::string &text) {
  const std::size_t before = text.rfind(' ', text.size() / 2);
  const std::size_t after = text.find(' ', text.size() / 2);
  if (before == std::string::npos || after == std::string::npos)
    return std::min(before, after);
  return text.size() / 2 - before < after - text.size() / 2 ? before : after;
}

/// Removes the last character, which may be several bytes of UTF-8, or a lowered part.
void shorten(std::string &text) {
  if (const std::size_t open = text.rfind('{');
      !text.empty() && text.back() == '}' && open != std::string::npos && open > 0)
    return text.resize(open - 1);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
    text.pop_back();
  if (!text.empty())
    text.pop_back();
}

/// Cuts until it is no wider than `room`.
std::string cutBy(std::string text, double room,
                  const std::function<double(const std::string &)> &width) {
  if (width(text) <= room)
    return text;
  while (!text.empty() && width(text + "..") > room)
    shorten(text);
  return text + "..";
}

} // namespace

std::string notation(const std::string &text) {
  return withMinus(withRaised(withUnits(withPowers(withLetters(text)))));
}

double textWidth(const std::string &text, double pixels) { return Ruler().of(text, pixels).width; }

std::string cutToFit(const std::string &text, double pixels, double room) {
  return cutBy(notation(text), room,
               [&](const std::string &part) { return textWidth(part, pixels); });
}

Lettering letteringAt(const TextPlace &place, const std::string &text, double pixels) {
  return covered(Ruler().of(text, pixels), place, text, pixels);
}

Lettering drawText(cairo_t *cairo, const TextPlace &place, const std::string &text, double pixels,
                   bool halo) {
  cairo_save(cairo);
  const TextExtent m = measured(cairo, text, pixels);
  cairo_translate(cairo, place.x, place.y);
  cairo_rotate(cairo, place.turn);
  const auto eachPart = [&](const auto &draw) {
    double at = -place.align * m.width;
    for (const Part &part : m.parts) {
      takeFont(cairo, part.size * pixels);
      cairo_move_to(cairo, at, m.base + part.down * pixels);
      draw(part.text.c_str());
      cairo_get_current_point(cairo, &at, nullptr);
    }
    cairo_new_path(cairo);
  };
  if (halo) {
    cairo_save(cairo);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_set_line_width(cairo, 0.3 * pixels);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    eachPart([&](const char *part) {
      double x = 0, y = 0;
      cairo_text_path(cairo, part);
      cairo_get_current_point(cairo, &x, &y);
      cairo_stroke(cairo);
      cairo_move_to(cairo, x, y);
    });
    cairo_restore(cairo);
  }
  eachPart([&](const char *part) { cairo_show_text(cairo, part); });
  cairo_restore(cairo);
  return covered(m, place, text, pixels);
}

bool Lettering::overlaps(const Lettering &other) const {
  // Two rectangles are apart if a side of one of them separates their corners.
  for (const Lettering *one : {this, &other})
    for (std::size_t k = 0; k < 2; ++k) {
      const double nx = one->corners[k + 1][0] - one->corners[k][0],
                   ny = one->corners[k + 1][1] - one->corners[k][1];
      const auto range = [&](const Lettering &of) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const auto &corner : of.corners) {
          low = std::min(low, nx * corner[0] + ny * corner[1]);
          high = std::max(high, nx * corner[0] + ny * corner[1]);
        }
        return std::pair{low, high};
      };
      const auto [low, high] = range(*this);
      const auto [from, to] = range(other);
      if (high <= from || to <= low)
        return false;
    }
  return true;
}

FittedTitle fitted(const std::string &title, double room,
                   const std::function<double(const std::string &)> &width, double least) {
  constexpr double largest = 1.25, oneLine = 0.8; // below it two lines are read better
  const double whole = width(title);
  if (whole * std::max(oneLine, least) <= room)
    return {{title}, std::min(largest, room / std::max(whole, 1e-3))};
  std::vector<std::string> lines{title};
  if (const std::size_t at = blankNearMiddle(title); at != std::string::npos)
    lines = {title.substr(0, at), title.substr(at + 1)};
  double longest = 0;
  for (const std::string &line : lines)
    longest = std::max(longest, width(line));
  const double size = std::clamp(room / longest, least, std::max(oneLine, least));
  for (std::string &line : lines)
    line = cutBy(line, room / size, width);
  return {lines, size};
}

} // namespace facet::runtime::plot
