// SPDX-License-Identifier: Apache-2.0
// Files that are written beside their place and renamed.
#include "inference/model/packed_files.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::inference {
namespace {

constexpr std::uint64_t largest_packed_file = std::uint64_t{64} << 30U;
constexpr std::size_t piece = std::size_t{8} << 20U;  // that one call reads or writes

}  // namespace

/// An id may hold what no file name may, so its digest is the name.
std::string PackedFiles::path_of(std::string_view model_id) const {
  return folder_ + "/" + to_hex(sha256(model_id)).substr(0, 32) + ".packed";
}

bool PackedFiles::has(std::string_view model_id, std::string_view mark) const {
  const auto file = files_.open(path_of(model_id), os::OpenMode::read);
  if (!file.ok()) return false;
  std::string begin(4096, '\0');
  const auto got = (*file)->read_at(0, begin.data(), begin.size());
  return got.ok() && std::string_view(begin).substr(0, *got).find(mark) != std::string::npos;
}

Result<kernels::Buffer<std::byte>> PackedFiles::read(std::string_view model_id) const {
  CAIRN_TRY(const std::unique_ptr<os::File> file,
            files_.open(path_of(model_id), os::OpenMode::read));
  CAIRN_TRY(const std::uint64_t size, file->size());
  if (size > largest_packed_file) {
    return Error{.kind = ErrorKind::corrupt, .message = "packed weights of an impossible size"};
  }
  kernels::Buffer<std::byte> out(size);
  for (std::uint64_t at = 0; at < size;) {
    CAIRN_TRY(const std::size_t got, file->read_at(at, reinterpret_cast<char*>(out.data()) + at,
                                                   std::min<std::uint64_t>(piece, size - at)));
    if (got == 0) return Error{.kind = ErrorKind::corrupt, .message = "packed weights end early"};
    at += got;
  }
  return out;
}

Result<os::MappedFile> PackedFiles::map_copy(
    const std::function<Status(const Append& append)>& fill) const {
  CAIRN_CHECK(files_.make_directories(folder_));
  CAIRN_TRY(const std::unique_ptr<os::File> file, files_.create_unnamed(folder_));
  std::uint64_t size = 0;
  CAIRN_CHECK(fill([&](std::string_view bytes) -> Status {
    CAIRN_CHECK(check_space(bytes.size()));
    size += bytes.size();
    return file->append(bytes);
  }));
  return os::MappedFile::of(*file, size);
}

Status PackedFiles::write(std::string_view model_id, std::string_view bytes) const {
  CAIRN_CHECK(files_.make_directories(folder_));
  CAIRN_CHECK(check_space(bytes.size()));
  const std::string path = path_of(model_id);
  const std::string beside = path + ".new";
  Status status = write_beside(beside, bytes);
  if (status.ok()) status = files_.rename(beside, path);
  if (!status.ok()) {
    (void)files_.remove(beside);  // half a file would only take room; a start removes it as well
    return status;
  }
  return files_.sync_directory(folder_);
}

Status PackedFiles::check_space(std::uint64_t bytes) const {
  CAIRN_TRY(const std::uint64_t free, files_.free_bytes(folder_));
  if (free >= reserve_bytes_ && free - reserve_bytes_ >= bytes) return ok_status();
  return Error{.kind = ErrorKind::storage_full,
               .message = "the disk has " + std::to_string(free) + " bytes left, " +
                          std::to_string(reserve_bytes_) + " of them in reserve, and " +
                          std::to_string(bytes) + " are needed"};
}

Status PackedFiles::write_beside(const std::string& path, std::string_view bytes) const {
  CAIRN_TRY(const std::unique_ptr<os::File> file, files_.open(path, os::OpenMode::truncate));
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    CAIRN_CHECK(file->append(bytes.substr(at, piece)));
  }
  return file->sync_all();
}

Status PackedFiles::remove(std::string_view model_id) const {
  const Status status = files_.remove(path_of(model_id));
  return !status.ok() && status.error().kind == ErrorKind::not_found ? ok_status() : status;
}

Status PackedFiles::keep_only(const std::vector<std::string>& model_ids) const {
  auto names = files_.list(folder_);
  if (!names.ok() && names.error().kind == ErrorKind::not_found) return ok_status();
  if (!names.ok()) return names.error();
  std::set<std::string> kept;
  for (const std::string& id : model_ids) kept.insert(path_of(id));
  for (const std::string& name : *names) {
    const std::string path = folder_ + "/" + name;
    if (!kept.contains(path)) CAIRN_CHECK(files_.remove(path));
  }
  return ok_status();
}

}  // namespace cairn::inference
