// recipe.cpp - lines to objects of HDF5.
#include "tests/fuzz/recipe.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/system/text.h"
#include <algorithm>

namespace facet::fuzz {
namespace {
using namespace facet::runtime;
using h5::Handle;
using Sizes = std::vector<hsize_t>;

constexpr std::size_t mostWritten = 4096; // elements; more are left unwritten

std::string wordAt(const Words &words, std::size_t k) {
  return k < words.size() ? std::string(words[k]) : "";
}

Handle typeOf(const std::string &name) {
  if (name == "complex")
    return h5::complexType();
  if (name.starts_with("text") || name == "vtext") {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    std::size_t size = H5T_VARIABLE;
    if (name != "vtext" && (!parseNumber(name.substr(4), size) || size == 0))
      size = 8;
    H5Tset_size(type, size);
    return type;
  }
  return {H5Tcopy(name == "f32"   ? H5T_IEEE_F32LE
                  : name == "i32" ? H5T_STD_I32LE
                  : name == "u8"  ? H5T_STD_U8LE
                                  : H5T_IEEE_F64LE),
          H5Tclose};
}

Sizes shapeOf(const std::string &text) {
  Sizes shape;
  Words words;
  splitWords(text, words, ",");
  for (const auto word : words)
    if (hsize_t n = 0; shape.size() < 6 && parseNumber(word, n))
      shape.push_back(n);
  return shape;
}

/// Calls `write` with a type in memory and so many values of it, made of the words.
template <class Write>
void writeValues(hid_t type, std::size_t count, const Words &words, const Write &write) {
  if (H5Tget_class(type) == H5T_STRING) {
    std::vector<std::string> texts(count);
    for (std::size_t k = 0; k < count && !words.empty(); ++k)
      texts[k] = words[k % words.size()];
    std::vector<const char *> pointers(count);
    std::string all;
    for (std::size_t k = 0; k < count; ++k) {
      pointers[k] = texts[k].c_str();
      if (H5Tis_variable_str(type) == 0)
        all += texts[k], all.resize((k + 1) * std::min<std::size_t>(H5Tget_size(type), 1 << 16));
    }
    if (H5Tis_variable_str(type) > 0)
      write(type, static_cast<const void *>(pointers.data()));
    else if (H5Tget_size(type) <= 1 << 16)
      write(type, all.data());
    return;
  }
  const bool complex = H5Tget_class(type) == H5T_COMPOUND;
  std::vector<double> values(complex ? 2 * count : count);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (words.empty() || !parseNumber(words[k % words.size()], values[k]))
      values[k] = static_cast<double>(k);
  const Handle own = complex ? h5::complexType() : Handle();
  write(complex ? hid_t{own} : H5T_NATIVE_DOUBLE, values.data());
}

/// How many elements are written; 0: none.
std::size_t written(hid_t space) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  return count > 0 && static_cast<std::size_t>(count) <= mostWritten
             ? static_cast<std::size_t>(count)
             : 0;
}

class Cook {
public:
  explicit Cook(const std::string &path) {
    open_.emplace_back(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  }

  void take(const Words &words) {
    const std::string what = wordAt(words, 0), name = wordAt(words, 1);
    if (what == "up" && open_.size() > 1)
      made_ = Handle(), open_.pop_back();
    else if (what == "group" && open_.size() < 8)
      group(name);
    else if (what == "dataset")
      dataset(name, words);
    else if (what == "attribute")
      attribute(name, words);
    else if (what == "soft")
      H5Lcreate_soft(wordAt(words, 2).c_str(), here(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    else if (what == "hard")
      H5Lcreate_hard(here(), wordAt(words, 2).c_str(), here(), name.c_str(), H5P_DEFAULT,
                     H5P_DEFAULT);
  }

private:
  hid_t here() const { return open_.back(); }

  void group(const std::string &name) {
    made_ = Handle();
    Handle group(H5Gcreate2(here(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    if (group < 0)
      group = Handle(H5Gopen2(here(), name.c_str(), H5P_DEFAULT), H5Gclose);
    if (group >= 0)
      open_.push_back(std::move(group));
  }

  static Handle propertiesOf(const std::string &how, const Sizes &shape, hid_t space) {
    Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    if ((how == "chunked" || how == "deflated") && !shape.empty()) {
      Sizes chunk = shape;
      for (hsize_t &n : chunk)
        n = std::clamp<hsize_t>(n, 1, 16);
      H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
      if (how == "deflated")
        H5Pset_deflate(list, 9);
    } else if (how == "virtual") {
      H5Pset_virtual(list, space, "none.h5", "/none", space);
    } else if (how == "external") {
      H5Pset_external(list, "none.bin", 0, H5F_UNLIMITED);
    }
    return list;
  }

  static Handle spaceOf(const Sizes &shape) {
    return {shape.empty() ? H5Screate(H5S_SCALAR)
                          : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
            H5Sclose};
  }

  void dataset(const std::string &name, const Words &words) {
    const Handle type = typeOf(wordAt(words, 2));
    const Sizes shape = shapeOf(wordAt(words, 3));
    const Handle space = spaceOf(shape);
    const std::string how = wordAt(words, 4);
    made_ = Handle(H5Dcreate2(here(), name.c_str(), type, space, H5P_DEFAULT,
                              propertiesOf(how, shape, space), H5P_DEFAULT),
                   H5Dclose);
    const std::size_t count = written(space);
    if (made_ >= 0 && count > 0 && how != "unwritten" && how != "virtual" && how != "external")
      writeValues(type, count, rest(words, 5), [&](hid_t as, const void *from) {
        H5Dwrite(made_, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, from);
      });
  }

  void attribute(const std::string &name, const Words &words) {
    const Handle type = typeOf(wordAt(words, 2)), space = spaceOf(shapeOf(wordAt(words, 3)));
    const hid_t of = made_ >= 0 ? hid_t{made_} : here();
    const std::size_t count = written(space);
    constexpr hssize_t most = hssize_t{1} << 40; // HDF5 1.10 loses count of the bytes of more
    if (H5Sget_simple_extent_npoints(space) > most)
      return;
    const Handle attribute(H5Acreate2(of, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    if (attribute >= 0 && count > 0)
      writeValues(type, count, rest(words, 4),
                  [&](hid_t as, const void *from) { H5Awrite(attribute, as, from); });
  }

  static Words rest(const Words &words, std::size_t first) {
    return words.size() > first
               ? Words(words.begin() + static_cast<std::ptrdiff_t>(first), words.end())
               : Words();
  }

  std::vector<Handle> open_; // the file, and groups within groups
  Handle made_;              // the dataset made last, if it was made after the group
};

} // namespace

void writeRecipe(const std::string &path, std::string_view recipe) {
  const h5::ErrorSilence quiet;
  Cook cook(path);
  Words lines, words;
  splitWords(recipe, lines, "\n");
  for (const auto line : lines) {
    splitWords(line, words, " \t\r");
    if (!words.empty())
      cook.take(words);
  }
}

} // namespace facet::fuzz
