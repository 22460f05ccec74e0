// SPDX-License-Identifier: Apache-2.0
// Bodies in memory and in files; targets that are files.
#include "objectclient/body.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "objectclient/call/sink.h"
#include "objectclient/faults.h"
#include "os/random.h"
#include "os/threads/blocking.h"

namespace cairn::objectclient {
namespace {

class ViewReader final : public net::BodyReader {
 public:
  explicit ViewReader(std::string_view bytes) : bytes_(bytes), length_(bytes.size()) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size());
    if (count > 0) std::memcpy(into.data(), bytes_.data(), count);
    bytes_.remove_prefix(count);
    return count;
  }
  std::optional<std::uint64_t> length() const override { return length_; }
  const net::Headers& trailers() const override { return none_; }

 private:
  std::string_view bytes_;
  const std::uint64_t length_;
  const net::Headers none_;
};

class FileReader final : public net::BodyReader {
 public:
  FileReader(int descriptor, std::string path, std::uint64_t offset, std::uint64_t length)
      : descriptor_(descriptor),
        path_(std::move(path)),
        offset_(offset),
        length_(length),
        left_(length) {}
  ~FileReader() override { ::close(descriptor_); }
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_));
    if (want == 0) return std::size_t{0};
    for (;;) {
      const os::Blocking blocking;
      const ssize_t count =
          ::pread(descriptor_, into.data(), want, static_cast<off_t>(offset_ + (length_ - left_)));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return file_error(path_, errno);
      if (count == 0)
        return Error{ErrorKind::invalid_argument, {}, path_ + " is shorter than it was"};
      left_ -= static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
  }
  std::optional<std::uint64_t> length() const override { return length_; }
  const net::Headers& trailers() const override { return none_; }
  std::optional<net::FileSection> file_section() const override {
    return net::FileSection{descriptor_, offset_ + (length_ - left_), left_};
  }

 private:
  const int descriptor_;
  const std::string path_;
  const std::uint64_t offset_;
  const std::uint64_t length_;
  std::uint64_t left_;
  const net::Headers none_;
};

/// Passes the reader of somebody else on.
class Passed final : public net::BodyReader {
 public:
  explicit Passed(net::BodyReader& inner) : inner_(inner) {}
  Result<std::size_t> read(std::span<char> into) override { return inner_.read(into); }
  std::optional<std::uint64_t> length() const override { return inner_.length(); }
  const net::Headers& trailers() const override { return inner_.trailers(); }

 private:
  net::BodyReader& inner_;
};

/// A part of what another reader gives.
class SliceReader final : public net::BodyReader {
 public:
  SliceReader(std::unique_ptr<net::BodyReader> whole, std::uint64_t skip, std::uint64_t length)
      : whole_(std::move(whole)), skip_(skip), length_(length), left_(length) {}
  Result<std::size_t> read(std::span<char> into) override {
    while (skip_ > 0) {
      char thrown_away[4096];
      CAIRN_TRY(const std::size_t count,
                whole_->read({thrown_away, static_cast<std::size_t>(std::min<std::uint64_t>(
                                               skip_, sizeof thrown_away))}));
      if (count == 0) return std::size_t{0};
      skip_ -= count;
    }
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left_));
    if (want == 0) return std::size_t{0};
    CAIRN_TRY(const std::size_t count, whole_->read(into.subspan(0, want)));
    left_ -= count;
    return count;
  }
  std::optional<std::uint64_t> length() const override { return length_; }
  const net::Headers& trailers() const override { return none_; }

 private:
  const std::unique_ptr<net::BodyReader> whole_;
  std::uint64_t skip_;
  const std::uint64_t length_;
  std::uint64_t left_;
  const net::Headers none_;
};

}  // namespace

struct Body::Once {
  net::BodyReader& reader;
  std::atomic<bool> opened = false;
};

Body Body::file(std::string path, std::uint64_t offset, std::optional<std::uint64_t> length) {
  Body out;
  out.path_ = std::move(path);
  out.offset_ = offset;
  out.length_ = length;
  struct stat known {};
  if (!length && ::stat(out.path_.c_str(), &known) == 0) {
    const auto size = static_cast<std::uint64_t>(known.st_size);
    out.length_ = size - std::min(size, offset);
  }
  return out;
}

Body Body::reader(net::BodyReader& reader) {
  Body out;
  out.once_ = std::make_shared<Once>(reader);
  out.length_ = reader.length();
  return out;
}

Body Body::source(OpenBody open, std::uint64_t length) {
  Body out;
  out.open_ = std::move(open);
  out.length_ = length;
  return out;
}

Body Body::slice(std::uint64_t offset, std::uint64_t length) const {
  if (!path_.empty()) return file(path_, offset_ + offset, length);
  if (const auto bytes = in_memory())
    return Body(bytes->substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)));
  // A source that opens at its first byte is read up to there.
  return source(
      [open = open_, offset, length]() -> Result<std::unique_ptr<net::BodyReader>> {
        CAIRN_TRY(auto whole, open());
        return std::unique_ptr<net::BodyReader>(
            std::make_unique<SliceReader>(std::move(whole), offset, length));
      },
      length);
}

std::optional<std::uint64_t> Body::length() const {
  return in_memory() ? std::optional<std::uint64_t>(bytes_.size()) : length_;
}

std::optional<std::string_view> Body::in_memory() const {
  if (!path_.empty() || open_ || once_ != nullptr) return std::nullopt;
  return bytes_;
}

Result<std::unique_ptr<net::BodyReader>> Body::open() const {
  using Opened = std::unique_ptr<net::BodyReader>;
  if (once_ != nullptr) {
    if (once_->opened.exchange(true))
      return Error{ErrorKind::invalid_argument,
                   {},
                   "the body can be read once only, and was; give one that can be opened again"};
    return Opened(std::make_unique<Passed>(once_->reader));
  }
  if (open_) return open_();
  if (path_.empty()) return Opened(std::make_unique<ViewReader>(bytes_));
  const os::Blocking blocking;
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return file_error(path_, errno);
  return Opened(std::make_unique<FileReader>(descriptor, path_, offset_, length_.value_or(0)));
}

Target Target::memory(std::uint64_t bytes_max) {
  Target target;
  target.memory_max_ = bytes_max;
  return target;
}

Target Target::file(std::string path) {
  Target out;
  out.path_ = std::move(path);
  return out;
}

Target Target::function(TakeBytes take) {
  Target out;
  out.take_ = std::move(take);
  return out;
}

bool takes_bytes_as_they_come(const std::string& path) {
  struct stat there {};
  return ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
}

Sink::~Sink() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!as_they_come_) ::unlink(part_.c_str());
}

Status Sink::open_file() {
  as_they_come_ = takes_bytes_as_they_come(target_.path_);
  if (as_they_come_) {
    part_ = target_.path_;
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor_ < 0 ? Status(file_error(part_, errno)) : ok_status();
  }
  // Beside the file, so that the last step is a rename.
  part_ = target_.path_ + "." + std::to_string(os::system_random().number()) + ".part";
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) return file_error(part_, errno);
  return ok_status();
}

Status Sink::write(std::string_view bytes) {
  if (bytes.empty()) return ok_status();
  taken_ += bytes.size();
  if (target_.take_) return target_.take_(bytes);
  if (target_.path_.empty()) {
    if (taken_ > target_.memory_max_)
      return Error{ErrorKind::too_large, "BodyTooLarge",
                   "the object has more than the " + std::to_string(target_.memory_max_) +
                       " bytes that are read into memory"};
    body_ += bytes;
    return ok_status();
  }
  const os::Blocking blocking;
  if (descriptor_ < 0) CAIRN_CHECK(open_file());
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(part_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok_status();
}

bool Sink::restartable() const { return !target_.take_ && (!as_they_come_ || taken_ == 0); }

bool Sink::restart() {
  if (!restartable()) return false;
  taken_ = 0;
  body_.clear();
  if (descriptor_ < 0 || as_they_come_) return true;  // nothing of this attempt is in it
  return ::lseek(descriptor_, 0, SEEK_SET) == 0 && ::ftruncate(descriptor_, 0) == 0;
}

Status Sink::finish() {
  if (target_.path_.empty()) return ok_status();
  const os::Blocking blocking;
  if (descriptor_ < 0) CAIRN_CHECK(open_file());
  const bool closed = ::close(std::exchange(descriptor_, -1)) == 0;
  if (closed && as_they_come_) return ok_status();
  if (closed && ::rename(part_.c_str(), target_.path_.c_str()) == 0) return ok_status();
  const int number = errno;
  if (!as_they_come_) ::unlink(part_.c_str());
  return file_error(target_.path_, number);
}

}  // namespace cairn::objectclient
