// SPDX-License-Identifier: Apache-2.0
// Bodies in the streams of the standard library. All of it stands here, so that the library itself
// needs no streams.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>

#include "objectclient/body.h"

namespace cairn::objectclient {

/// Reads a stream from where it stands to its end, or `length` bytes of it. The stream outlives it,
/// must not throw, and is for one thread. Without a length it is for `upload_stream`:
///
///   IstreamReader reader(std::cin);
///   upload_stream(client, {.bucket = "b", .key = "k"}, reader).or_throw();
class IstreamReader final : public net::BodyReader {
 public:
  explicit IstreamReader(std::istream& in, std::optional<std::uint64_t> length = {})
      : in_(in), length_(length), left_(length.value_or(UINT64_MAX)) {}

  /// Errors: unavailable: the stream is bad; invalid_argument: it ends before its length.
  Result<std::size_t> read(std::span<char> into) override {
    const std::uint64_t want = into.size() < left_ ? into.size() : left_;
    if (want == 0) return std::size_t{0};
    in_.read(into.data(), static_cast<std::streamsize>(want));
    const auto count = static_cast<std::size_t>(in_.gcount());
    if (in_.bad())
      return Error{ErrorKind::unavailable, {}, "the stream of the body cannot be read"};
    if (count == 0 && length_)
      return Error{
          ErrorKind::invalid_argument, {}, "the stream of the body is shorter than it was"};
    left_ -= count;
    return count;
  }
  std::optional<std::uint64_t> length() const override { return length_; }
  const net::Headers& trailers() const override { return none_; }

 private:
  std::istream& in_;
  const std::optional<std::uint64_t> length_;
  std::uint64_t left_;
  const net::Headers none_;
};

/// A body from where the stream stands now to its end. Each attempt of a call goes back to there,
/// so that a failed one is made again. The stream outlives the call, must not throw, and is in no
/// other call meanwhile. Errors: invalid_argument: a stream that cannot go back; see IstreamReader.
inline Result<Body> istream_body(std::istream& in) {
  const std::istream::pos_type begin = in.tellg();
  in.seekg(0, std::ios::end);
  const std::istream::pos_type end = in.tellg();
  if (!in || begin == std::istream::pos_type(-1) || end < begin)
    return Error{ErrorKind::invalid_argument,
                 {},
                 "the stream cannot go back to where it stands; give an IstreamReader to "
                 "upload_stream"};
  const auto length = static_cast<std::uint64_t>(end - begin);
  const OpenBody open = [&in, begin, length]() -> Result<std::unique_ptr<net::BodyReader>> {
    in.clear();
    in.seekg(begin);
    if (!in) return Error{ErrorKind::unavailable, {}, "the stream of the body cannot go back"};
    return std::unique_ptr<net::BodyReader>(std::make_unique<IstreamReader>(in, length));
  };
  return Body::source(open, length);
}

/// Writes the bytes of a reply into a stream, which outlives the call and must not throw. As with
/// any Target::function, what it has taken it keeps.
inline Target ostream_target(std::ostream& out) {
  return Target::function([&out](std::string_view bytes) -> Status {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (out) return ok_status();
    return Error{ErrorKind::unavailable, {}, "the stream takes no more bytes"};
  });
}

}  // namespace cairn::objectclient
