// SPDX-License-Identifier: Apache-2.0
// zlib's deflate, piece by piece, and the questions of whether to use it.
#include "net/http/gzip_stream.h"

#include <zlib.h>

#include "base/assert.h"
#include "base/strings.h"

namespace cairn::net {

// Level 1: replies are made for one reader each, so time counts more than the last few percent.
struct GzipStream::Impl {
  z_stream stream{};
  Impl() {
    CAIRN_ASSERT(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~Impl() { deflateEnd(&stream); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

GzipStream::GzipStream() : impl_(std::make_unique<Impl>()) {}
GzipStream::~GzipStream() = default;

void GzipStream::run(std::string_view bytes, int mode, std::string& out) {
  z_stream& stream = impl_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  std::size_t left = bytes.size();
  for (;;) {
    constexpr std::size_t step = 16 << 10;
    const auto given = static_cast<uInt>(left < (1u << 30) ? left : 1u << 30);
    stream.avail_in = given;
    const std::size_t before = out.size();
    out.resize(before + step);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = step;
    const int answer = deflate(&stream, mode);
    CAIRN_ASSERT(answer != Z_STREAM_ERROR);
    out.resize(before + step - stream.avail_out);
    left -= given - stream.avail_in;
    if (answer == Z_STREAM_END || (left == 0 && stream.avail_out > 0)) return;
  }
}

void GzipStream::write(std::string_view bytes, std::string& out) { run(bytes, Z_NO_FLUSH, out); }
void GzipStream::flush(std::string& out) { run({}, Z_SYNC_FLUSH, out); }
void GzipStream::end(std::string& out) { run({}, Z_FINISH, out); }

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  for (const std::string_view piece : split(accept_encoding, ',')) {
    const std::size_t semicolon = piece.find(';');
    const std::string_view coding = trim(piece.substr(0, semicolon));
    bool wanted = true;
    if (semicolon != std::string_view::npos) {
      const std::string_view weight = trim(piece.substr(semicolon + 1));
      wanted = weight.find_first_of("123456789") != std::string_view::npos;
    }
    if (equals_ignore_case(coding, "gzip") || equals_ignore_case(coding, "x-gzip")) return wanted;
    if (coding == "*") any = wanted;
  }
  return any;
}

bool is_compressible(std::string_view content_type) {
  const std::string type = lower_ascii(trim(content_type.substr(0, content_type.find(';'))));
  if (type == "text/event-stream") return false;
  return type.starts_with("text/") || type.ends_with("json") || type.ends_with("xml") ||
         type.ends_with("+json") || type.ends_with("javascript") || type.ends_with("yaml") ||
         type == "image/svg+xml" || type == "application/wasm";
}

}  // namespace cairn::net
