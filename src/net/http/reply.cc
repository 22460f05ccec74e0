// SPDX-License-Identifier: Apache-2.0
// Writing replies.
#include "net/http/reply.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/compress.h"
#include "base/strings.h"
#include "format/time.h"
#include "net/http/field_bytes.h"
#include "os/coarse_clock.h"
#include "os/threads/blocking.h"

namespace cairn::net {
namespace {

constexpr std::size_t gather_bytes = 16 << 10;  // more than this leaves at once
constexpr std::size_t file_step = 512 << 10;

// "Date: …\r\n", made once a second on each thread.
std::string_view date_line() {
  thread_local std::string line;
  thread_local std::int64_t second = -1;
  const std::int64_t now = os::coarse_unix_s();
  if (now != second) {
    second = now;
    line = "Date: " + format_http_date(now * 1000) + "\r\n";
  }
  return line;
}

// Writes a head where room was made for all of it.
class HeadText {
 public:
  HeadText(std::string& out, std::size_t room) : out_(out), began_(out.size()) {
    // Grows by doubling: many replies to a pipelining client share this buffer.
    out_.resize(began_ + room);
    to_ = out_.data() + began_;
  }
  ~HeadText() { out_.resize(static_cast<std::size_t>(to_ - out_.data())); }
  HeadText(const HeadText&) = delete;
  HeadText& operator=(const HeadText&) = delete;

  HeadText& operator<<(std::string_view text) {
    std::memcpy(to_, text.data(), text.size());
    to_ += text.size();
    return *this;
  }
  HeadText& operator<<(std::uint64_t number) {
    to_ = std::to_chars(to_, to_ + number_bytes_max, number).ptr;
    return *this;
  }

  static constexpr std::size_t number_bytes_max = 20;

 private:
  std::string& out_;
  const std::size_t began_;
  char* to_ = nullptr;
};

// What a head takes besides its fields: the first line, the fields that are the writer's own.
constexpr std::size_t head_bytes_max = 256;

std::size_t room_of(const Headers& headers) {
  std::size_t room = 0;
  for (const auto& [name, value] : headers.fields()) room += name.size() + value.size() + 4;
  return room;
}

void append_number(std::string& out, std::uint64_t value, int base = 10) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

// A line break inside a field would begin a field, or a reply, of the peer's own making.
Status check_fields(const Headers& headers) {
  for (const auto& [name, value] : headers.fields()) {
    if (breaks_a_head(name, value)) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "a header field has characters that no field may have"};
    }
  }
  return ok_status();
}

// True where reading these bytes of a file would wait for the disk.
bool is_cold(int file, std::uint64_t offset, std::size_t count) {
  char byte;
  const iovec part{&byte, 1};
  const auto last = static_cast<off_t>(offset + count - 1);
  return ::preadv2(file, &part, 1, last, RWF_NOWAIT) < 0 && errno == EAGAIN;
}

}  // namespace

// What was gathered still goes out, and then the connection ends.
Status Reply::spoil(ErrorKind kind, std::string_view what) {
  spoiled_ = true;
  return Error{.kind = kind, .message = std::string(what)};
}

Status Reply::check_open() const {
  if (!begun()) return Error{.kind = ErrorKind::internal, .message = "a reply was not begun"};
  if (ended_) return Error{.kind = ErrorKind::internal, .message = "a reply has ended already"};
  if (spoiled_) return Error{.kind = ErrorKind::internal, .message = "a reply cannot go on"};
  return failed_ ? Status(peer_gone("sending")) : ok_status();
}

Status Reply::send(std::string_view last, bool more) {
  if (failed_) return peer_gone("sending");
  if (facts_.answering != nullptr) facts_.answering->store(true, std::memory_order_relaxed);
  sending_ = true;  // a wait in here must not push what is on its way already
  auto status = send_all(transport_, patience_, out_, last, more);
  sending_ = false;
  out_.clear();
  if (!status.ok()) failed_ = true;
  return status;
}

Status Reply::gather(std::string_view bytes) {
  if (out_.size() + bytes.size() > gather_bytes) return send(bytes);
  out_ += bytes;
  return ok_status();
}

void Reply::push() {
  if (out_.empty() || failed_ || sending_) return;
  const Io io = transport_.write(out_);
  if (io.state == IoState::done) {
    patience_.moved(io.count);
    out_.erase(0, io.count);
  }
}

Status Reply::send_continue() {
  if (!facts_.expect_continue || begun()) return ok_status();
  facts_.expect_continue = false;
  out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  return send({});
}

void Reply::decide_keep_alive() {
  if (body_ == nullptr || body_->at_end()) return;
  // The peer may or may not send a body that it was not told to send.
  const bool much = body_->length() && body_->left() > facts_.unread_bytes_max;
  if (facts_.expect_continue || body_->is_broken() || much) facts_.keep_alive = false;
}

Status Reply::head(int status, const Headers& headers, std::optional<std::uint64_t> length,
                   bool chunked) {
  if (begun()) {
    return Error{.kind = ErrorKind::internal, .message = "a reply was begun twice"};
  }
  CAIRN_CHECK(check_fields(headers));
  status_ = status;
  if (facts_.answering != nullptr) facts_.answering->store(true, std::memory_order_relaxed);
  decide_keep_alive();
  HeadText text(out_, head_bytes_max + room_of(headers) + standing.text().size());
  text << (facts_.version_minor == 1 ? "HTTP/1.1 " : "HTTP/1.0 ");
  text << static_cast<std::uint64_t>(status) << " " << reason_phrase(status) << "\r\n";
  bool dated = false;
  for (const auto& [name, value] : headers.fields()) {
    switch (name.size()) {
      case 4:
        dated = dated || equals_ignore_case(name, "Date");
        break;
      case 10:
        if (!equals_ignore_case(name, "Connection")) break;
        if (equals_ignore_case(value, "close")) facts_.keep_alive = false;
        continue;
      case 14:
        if (!equals_ignore_case(name, "Content-Length")) break;
        // The length that a GET would have had.
        if (facts_.is_head && length == 0) length = parse_number<std::uint64_t>(value);
        continue;
      case 17:
        if (equals_ignore_case(name, "Transfer-Encoding")) continue;
        break;
      default:
        break;
    }
    text << name << ": " << value << "\r\n";
  }
  text << standing.text();
  if (!dated) text << date_line();
  if (chunked) text << "Transfer-Encoding: chunked\r\n";
  if (length && status != 204 && status != 304) text << "Content-Length: " << *length << "\r\n";
  if (!facts_.keep_alive) {
    text << "Connection: close\r\n";
  } else if (facts_.version_minor == 0) {
    text << "Connection: keep-alive\r\n";
  }
  text << "\r\n";
  return ok_status();
}

bool Reply::wants_gzip(const Headers& headers) const {
  if (facts_.gzip_bytes_min == 0 || facts_.accept_encoding.empty()) return false;
  if (!accepts_gzip(facts_.accept_encoding)) return false;
  const auto type = headers.find("Content-Type");
  // A strong validator names these very bytes; a range counts them.
  return type && is_compressible(*type) && !headers.has("Content-Encoding") &&
         !headers.has("ETag") && !headers.has("Content-Range");
}

Status Reply::begin(int status, const Headers& headers, std::optional<std::uint64_t> length) {
  if (status < 200 || status > 999) {
    return Error{.kind = ErrorKind::internal, .message = "a reply's status is from 200 to 999"};
  }
  gzip_.reset();
  bodiless_ = facts_.is_head || status == 204 || status == 304;
  chunked_ = !length && !bodiless_ && facts_.version_minor == 1;
  to_close_ = !length && !bodiless_ && !chunked_;
  if (to_close_) facts_.keep_alive = false;
  left_ = bodiless_ ? 0 : length.value_or(0);
  if (!length && !bodiless_ && wants_gzip(headers)) {
    gzip_ = std::make_unique<GzipStream>();
    Headers with = headers;
    with.set("Content-Encoding", "gzip");
    with.add("Vary", "Accept-Encoding");
    return head(status, with, length, chunked_);
  }
  return head(status, headers, length, chunked_);
}

Status Reply::reply(int status, const Headers& headers, std::string_view body) {
  const bool no_body = facts_.is_head || status == 204 || status == 304;
  if (!no_body && facts_.gzip_bytes_min > 0 && body.size() >= facts_.gzip_bytes_min &&
      wants_gzip(headers)) {
    Headers with = headers;
    with.set("Content-Encoding", "gzip");
    with.add("Vary", "Accept-Encoding");
    const std::string small = gzip(body, 1);
    CAIRN_CHECK(begin(status, with, small.size()));
    CAIRN_CHECK(write(small));
  } else {
    CAIRN_CHECK(begin(status, headers, body.size()));
    CAIRN_CHECK(write(body));
  }
  return end();
}

Status Reply::write(std::string_view bytes) {
  CAIRN_CHECK(check_open());
  if (bytes.empty() || bodiless_) return ok_status();
  if (gzip_ == nullptr) return put(bytes);
  squeezed_.clear();
  gzip_->write(bytes, squeezed_);
  return put(squeezed_);
}

Status Reply::put(std::string_view bytes) {
  if (bytes.empty()) return ok_status();
  if (chunked_) return put_chunk(bytes, false);
  if (!to_close_) {
    if (bytes.size() > left_) {
      return spoil(ErrorKind::internal, "a reply is longer than it said");
    }
    left_ -= bytes.size();
  }
  return gather(bytes);
}

// Small pieces wait for each other, so that a body written bit by bit is not all framing.
Status Reply::put_chunk(std::string_view bytes, bool now) {
  const std::size_t size = chunk_.size() + bytes.size();
  if (size == 0) return ok_status();
  if (!now && size < gather_bytes) {
    chunk_ += bytes;
    return ok_status();
  }
  append_number(out_, size, 16);
  out_ += "\r\n";
  out_ += chunk_;
  chunk_.clear();
  CAIRN_CHECK(gather(bytes));
  out_ += "\r\n";
  return ok_status();
}

Status Reply::flush() {
  if (gzip_ != nullptr && begun() && !ended_) {
    squeezed_.clear();
    gzip_->flush(squeezed_);
    CAIRN_CHECK(put(squeezed_));
  }
  if (chunked_ && !ended_) CAIRN_CHECK(put_chunk({}, true));
  if (out_.empty()) return failed_ ? Status(peer_gone("sending")) : ok_status();
  CAIRN_CHECK(send({}));
  // Nobody knows when more of it comes, so sending cannot find out that the peer has gone.
  const bool is_open = (chunked_ || to_close_) && !ended_;
  if (is_open && facts_.answering != nullptr)
    facts_.answering->store(false, std::memory_order_relaxed);
  return ok_status();
}

Status Reply::end(const Headers& trailers) {
  CAIRN_CHECK(check_open());
  if (gzip_ != nullptr) {
    squeezed_.clear();
    gzip_->end(squeezed_);
    CAIRN_CHECK(put(squeezed_));
  }
  if (chunked_) {
    CAIRN_CHECK(check_fields(trailers));
    CAIRN_CHECK(put_chunk({}, true));
    out_ += "0\r\n";
    for (const auto& [name, value] : trailers.fields()) append_field(out_, name, value);
    out_ += "\r\n";
  }
  if (left_ > 0) {
    return spoil(ErrorKind::internal, "a reply is shorter than it said");
  }
  ended_ = true;
  return ok_status();
}

std::shared_ptr<ParkedStream> Reply::park() {
  const bool is_open = (chunked_ || to_close_) && !ended_ && !failed_ && !spoiled_;
  if (!begun() || !is_open || gzip_ != nullptr || facts_.parking == nullptr) return nullptr;
  return std::exchange(facts_.parking, nullptr)->park(chunked_);
}

std::shared_ptr<ParkedStream> park(ReplyWriter& reply) {
  auto* const parkable = dynamic_cast<ParkableReply*>(&reply);
  return parkable == nullptr ? nullptr : parkable->park();
}

bool Reply::complete() const {
  if (!begun() || failed_ || spoiled_) return false;
  return ended_ || (!chunked_ && !to_close_ && left_ == 0 && gzip_ == nullptr);
}

Status Reply::write_file(int descriptor, std::uint64_t offset, std::uint64_t count) {
  CAIRN_CHECK(check_open());
  if (count == 0 || bodiless_) return ok_status();
  if (transport_.is_tls() || gzip_ != nullptr) return copy_file(descriptor, offset, count);
  if (chunked_) {
    CAIRN_CHECK(put_chunk({}, true));
    append_number(out_, count, 16);
    out_ += "\r\n";
  } else if (!to_close_) {
    if (count > left_) {
      return spoil(ErrorKind::internal, "a reply is longer than it said");
    }
    left_ -= count;
  }
  CAIRN_CHECK(send_file(descriptor, offset, count));
  if (chunked_) out_ += "\r\n";
  return ok_status();
}

Status Reply::send_file(int descriptor, std::uint64_t offset, std::uint64_t count) {
  CAIRN_CHECK(send({}, true));
  while (count > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(count, file_step));
    Io io;
    if (is_cold(descriptor, offset, step)) {
      const os::Blocking blocking;
      io = transport_.send_file(descriptor, offset, step);
    } else {
      io = transport_.send_file(descriptor, offset, step);
    }
    switch (io.state) {
      case IoState::done:
        patience_.moved(io.count);
        offset += io.count;
        count -= io.count;
        break;
      case IoState::want_read:
      case IoState::want_write:
        if (auto status = patience_.wait(transport_.descriptor(), io.state, "sending a file");
            !status.ok()) {
          failed_ = true;
          return status;
        }
        break;
      case IoState::end:
        return spoil(ErrorKind::corrupt, "a file is shorter than it was");
      case IoState::failed:
        failed_ = true;
        return peer_gone("sending a file");
    }
  }
  return ok_status();
}

Status Reply::copy_file(int descriptor, std::uint64_t offset, std::uint64_t count) {
  constexpr std::size_t step_max = 128 << 10;
  const auto buffer = std::make_unique_for_overwrite<char[]>(step_max);
  while (count > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(count, step_max));
    ssize_t got = 0;
    {
      std::optional<os::Blocking> blocking;
      if (is_cold(descriptor, offset, step)) blocking.emplace();
      got = ::pread(descriptor, buffer.get(), step, static_cast<off_t>(offset));
    }
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return spoil(ErrorKind::corrupt, "a file is shorter than it was");
    }
    const auto bytes = static_cast<std::size_t>(got);
    CAIRN_CHECK(write(std::string_view(buffer.get(), bytes)));
    offset += bytes;
    count -= bytes;
  }
  return ok_status();
}

}  // namespace cairn::net
