// SPDX-License-Identifier: Apache-2.0
#include "cli/bulk/line_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::cli {
namespace {

constexpr std::size_t input_piece_bytes = 1 << 20;
constexpr std::size_t marked_bytes = 4096;
constexpr std::size_t shown_bytes = 1024;  // of a line that is too long

Error input_error(const std::string& what) {
  const ErrorKind kind = errno == ENOENT   ? ErrorKind::not_found
                         : errno == EACCES ? ErrorKind::permission_denied
                                           : ErrorKind::internal;
  return {.kind = kind, .message = what + ": " + std::strerror(errno)};
}

}  // namespace

LineSource::LineSource(LineSource&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      buffer_(std::move(other.buffer_)),
      at_(other.at_),
      offset_(other.offset_),
      number_(other.number_),
      last_(std::move(other.last_)) {}

LineSource::~LineSource() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

Result<LineSource> LineSource::open(const std::string& path) {
  const int descriptor = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return input_error(path);
  LineSource out(descriptor);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return input_error(path);
  if (S_ISDIR(info.st_mode))
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = path + " is a folder; `cairn add` brings one in"};
  // Standard input may stand in the middle of a file.
  if (S_ISREG(info.st_mode) && path != "-") out.size_ = static_cast<std::uint64_t>(info.st_size);
  return out;
}

/// False at the end of the input.
Result<bool> LineSource::fill() {
  buffer_.erase(0, std::exchange(at_, 0));
  const std::size_t before = buffer_.size();
  buffer_.resize(before + input_piece_bytes);
  ssize_t got = 0;
  do got = ::read(descriptor_, buffer_.data() + before, input_piece_bytes);
  while (got < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) return input_error("the input cannot be read");
  return got > 0;
}

void LineSource::gave(std::string_view bytes) {
  offset_ += bytes.size();
  if (bytes.size() >= marked_bytes) {
    last_ = bytes.substr(bytes.size() - marked_bytes);
  } else {
    last_.append(bytes);
    if (last_.size() > marked_bytes) last_.erase(0, last_.size() - marked_bytes);
  }
}

std::string LineSource::mark_of(const std::string& tail) {
  return to_hex(sha256(tail)).substr(0, 32);
}

Status LineSource::skip(std::uint64_t bytes, std::uint64_t lines, const std::string& expected) {
  std::uint64_t left = bytes;
  if (size_ && bytes > marked_bytes) {
    if (::lseek(descriptor_, static_cast<off_t>(bytes - marked_bytes), SEEK_SET) < 0)
      return input_error("the input cannot be read from its middle");
    offset_ = bytes - marked_bytes;
    left = marked_bytes;
  }
  while (left > 0) {
    if (at_ == buffer_.size()) {
      CAIRN_TRY(const bool more, fill());
      if (!more)
        return Error{.kind = ErrorKind::corrupt,
                     .message = "the input is shorter than what was loaded of it"};
    }
    const std::size_t some =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer_.size() - at_));
    gave(std::string_view(buffer_).substr(at_, some));
    at_ += some;
    left -= some;
  }
  number_ = lines;
  if (!expected.empty() && mark_of(last_) != expected)
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the input is another one than that which was loaded before"};
  return ok_status();
}

Result<std::optional<InputLine>> LineSource::next() {
  InputLine line;
  std::size_t searched = at_;
  bool ended = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    const std::size_t until = end == std::string::npos ? buffer_.size() : end;
    if (until - at_ > input_line_bytes_max) {  // what is kept of it does not grow
      line.too_long = true;
      if (line.text.empty()) line.text = buffer_.substr(at_, shown_bytes);
      gave(std::string_view(buffer_).substr(at_, until - at_));
      at_ = until;
    }
    if (end != std::string::npos) break;
    const std::size_t known = buffer_.size() - at_;
    CAIRN_TRY(const bool more, fill());
    searched = at_ + known;
    if (!more) {
      ended = true;
      break;
    }
  }
  const std::size_t end = ended ? buffer_.size() : buffer_.find('\n', searched);
  if (ended && end == at_ && !line.too_long) return std::optional<InputLine>();
  if (!line.too_long) line.text = buffer_.substr(at_, end - at_);
  const std::size_t behind = ended ? end : end + 1;
  gave(std::string_view(buffer_).substr(at_, behind - at_));
  at_ = behind;
  if (line.text.ends_with('\r')) line.text.pop_back();
  line.number = ++number_;
  line.end = offset_;
  return std::optional(std::move(line));
}

}  // namespace cairn::cli
