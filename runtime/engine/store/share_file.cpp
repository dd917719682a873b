// share_file.cpp - shares of a run written and read.
#include "runtime/engine/store/share_file.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/store/lay_out.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace facet::runtime {

std::string textOf(const ShareNumber &share) {
  return fmt::format("{} of {}", share.number, share.count);
}

std::string shareOf(const std::string &output, const ShareNumber &share) {
  const std::filesystem::path path(output);
  return std::filesystem::path(path).replace_extension(
      fmt::format(".{}-of-{}{}", share.number, share.count, path.extension().string()));
}

void ShareFile::refuse(const std::string &why) const {
  throw Error(path_, why, "run that share again: facet run .. --array i/n");
}

ShareFile::ShareFile(std::string path) : path_(std::move(path)) {
  const h5::Object file(path_);
  const auto no = [&] { refuse("is no share of a run"); };
  if (!file.has("entry") || !file.has("entry/share"))
    no();
  const h5::Object group = file.open("entry/share");
  const double number = group.numberAttribute("number").value_or(0),
               count = group.numberAttribute("count").value_or(0);
  if (!(number >= 1 && number <= count && count <= 1e6))
    no();
  share_ = {static_cast<int>(number), static_cast<int>(count)};
  std::istringstream text(group.text("journal"));
  tiled::Journal journal = tiled::readJournal(text);
  if (!journal.head)
    no();
  if (journal.damaged > 0)
    refuse("its list of units is damaged");
  head_ = *std::move(journal.head);
  units_ = std::move(journal.units);
  experiment_ = file.text("entry/process/experiment");
  const h5::Object process = file.open("entry/process");
  for (const std::string &name : process.attributeNames())
    provenance_[name] = process.attribute(name);
}

bool ShareFile::sameAs(const ShareFile &other) const {
  return head_.identity == other.head_.identity && units_ == other.units_;
}

ShareFile::Values::Values(const ShareFile &share)
    : share_(share),
      data_(std::make_shared<h5::Object>(h5::Object(share.path()).open("entry/share/values"))) {
  const h5::Shape shape = data_->shape();
  if (shape.size() != 1 || !data_->isNumbers())
    share.refuse("is no share of a run");
  size_ = shape[0];
}

void ShareFile::Values::take(double *to, std::int64_t count) {
  constexpr std::int64_t most = 1 << 17;
  while (count > 0) {
    if (at_ >= size_)
      share_.refuse("has fewer values than its units take");
    if (const std::int64_t end = first_ + std::ssize(piece_); at_ < first_ || at_ >= end) {
      first_ = at_;
      piece_.resize(static_cast<std::size_t>(std::min(most, size_ - at_)));
      data_->read({first_}, {std::ssize(piece_)}, piece_.data(), H5T_NATIVE_DOUBLE);
    }
    const std::int64_t from = at_ - first_, n = std::min(count, std::ssize(piece_) - from);
    std::copy_n(piece_.data() + from, n, to);
    to += n;
    at_ += n;
    count -= n;
  }
}

void writeShare(const std::string &path, const ShareNumber &share, const std::string &journal,
                const nexus::Process &process, std::int64_t values, const EachValues &each) {
  PendingFile pending(path,
                      fmt::format("all units are kept in {}.part: go on with --resume", path));
  pending.checkRoom(8 * values + std::ssize(journal) + 65536);
  h5::fillFile(pending, [&](hid_t root) {
    nexus::layOut(root, {"share " + textOf(share), "share", {}}, nexus::Storage::Whole, {});
    nexus::writeProcess(root, process);
    const h5::Handle entry(h5::must(H5Gopen2(root, "entry", H5P_DEFAULT)), H5Gclose),
        group = h5::makeGroup(entry, "share", "NXcollection");
    h5::attribute(group, "number", share.number);
    h5::attribute(group, "count", share.count);
    h5::writeString(group, "journal", journal);
    const h5::Handle data = h5::makeDataset(group, "values", H5T_NATIVE_DOUBLE, {values});
    std::int64_t at = 0;
    each([&](const double *piece, std::int64_t count) {
      h5::writeBox(data, H5T_NATIVE_DOUBLE, {at}, {count}, piece);
      at += count;
    });
  });
  const Descriptor file(pending.temporary(), O_RDWR);
  pending.must(file && fsync(file.get()) == 0);
  pending.commit();
}

} // namespace facet::runtime
