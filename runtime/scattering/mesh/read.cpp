// read.cpp - a mesh from a file, whole or by blocks: what kind of mesh it is, by its content. There
// are a reader for each kind, units and checks; zero-area triangles are dropped.
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/units.h"
#include <cstring>
#include <facet/runtime/error.h>
#include <facet/runtime/mesh_stream.h>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace facet::runtime {
namespace {
constexpr std::uint64_t stlHeader = 84, stlTriangle = 50; // bytes

struct Ends {
  std::string first, last; // up to 4 KiB each
  std::uint64_t size = 0;
};

bool isPadding(char c) { return c == 0 || c == 26 || isBlank(c); }

/// Before blanks, NUL and ^Z, of which there may be up to 1 MiB at the end.
std::string lastBytes(FileReader &file, std::uint64_t size) {
  constexpr std::uint64_t most = 4096;
  const auto before = [&](std::uint64_t end) {
    std::string bytes(std::min(most, end), 0);
    file.seekg(static_cast<std::streamoff>(end - bytes.size()));
    file.read(bytes.data(), std::ssize(bytes));
    return bytes;
  };
  for (std::uint64_t end = size; end > 0 && size - end < (1 << 20);) {
    const std::string bytes = before(end);
    const auto last = std::ranges::find_if_not(bytes.rbegin(), bytes.rend(), isPadding);
    end -= static_cast<std::uint64_t>(last - bytes.rbegin());
    if (last != bytes.rend())
      return before(end);
  }
  return before(size);
}

std::string trimmed(std::string bytes) {
  while (!bytes.empty() && isPadding(bytes.back()))
    bytes.pop_back();
  return bytes;
}

Ends readEnds(const std::string &path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code))
    throw Error(path, "there is no such file", "check the name of the mesh");
  if (std::filesystem::is_directory(path, code))
    throw Error(path, "this is a folder, not a mesh");
  FileReader file(path);
  Ends ends;
  ends.size = std::filesystem::file_size(path, code);
  if (!file || code)
    throw Error(path, "cannot read this file", "check its permissions");
  if (ends.size == 0)
    throw Error(path, "this file is empty");
  const auto take = static_cast<std::streamsize>(std::min<std::uint64_t>(4096, ends.size));
  ends.first.resize(take);
  file.read(ends.first.data(), take);
  ends.last = lastBytes(file, ends.size);
  if (!file)
    throw Error(path, "reading failed");
  return ends;
}

bool isText(const std::string &bytes) {
  return std::ranges::none_of(bytes, [](unsigned char c) {
    return (c < 32 && !isBlank(static_cast<char>(c))) || c == 127;
  });
}

/// The first word of the first line that is no comment.
std::string firstWord(std::string bytes) {
  dropByteOrderMark(bytes);
  const std::string_view text = bytes;
  Words words;
  for (std::size_t at = 0; at < text.size() && (words.empty() || words[0][0] == '#');) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    splitWords(text.substr(at, end - at), words, " \t\r,;");
    at = end + 1;
  }
  return words.empty() || words[0][0] == '#' ? "" : lower(words[0]);
}

std::uint64_t announced(const Ends &ends) { // in the header of a binary STL
  std::uint32_t count = 0;
  std::memcpy(&count, ends.first.data() + 80, sizeof count); // little endian, as STL is
  return count;
}

/// Whether what follows the triangles announced are more of them: whole ones, and not zeros.
bool countIsWrong(const std::string &path, std::uint64_t size, std::uint64_t expected) {
  if (size <= expected || (size - expected) % stlTriangle != 0)
    return false;
  std::string bytes(std::min<std::uint64_t>(size - expected, 1 << 16), 0);
  FileReader file(path);
  file.seekg(static_cast<std::streamoff>(expected)).read(bytes.data(), std::ssize(bytes));
  return !std::ranges::all_of(bytes, isPadding);
}

void checkBinaryStl(const std::string &path, const Ends &ends) {
  const std::uint64_t whole = (ends.size - stlHeader) / stlTriangle,
                      expected = stlHeader + stlTriangle * announced(ends);
  if (ends.size == stlHeader)
    throw Error(path, "this STL file has no triangles");
  if (ends.size < expected)
    throw Error(path,
                fmt::format("truncated: the header announces {} triangles, the file holds {}",
                            announced(ends), whole),
                "copy or export the file again");
  if (announced(ends) == 0 || countIsWrong(path, ends.size, expected))
    throw Error(path,
                fmt::format("the header announces {} triangles, the file has room for {}",
                            announced(ends), whole),
                "export the file again");
}

void checkTextStl(const std::string &path, const Ends &ends) {
  if (lower(ends.first).find("facet") == std::string::npos)
    throw Error(path, "this STL file has no triangles");
  if (lower(ends.last).find("endsolid") == std::string::npos)
    throw Error(path, "truncated: this STL file does not end with endsolid",
                "copy or export the file again");
}

/// In the file's own unit, which `unit` becomes where it is none.
Mesh readAny(const std::string &path, std::optional<double> &unit) {
  std::shared_ptr<const MeshBlocks> rows;
  switch (recognise(path)) {
  case MeshFile::Table:
    return readTableMesh(path, unit);
  case MeshFile::Ply:
    return readPly(path);
  case MeshFile::Obj:
    return readObj(path);
  case MeshFile::TextStl:
    return readTextStl(path);
  case MeshFile::Hdf5:
    rows = openHdf5Rows(path, true, unit);
    break;
  case MeshFile::BinaryStl:
    rows = openBinaryStl(path);
    break;
  }
  return rows->read(0, rows->size());
}

bool finite(const Vec3 &p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}
/// Products of six such are numbers. q have the same limit.
bool near(const Vec3 &p, double unit) {
  return std::ranges::all_of(p, [unit](double x) { return unit * std::abs(x) <= 1e50; });
}

void checkTables(const Mesh &mesh) {
  for (const auto &[name, table] : mesh.tables) {
    if (table.rows() < 1 || table.records() != mesh.size())
      throw Error(mesh.name,
                  fmt::format("column '{}' with an axis has the shape [{}, {}] for {} records",
                              name, table.rows(), table.records(), mesh.size()),
                  "a row holds a number of each record: [values of the axis, records]");
    for (std::int64_t row = 0; row < table.rows(); ++row)
      for (std::int64_t t = 0; t < table.records(); ++t)
        if (!std::isfinite(table.row(row)[t]))
          throw Error(
              mesh.name,
              fmt::format("record {}: column '{}' is NaN or infinite at value {} of its axis",
                          t + 1, name, row + 1),
              "repair the file; records and values count from 1");
  }
}

/// `first`: the number of the mesh's first record in its file. `unit`: nm for one of it.
void checkNumbers(const Mesh &mesh, double unit, std::int64_t first) {
  const auto refuse = [&](const char *record, std::int64_t i, const std::string &what,
                          const std::string &help) {
    throw Error(mesh.name, fmt::format("{} {}: {}", record, first + i + 1, what), help);
  };
  const auto notFinite = [&](std::int64_t i, const char *what) {
    refuse("triangle", i, fmt::format("{} is NaN or infinite", what),
           "repair the file; triangles count from 1");
  };
  for (std::int64_t i = 0; i < std::ssize(mesh.triangles); ++i)
    for (const Vec3 &p : mesh.triangles[i])
      if (!finite(p))
        notFinite(i, "a corner");
      else if (!near(p, unit))
        refuse("triangle", i, "a corner is beyond 1e50 nm", "see the unit of the mesh");
  const Mesh::Facets &f = mesh.facets;
  const char *sevenColumns = "the columns are area nx ny nz cx cy cz";
  for (std::int64_t i = 0; i < std::ssize(f.area); ++i) {
    if (!std::isfinite(f.area[i]) || !finite(f.normal[i]) || !finite(f.centroid[i]))
      notFinite(i, "its area, normal or centroid");
    if (!near(f.centroid[i], unit))
      refuse("triangle", i, "its centroid is beyond 1e50 nm", "see the unit of the mesh");
    if (f.area[i] < 0)
      refuse("triangle", i, "its area is negative", sevenColumns);
    if (const double size = length(f.normal[i]); f.area[i] > 0 && std::abs(size - 1) > 0.01)
      refuse("triangle", i, fmt::format("its normal has length {:f}, not 1", size), sevenColumns);
  }
  const std::int64_t n = mesh.size();
  for (const auto &[name, values] : mesh.columns) {
    if (std::ssize(values) != n)
      throw Error(mesh.name,
                  fmt::format("column '{}' has {} values for {} records", name, values.size(), n));
    for (std::int64_t i = 0; i < n; ++i)
      if (!std::isfinite(values[i]))
        refuse("record", i, fmt::format("column '{}' is NaN or infinite", name),
               "repair the file; records count from 1");
  }
  checkTables(mesh);
}

} // namespace

MeshFile recognise(const std::string &path) {
  const Ends ends = readEnds(path);
  const std::string extension = lower(std::filesystem::path(path).extension().string());
  if (ends.first.starts_with("\x89HDF"))
    return MeshFile::Hdf5;
  if (ends.first.starts_with("ply") && ends.first.size() > 3 && isBlank(ends.first[3]))
    return MeshFile::Ply;
  refuseForeign(path, ends.first);
  const bool text = isText(trimmed(ends.first)) && isText(ends.last);
  const std::string word = text ? firstWord(ends.first) : "";
  // The name behind "solid" may have any bytes.
  if (word == "solid" || (firstWord(ends.first) == "solid" &&
                          lower(ends.first).find("outer loop") != std::string::npos)) {
    checkTextStl(path, ends);
    return MeshFile::TextStl;
  }
  if (!text && ends.size >= stlHeader &&
      (extension == ".stl" || ends.size == stlHeader + stlTriangle * announced(ends))) {
    checkBinaryStl(path, ends);
    return MeshFile::BinaryStl;
  }
  static const std::set<std::string> ofObj{"v",      "vn",     "vt", "f",  "o", "g", "s",
                                           "mtllib", "usemtl", "fo", "vp", "l", "p", "usemap"};
  if (text && ofObj.contains(word))
    return MeshFile::Obj;
  const bool number = !word.empty() && (isDigit(word[0]) || word.find_first_of("+-.") == 0 ||
                                        word == "nan" || word == "inf");
  refuseForeign(path, ""); // numbers of a format of points and cells are no table
  if (text && (number || extension == ".txt" || extension == ".csv" || extension == ".dat"))
    return MeshFile::Table;
  throw Error(
      path,
      fmt::format("{}{}",
                  extension == ".stl" ? "this is no STL file, in text or binary"
                                      : "this is no mesh that facet knows",
                  word.empty() ? "" : fmt::format(": it begins with '{}'", word.substr(0, 40))),
      "facet reads STL, OBJ, PLY, HDF5, and text with 7 columns (area nx ny nz cx cy cz) or with "
      "a header line");
}

Mesh readMesh(const std::string &path, std::optional<double> unit, std::int64_t *dropped) {
  checkUnit(unit.value_or(1));
  Mesh mesh = readAny(path, unit);
  mesh.name = path;
  return checkedMesh(std::move(mesh), unit.value_or(1), dropped);
}

Mesh checkedMesh(Mesh mesh, double unit, std::int64_t *dropped) {
  checkUnit(unit);
  const std::string name = mesh.name;
  if (mesh.size() == 0)
    throw Error(name, "there are no triangles in it" +
                          (mesh.notes.empty() ? "" : ": " + mesh.notes.front()));
  mesh = checked(std::move(mesh), name, unit);
  const std::vector<char> marks = degenerate(mesh);
  const std::int64_t count = std::count(marks.begin(), marks.end(), 1);
  if (count > 0 && count == mesh.size())
    throw Error(name, "every triangle has zero area");
  if (count > 0)
    drop(mesh, marks);
  if (dropped)
    *dropped = count;
  return mesh;
}

void checkUnit(double unit) {
  if (!(unit > 0) || !std::isfinite(unit))
    throw Error("unit", "must be a number greater than 0: nm for one unit of the mesh file");
}

Mesh checked(Mesh mesh, const std::string &path, double unit, std::int64_t first) {
  mesh.name = path;
  checkOwnNames(mesh);
  checkNumbers(mesh, unit, first);
  if (unit != 1)
    mesh = posed(std::move(mesh), {}, unit, noRotation);
  mesh.unit = unit;
  return mesh;
}

std::vector<char> degenerate(const Mesh &mesh) {
  std::vector<char> marks(mesh.size(), 0);
  for (std::size_t i = 0; const Triangle &t : mesh.triangles)
    marks[i++] = isDegenerate(length(areaNormal(t)), longestEdge(t));
  for (std::size_t i = 0; i < mesh.facets.area.size(); ++i)
    marks[i] = mesh.facets.area[i] <= 0;
  return marks;
}

void drop(Mesh &mesh, const std::vector<char> &marks) {
  eachList(mesh, mesh, [&](const auto &, auto &values) { drop(values, marks); });
  for (auto &[name, table] : mesh.tables) {
    std::vector<double> left;
    for (std::int64_t row = 0; row < table.rows(); ++row)
      for (std::size_t t = 0; t < marks.size(); ++t)
        if (marks[t] == 0)
          left.push_back(table.row(row)[t]);
    const std::int64_t records = std::ranges::count(marks, 0);
    table = AxisTable(table.rows(), records, std::move(left));
  }
}

double unitOfFile(const std::string &path, const std::string &where, const std::string &stated,
                  std::optional<double> unit) {
  const std::optional<double> own = unitSize(stated, Dimension::Length);
  if (!unit && !own)
    throw Error(
        path, fmt::format("{} states the unit '{}', which is no length facet knows", where, stated),
        "--unit, or unit = of the particle, gives the nm in one of it");
  // A file that states nm may be read in another unit: facet writes nm into all.
  if (unit && own && *own != 1 && std::abs(*own / *unit - 1) > 1e-9)
    throw Error(path, fmt::format("{} states '{}', and it is read in {} nm", where, stated, *unit),
                fmt::format("--unit {0}, or unit = \"{0}\", reads it so", stated));
  return unit ? *unit : *own;
}

double parseUnit(const std::string &text) {
  if (const std::optional<double> unit = unitSize(text, Dimension::Length))
    return *unit;
  double value = 0;
  if (!parseNumber(text, value) || !(value > 0) || !std::isfinite(value))
    throw Error("unit '" + text + "'", "this is no unit of length",
                "write nm, angstrom, um, mm, m, or the nm in one unit of the file");
  return value;
}

// A block at a time
// ---------------------------------------------------------------------------
namespace {

/// The rows that `read` gives without those in `without`, ascending; `size` of them are left.
std::shared_ptr<const MeshBlocks> leavingOut(std::vector<std::int64_t> without,
                                             MeshBlocks::Read read, std::int64_t size) {
  return blocksBy(size, [without = std::move(without), read = std::move(read)](std::int64_t first,
                                                                               std::int64_t count) {
    // The row in which record i is: as many rows left out lie before it as have
    // without[k] - k <= i, which never falls with k.
    const auto row = [&](std::int64_t i) {
      const auto end = std::ranges::partition_point(
          without, [&](const std::int64_t &at) { return at - (&at - without.data()) <= i; });
      return i + (end - without.begin());
    };
    const std::int64_t begin = row(first), end = count > 0 ? row(first + count - 1) + 1 : begin;
    Mesh mesh = read(begin, end - begin);
    if (end - begin == count)
      return mesh;
    std::vector<char> marks(end - begin, 0);
    for (auto at = std::ranges::lower_bound(without, begin); at != without.end() && *at < end; ++at)
      marks[*at - begin] = 1;
    drop(mesh, marks);
    return mesh;
  });
}

/// Bytes of a triangle in a file, as facet and most programs write it.
double bytesOf(MeshFile kind) {
  return kind == MeshFile::TextStl ? 250
         : kind == MeshFile::Obj   ? 45
         : kind == MeshFile::Ply   ? 19
                                   : 80;
}

} // namespace

std::shared_ptr<const MeshBlocks>
openMeshBlocks(const std::string &path, std::optional<double> unit, std::int64_t *dropped) {
  checkUnit(unit.value_or(1));
  const MeshFile kind = recognise(path);
  if (kind != MeshFile::Hdf5 && kind != MeshFile::BinaryStl)
    throw Error(path, "meshes of this format are read whole only",
                "convert it first: facet mesh convert " + path + " -o mesh.h5");
  const auto rows = kind == MeshFile::Hdf5 ? openHdf5Rows(path, false, unit) : openBinaryStl(path);
  // Each time: the file may have changed since it was opened.
  const auto read = [path, rows, unit = unit.value_or(1)](std::int64_t first, std::int64_t count) {
    return checked(rows->read(first, count), path, unit, first);
  };
  std::vector<std::int64_t> without; // rows without area, ascending
  for (std::int64_t first = 0; first < rows->size(); first += rowsAtOnce) {
    const std::vector<char> marks =
        degenerate(read(first, std::min(rowsAtOnce, rows->size() - first)));
    for (std::int64_t i = 0; i < std::ssize(marks); ++i)
      if (marks[i] != 0)
        without.push_back(first + i);
  }
  const std::int64_t size = rows->size() - std::ssize(without);
  if (rows->size() == 0)
    throw Error(path, "there are no triangles in this file");
  if (size == 0)
    throw Error(path, "every triangle has zero area");
  if (dropped != nullptr)
    *dropped = std::ssize(without);
  return leavingOut(std::move(without), read, size);
}

MeshFileSize meshFileSize(const std::string &path) {
  const MeshFile kind = recognise(path);
  if (kind == MeshFile::BinaryStl)
    return {openBinaryStl(path)->size(), true};
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const MeshFileSize guess{static_cast<std::int64_t>(bytes / bytesOf(kind)), false};
  if (kind != MeshFile::Hdf5)
    return guess;
  try {
    std::optional<double> any;
    return {openHdf5Rows(path, false, any)->size(), true};
  } catch (const Error &) { // triangles by index, or an error that reading it whole names too
    return guess;
  }
}

} // namespace facet::runtime
