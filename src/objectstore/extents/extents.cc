// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents/extents.h"

#include <algorithm>
#include <charconv>

#include "objectstore/extents/extent_file.h"
#include "objectstore/extents/extent_mend.h"
#include "os/mirror/mirrored_files.h"

namespace cairn::objectstore {
namespace {

std::string hex(std::uint64_t number, int digits) {
  static constexpr char symbols[] = "0123456789abcdef";
  std::string out(static_cast<std::size_t>(digits), '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, number >>= 4) *at = symbols[number & 15];
  return out;
}

std::optional<std::uint64_t> id_of_name(std::string_view name) {
  std::uint64_t id = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), id, 16);
  if (name.size() != 16 || fault != std::errc{} || end != name.data() + name.size())
    return std::nullopt;
  return id;
}

bool is_damage(const Error& error) {
  return error.kind == ErrorKind::corrupt || error.kind == ErrorKind::not_found ||
         error.kind == ErrorKind::internal;
}

}  // namespace

Status Extents::publish(os::File& file, std::uint64_t id) {
  const std::string folder = folder_of(id);
  const std::string path = path_of(id);
  Status named = file.publish(path);
  if (!named.ok() && named.error().kind == ErrorKind::not_found) {
    const std::lock_guard lock(folders_mutex_);
    CAIRN_CHECK(files_.make_directories(folder));
    CAIRN_CHECK(files_.sync_directory(directory_));
    named = file.publish(path);
  }
  CAIRN_CHECK(named);
  if (Status synced = directory_sync_.sync(folder); !synced.ok()) {
    (void)files_.remove(path);  // no record refers to it yet
    return synced;
  }
  return ok_status();
}

std::string Extents::folder_of(std::uint64_t id) const {
  // 64 neighbours share a folder, so that uploads of one time share its sync.
  return directory_ + "/" + hex(id >> 6 & 0xff, 2);
}

std::string Extents::path_of(std::uint64_t id) const { return folder_of(id) + "/" + hex(id, 16); }

Result<std::unique_ptr<ExtentWriter>> Extents::create(std::uint64_t id,
                                                      std::optional<std::uint64_t> expected_bytes) {
  CAIRN_TRY(auto file, files_.create_unnamed(temporary_));
  std::uint64_t reserved = 0;
  if (expected_bytes) {
    reserved = extent_file_bytes(*expected_bytes);
    CAIRN_CHECK(file->allocate(0, reserved, true));
  }
  return std::make_unique<ExtentWriter>(
      *this, ExtentWriter::Params{.file = std::move(file),
                                  .id = id,
                                  .expected_bytes = expected_bytes.value_or(0),
                                  .reserved_bytes = reserved,
                                  .cached_bytes_max = cached_bytes_max_});
}

Result<std::unique_ptr<ExtentReader>> Extents::open(const ExtentSpan& span) {
  const std::string path = path_of(span.id);
  auto file = files_.open(path, os::OpenMode::read);
  if (!file.ok() && file.error().kind == ErrorKind::not_found) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + path + "] of a stored object is missing"};
  }
  CAIRN_CHECK(file);
  CAIRN_TRY(std::uint64_t size, (*file)->size());
  os::MirrorSides* const mirror = os::sides_of(files_);
  if (size != extent_file_bytes(span.size_bytes) && mirror != nullptr &&
      mend_extent(*mirror, path, span).ok()) {
    CAIRN_TRY(*file, files_.open(path, os::OpenMode::read));
    CAIRN_TRY(size, (*file)->size());
  }
  if (size != extent_file_bytes(span.size_bytes)) {
    corrupt_blocks().add();
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + path + "] has " + std::to_string(size) +
                            " bytes and should have " +
                            std::to_string(extent_file_bytes(span.size_bytes))};
  }
  return std::make_unique<ExtentReader>(std::move(*file), span, path, &verified_);
}

Result<ExtentSpan> Extents::span_of(std::uint64_t id) {
  const std::string path = path_of(id);
  const auto info = files_.info(path);
  if (!info.ok() && info.error().kind != ErrorKind::not_found) return info.error();
  const auto body = info.ok() ? extent_body_bytes(info->size_bytes) : std::nullopt;
  if (body) return ExtentSpan{.id = id, .size_bytes = *body};
  return Error{.kind = ErrorKind::corrupt,
               .message = "the extent file [" + path + "] " +
                          (info.ok() ? "has a length that none can have: it was cut"
                                     : std::string("is missing"))};
}

Status Extents::verify(const ExtentSpan& span, const Pace& pace) {
  const std::int64_t since_ns = verified_.now_ns();
  Status done = verify_extent(files_, path_of(span.id), span, pace);
  os::MirrorSides* const mirror = done.ok() ? nullptr : os::sides_of(files_);
  if (mirror != nullptr && is_damage(done.error()))
    done = mend_extent(*mirror, path_of(span.id), span, pace);
  if (done.ok()) verified_.mark(span.id, since_ns);
  if (!done.ok() && done.error().kind == ErrorKind::not_found)
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the extent file [" + path_of(span.id) + "] is missing"};
  return done;
}

Result<std::uint64_t> Extents::remove(std::uint64_t id) {
  const std::string path = path_of(id);
  const auto info = files_.info(path);
  const Status removed = files_.remove(path);
  if (!removed.ok() && removed.error().kind == ErrorKind::not_found) return std::uint64_t{0};
  CAIRN_CHECK(removed);
  return info.ok() ? info->size_bytes : 0;
}

Result<std::vector<std::string>> Extents::folders() {
  CAIRN_TRY(auto names, files_.list(directory_));
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<std::uint64_t>> Extents::list(const std::string& folder) {
  CAIRN_TRY(const auto names, files_.list(directory_ + "/" + folder));
  std::vector<std::uint64_t> ids;
  for (const std::string& name : names)
    if (const auto id = id_of_name(name)) ids.push_back(*id);
  return ids;
}

Status Extents::for_each(const std::function<bool(std::uint64_t)>& each) {
  CAIRN_TRY(const auto all, folders());
  for (const std::string& folder : all) {
    CAIRN_TRY(const auto ids, list(folder));
    for (const std::uint64_t id : ids)
      if (!each(id)) return ok_status();
  }
  return ok_status();
}

}  // namespace cairn::objectstore
