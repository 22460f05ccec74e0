// SPDX-License-Identifier: Apache-2.0
// gzip through zlib, zstd through libzstd.
#include "base/compress.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>

#include "base/assert.h"

namespace cairn {
namespace {

constexpr std::size_t chunk_bytes = 64 << 10;

Error corrupt(std::string message) {
  return {.kind = ErrorKind::corrupt, .message = std::move(message)};
}

Error over_limit(std::string_view what, std::size_t limit_bytes) {
  return {.kind = ErrorKind::too_large,
          .message = std::string(what) + " data unpack to more than the allowed " +
                     std::to_string(limit_bytes) + " bytes"};
}

uInt piece(std::size_t size) { return static_cast<uInt>(std::min<std::size_t>(size, UINT_MAX)); }

Bytef* as_input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib only reads it
}

struct CompressorDeleter {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};
struct DecompressorDeleter {
  void operator()(ZSTD_DCtx* d) const { ZSTD_freeDCtx(d); }
};

}  // namespace

std::string gzip(std::string_view bytes, int level) {
  z_stream stream{};
  CAIRN_ASSERT(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out;
  out.resize(deflateBound(&stream, bytes.size()));
  std::size_t written = 0;
  for (int answer = Z_OK; answer != Z_STREAM_END;) {
    stream.next_in = as_input(bytes);
    stream.avail_in = piece(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = piece(out.size() - written);
    const uInt room = stream.avail_out;
    const uInt given = stream.avail_in;
    answer = deflate(&stream, given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    CAIRN_ASSERT(answer == Z_OK || answer == Z_STREAM_END);
    written += room - stream.avail_out;
    bytes.remove_prefix(given - stream.avail_in);
  }
  deflateEnd(&stream);
  out.resize(written);
  return out;
}

struct Inflater::Impl {
  z_stream stream{};
  bool started = false;  // some byte of the current member was seen
  bool at_end = false;   // the last member ended and no byte of another one was seen
  Impl() { CAIRN_ASSERT(inflateInit2(&stream, 15 + 32) == Z_OK); }  // +32: gzip or zlib by header
  ~Impl() { inflateEnd(&stream); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
};

Inflater::Inflater() : impl_(std::make_unique<Impl>()) {}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

bool Inflater::finished() const { return impl_->at_end; }

Status Inflater::inflate(std::string_view& in, std::string& out, std::size_t output_limit) {
  z_stream& stream = impl_->stream;
  while (output_limit > 0) {
    if (impl_->at_end) {
      if (in.empty()) break;
      CAIRN_ASSERT(inflateReset(&stream) == Z_OK);
      impl_->at_end = false;
    }
    const std::size_t before = out.size();
    const std::size_t room = std::min(output_limit, chunk_bytes);
    out.resize(before + room);
    stream.next_in = as_input(in);
    stream.avail_in = piece(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(room);
    const uInt given = stream.avail_in;
    const int answer = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = room - stream.avail_out;
    const std::size_t used = given - stream.avail_in;
    out.resize(before + made);
    in.remove_prefix(used);
    output_limit -= made;
    if (answer == Z_STREAM_END) {
      impl_->at_end = true;
      continue;
    }
    if (answer == Z_MEM_ERROR) {
      return Error{.kind = ErrorKind::unavailable, .message = "no memory to unpack data"};
    }
    if (answer != Z_OK && answer != Z_BUF_ERROR) {
      return corrupt(std::string("compressed data are damaged: ") +
                     (stream.msg != nullptr ? stream.msg : "unknown format"));
    }
    if (made == 0 && used == 0) break;  // needs more input
  }
  return ok_status();
}

Result<std::string> gunzip(std::string_view bytes, std::size_t limit_bytes) {
  Inflater inflater;
  std::string out;
  while (!bytes.empty() || !inflater.finished()) {
    const std::size_t made = out.size();
    const std::size_t left = bytes.size();
    // One byte over the limit tells «exactly the limit» from «more».
    const std::size_t room = limit_bytes - out.size();
    CAIRN_CHECK(inflater.inflate(bytes, out, room == SIZE_MAX ? room : room + 1));
    if (out.size() > limit_bytes) return over_limit("gzip", limit_bytes);
    if (out.size() == made && bytes.size() == left && !inflater.finished()) {
      return corrupt("gzip data end too early");
    }
  }
  return out;
}

std::string zstd(std::string_view bytes, int level) {
  thread_local const std::unique_ptr<ZSTD_CCtx, CompressorDeleter> context(ZSTD_createCCtx());
  CAIRN_ASSERT(context != nullptr);
  std::string out;
  out.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compressCCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size(), level);
  CAIRN_ASSERT(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

Result<std::string> unzstd(std::string_view bytes, std::size_t limit_bytes) {
  thread_local const std::unique_ptr<ZSTD_DCtx, DecompressorDeleter> context(ZSTD_createDCtx());
  CAIRN_ASSERT(context != nullptr);
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);
  const auto declared = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (declared == ZSTD_CONTENTSIZE_ERROR) return corrupt("zstd data do not begin with a frame");
  const bool known = declared != ZSTD_CONTENTSIZE_UNKNOWN;
  if (known && declared > limit_bytes) return over_limit("zstd", limit_bytes);
  std::string out;
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  // What a header declares is memory only once it is proven; blocks are at most 128 KiB each.
  std::size_t step = known ? std::clamp<std::size_t>(declared, 1, 1 << 20) : chunk_bytes;
  for (std::size_t hint = 1; in.pos < in.size || hint != 0;) {
    const std::size_t before = out.size();
    const std::size_t used = in.pos;
    out.resize(before + step);
    ZSTD_outBuffer to{out.data() + before, step, 0};
    hint = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(hint) != 0) {
      return corrupt(std::string("zstd data are damaged: ") + ZSTD_getErrorName(hint));
    }
    out.resize(before + to.pos);
    if (out.size() > limit_bytes) return over_limit("zstd", limit_bytes);
    if (hint != 0 && in.pos == used && to.pos == 0) return corrupt("zstd data end too early");
    step = std::clamp<std::size_t>(out.size(), chunk_bytes, 8 << 20);
  }
  return out;
}

}  // namespace cairn
