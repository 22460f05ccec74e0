// SPDX-License-Identifier: Apache-2.0
#include "connectors/extract/zip.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace cairn::connectors {
namespace {

constexpr std::size_t members_max = 20'000;

/// A file of minizip's that is memory.
struct MemoryFile {
  std::string_view bytes;
  std::size_t at = 0;
};

MemoryFile& file_of(voidpf stream) { return *static_cast<MemoryFile*>(stream); }

voidpf ZCALLBACK open_memory(voidpf opaque, const void*, int) { return opaque; }

uLong ZCALLBACK read_memory(voidpf, voidpf stream, void* to, uLong size) {
  MemoryFile& file = file_of(stream);
  const std::size_t count = std::min<std::size_t>(size, file.bytes.size() - file.at);
  if (count > 0) std::memcpy(to, file.bytes.data() + file.at, count);
  file.at += count;
  return count;
}

ZPOS64_T ZCALLBACK tell_memory(voidpf, voidpf stream) { return file_of(stream).at; }

long ZCALLBACK seek_memory(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  MemoryFile& file = file_of(stream);
  const std::size_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                           : origin == ZLIB_FILEFUNC_SEEK_CUR ? file.at
                                                              : file.bytes.size();
  if (offset > file.bytes.size() - base) return -1;
  file.at = base + offset;
  return 0;
}

int ZCALLBACK close_memory(voidpf, voidpf) { return 0; }
int ZCALLBACK no_fault_of_memory(voidpf, voidpf) { return 0; }
uLong ZCALLBACK write_nothing(voidpf, voidpf, const void*, uLong) { return 0; }

Error damaged(std::string_view what) {
  return {.kind = ErrorKind::invalid_argument,
          .message = "the ZIP file is damaged: " + std::string(what)};
}

}  // namespace

struct ZipFile::Impl {
  MemoryFile memory;
  zlib_filefunc64_def calls{};
  unzFile file = nullptr;
  std::map<std::string, unz64_file_pos, std::less<>> members;
  std::size_t unpacked_left = 0;

  ~Impl() {
    if (file != nullptr) unzClose(file);
  }

  Status read_directory() {
    for (int step = unzGoToFirstFile(file); step != UNZ_END_OF_LIST_OF_FILE;
         step = unzGoToNextFile(file)) {
      unz_file_info64 info{};
      char name[1024];
      unz64_file_pos position{};
      if (step != UNZ_OK ||
          unzGetCurrentFileInfo64(file, &info, name, sizeof name - 1, nullptr, 0, nullptr, 0) !=
              UNZ_OK ||
          unzGetFilePos64(file, &position) != UNZ_OK)
        return damaged("its directory cannot be read");
      if (info.size_filename >= sizeof name - 1) continue;
      name[info.size_filename] = '\0';
      members.emplace(name, position);
      if (members.size() > members_max)
        return Error{.kind = ErrorKind::too_large,
                     .message = "the ZIP file has more than 20000 members"};
    }
    return ok_status();
  }

  Result<std::string> read_open(std::string_view name) {
    std::string out;
    for (;;) {
      constexpr std::size_t step = 256u << 10;
      const std::size_t before = out.size();
      out.resize(before + step);
      const int count = unzReadCurrentFile(file, out.data() + before, step);
      if (count < 0) return damaged(std::string(name) + " cannot be unpacked");
      out.resize(before + static_cast<std::size_t>(count));
      if (static_cast<std::size_t>(count) > unpacked_left)
        return Error{.kind = ErrorKind::too_large,
                     .message = "the ZIP file unpacks to more than is allowed"};
      unpacked_left -= static_cast<std::size_t>(count);
      if (count == 0) return out;
    }
  }
};

ZipFile::ZipFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ZipFile::ZipFile(ZipFile&&) noexcept = default;
ZipFile& ZipFile::operator=(ZipFile&&) noexcept = default;
ZipFile::~ZipFile() = default;

Result<ZipFile> ZipFile::open(std::string_view bytes, std::size_t unpacked_bytes_max) {
  auto impl = std::make_unique<Impl>();
  impl->memory.bytes = bytes;
  impl->unpacked_left = unpacked_bytes_max;
  impl->calls = {.zopen64_file = open_memory,
                 .zread_file = read_memory,
                 .zwrite_file = write_nothing,
                 .ztell64_file = tell_memory,
                 .zseek64_file = seek_memory,
                 .zclose_file = close_memory,
                 .zerror_file = no_fault_of_memory,
                 .opaque = &impl->memory};
  impl->file = unzOpen2_64("", &impl->calls);
  if (impl->file == nullptr) return damaged("it has no directory, or is cut off");
  CAIRN_CHECK(impl->read_directory());
  return ZipFile(std::move(impl));
}

std::vector<std::string> ZipFile::names() const {
  std::vector<std::string> out;
  for (const auto& [name, position] : impl_->members) out.push_back(name);
  return out;
}

bool ZipFile::has(std::string_view name) const {
  return impl_->members.find(name) != impl_->members.end();
}

Result<std::string> ZipFile::read(std::string_view name) {
  const auto found = impl_->members.find(name);
  if (found == impl_->members.end())
    return Error{.kind = ErrorKind::not_found,
                 .message = "the ZIP file has no " + std::string(name)};
  unz_file_info64 info{};
  if (unzGoToFilePos64(impl_->file, &found->second) != UNZ_OK ||
      unzGetCurrentFileInfo64(impl_->file, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    return damaged(std::string(name) + " is not where the directory says");
  if ((info.flag & 1) != 0)
    return Error{.kind = ErrorKind::unsupported, .message = "it is encrypted with a password"};
  if (unzOpenCurrentFile(impl_->file) != UNZ_OK)
    return damaged(std::string(name) + " is not where the directory says");
  auto out = impl_->read_open(name);
  const int sum = unzCloseCurrentFile(impl_->file);
  if (out.ok() && sum == UNZ_CRCERROR) return damaged(std::string(name) + " has a wrong checksum");
  return out;
}

}  // namespace cairn::connectors
