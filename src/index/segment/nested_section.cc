// SPDX-License-Identifier: Apache-2.0
#include "index/segment/nested_section.h"

#include <utility>

#include "base/bytes.h"
#include "index/errors.h"
#include "index/segment/segment.h"

namespace cairn::index {
namespace {

class PartOfFile final : public SegmentFile {
 public:
  PartOfFile(std::shared_ptr<SegmentFile> whole, std::string name, std::uint64_t offset,
             std::uint64_t length)
      : whole_(std::move(whole)), name_(std::move(name)), offset_(offset), length_(length) {}

  Result<Bytes> read(std::uint64_t offset, std::uint64_t length,
                     const os::Deadline& deadline) const override {
    if (!holds(offset, length)) return outside();
    return whole_->read(offset_ + offset, length, deadline);
  }
  Result<Bytes> read_once(std::uint64_t offset, std::uint64_t length,
                          const os::Deadline& deadline) const override {
    if (!holds(offset, length)) return outside();
    return whole_->read_once(offset_ + offset, length, deadline);
  }
  Result<Bytes> read_checked(std::uint64_t offset, std::uint64_t length, std::uint32_t checksum,
                             const os::Deadline& deadline) const override {
    if (!holds(offset, length)) return outside();
    return whole_->read_checked(offset_ + offset, length, checksum, deadline);
  }
  std::uint64_t size() const override { return length_; }
  bool in_memory() const override { return whole_->in_memory(); }
  bool can_stay(std::uint64_t bytes) const override { return whole_->can_stay(bytes); }
  const std::string& name() const override { return name_; }
  void set_page_checksums(PageChecksums) override {}  // the whole file knows its own

 private:
  bool holds(std::uint64_t offset, std::uint64_t length) const {
    return offset <= length_ && length <= length_ - offset;
  }
  Error outside() const { return corrupt_object(name_, "a range lies outside"); }

  std::shared_ptr<SegmentFile> whole_;
  std::string name_;
  std::uint64_t offset_, length_;
};

}  // namespace

Status write_nested_section(SegmentOut& out, std::string_view path,
                            const std::vector<std::uint32_t>& parents,
                            const std::function<Status(SegmentOut& inner)>& write) {
  out.begin(SectionKind::nested, path);
  SegmentOut inner([&](std::string_view bytes) { return out.write(bytes), ok_status(); });
  CAIRN_CHECK(write(inner));
  std::string owners;
  owners.reserve(sizeof(std::uint64_t) + parents.size() * sizeof(std::uint32_t));
  put_u64le(owners, inner.hot_offset());
  for (const std::uint32_t parent : parents) put_u32le(owners, parent);
  out.hot_section(SectionKind::nested_parents, path, std::move(owners));
  return ok_status();
}

std::optional<NestedOwners> NestedOwners::read(std::string_view bytes, std::uint32_t documents) {
  if (bytes.size() < sizeof(std::uint64_t) || bytes.size() % sizeof(std::uint32_t) != 0)
    return std::nullopt;
  ByteReader in(bytes);
  NestedOwners out{.hot_offset = in.u64le().value_or(0),
                   .parents = bytes.substr(sizeof(std::uint64_t))};
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < out.parents.size() / sizeof(std::uint32_t); ++i) {
    const auto parent = row_at<std::uint32_t>(out.parents, i);
    if (parent < before || parent >= documents) return std::nullopt;
    before = parent;
  }
  return out;
}

std::shared_ptr<SegmentFile> part_of_file(std::shared_ptr<SegmentFile> whole, std::string name,
                                          std::uint64_t offset, std::uint64_t length) {
  return std::make_shared<PartOfFile>(std::move(whole), std::move(name), offset, length);
}

}  // namespace cairn::index
