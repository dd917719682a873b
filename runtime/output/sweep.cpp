// sweep.cpp - pictures of a result: one, or of a sweep one for each of a few of its values.
#include <algorithm>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {

std::vector<std::string> writePictures(const Output &output, const std::string &path,
                                       const PictureOptions &options) {
  if (output.sweep == nullptr) {
    writePicture(output, path, options);
    return {path};
  }
  constexpr std::size_t most = 5;
  const std::vector<double> &values = output.sweep->values;
  const std::size_t count = std::min(values.size(), most);
  const auto size = static_cast<std::ptrdiff_t>(output.grid->size());
  std::vector<std::string> files;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t step = count == 1 ? 0 : k * (values.size() - 1) / (count - 1);
    const auto first = output.f->begin() + static_cast<std::ptrdiff_t>(step) * size;
    const std::vector<std::complex<double>> f(first, first + size);
    Output one = output;
    one.f = &f;
    one.sweep = nullptr;
    one.title = fmt::format("{}{}{} = {:.6g}", output.title, output.title.empty() ? "" : ", ",
                            output.sweep->name, values[step]);
    std::filesystem::path file = path;
    file.replace_filename(fmt::format("{}_{}_{:.6g}{}", file.stem().string(), output.sweep->name,
                                      values[step], file.extension().string()));
    writePicture(one, file, options);
    files.push_back(file);
  }
  return files;
}

} // namespace facet::runtime
