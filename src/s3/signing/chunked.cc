// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/chunked.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/errors.h"
#include "s3/signing/asymmetric.h"

namespace cairn::s3 {

namespace {

// Signatures of SigV4A differ in length: within chunks they are filled up to the longest.
constexpr std::size_t hmac_digits = 64, ecdsa_digits = 144;
constexpr char filler = '*';

std::string text_to_sign(const ChunkSigning& signing, std::string_view what,
                         std::string_view previous) {
  const std::string_view algorithm = signing.pair != nullptr ? ecdsa_algorithm : hmac_algorithm;
  std::string text = value_name(std::string(algorithm) + std::string(what), signing.dialect);
  text += "\n" + format_basic_iso8601(signing.time_ms) + "\n" +
          signing.scope.text(signing.dialect) + "\n";
  return text.append(previous).append("\n");
}

std::string chunk_text(const ChunkSigning& signing, std::string_view previous,
                       std::string_view data_hash) {
  std::string text = text_to_sign(signing, "-PAYLOAD", previous);
  return text.append(empty_sha256).append("\n").append(data_hash);
}

std::string trailer_text(const ChunkSigning& signing, std::string_view previous,
                         std::string_view fields) {
  return text_to_sign(signing, "-TRAILER", previous) + to_hex(sha256(fields));
}

std::string sign(const ChunkSigning& signing, const std::string& text) {
  return to_hex(signing.pair != nullptr ? signing.pair->sign(text)
                                        : hmac_sha256(signing.key, text));
}

bool verifies(const ChunkSigning& signing, const std::string& text, std::string_view signature) {
  if (signing.pair == nullptr) return equals_constant_time(sign(signing, text), signature);
  const auto der = from_hex(signature);
  return der && signing.pair->verifies(text, *der);
}

std::string_view without_filler(std::string_view signature) {
  while (signature.ends_with(filler)) signature.remove_suffix(1);
  return signature;
}

}  // namespace

std::string chunk_signature(const ChunkSigning& signing, std::string_view previous,
                            std::string_view data_hash) {
  return sign(signing, chunk_text(signing, previous, data_hash));
}

std::string trailer_signature(const ChunkSigning& signing, std::string_view previous,
                              std::string_view fields) {
  return sign(signing, trailer_text(signing, previous, fields));
}

namespace {

constexpr std::size_t line_bytes_max = 4096;
constexpr std::size_t trailer_fields_max = 8;

Error broken(std::string_view what) {
  return error("InvalidRequest", "The chunked body is malformed: " + std::string(what));
}

Error ended_early() { return error("IncompleteBody", "The request body terminated unexpectedly"); }

bool is_signed(Payload payload) {
  return is_chunked(payload) && payload != Payload::chunked_unsigned_trailer;
}

bool has_signed_trailer(Payload payload) {
  return payload == Payload::chunked_signed_trailer ||
         payload == Payload::chunked_ecdsa_signed_trailer;
}

std::size_t signature_digits(Payload payload) {
  if (!is_signed(payload)) return 0;
  return is_asymmetric(payload) ? ecdsa_digits : hmac_digits;
}

}  // namespace

// Where the reader stands: before a chunk's line, inside its data, behind everything.
struct ChunkedReader::Impl {
  enum class At { chunk_head, data, end };

  Impl(net::BodyReader& in, ChunkedParams p) : inner(in), params(std::move(p)) {
    if (params.signing) previous = params.signing->seed_signature;
  }

  // More bytes into the buffer; false at the end of the inner body.
  Result<bool> fill() {
    if (begin > 0) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    if (end == buffer.size()) return broken("a line is too long");
    CAIRN_TRY(const std::size_t count,
              inner.read(std::span(buffer.data() + end, buffer.size() - end)));
    end += count;
    return count > 0;
  }

  std::string_view buffered() const { return {buffer.data() + begin, end - begin}; }

  // A line without its CRLF. `at_end` allows the inner body to end instead of it.
  Result<std::string> line(bool at_end = false) {
    std::size_t searched = 0;
    while (true) {
      const std::size_t found = buffered().find('\n', searched);
      if (found != std::string_view::npos) {
        if (found > line_bytes_max) return broken("a line is too long");
        std::string_view text = buffered().substr(0, found);
        if (!text.ends_with('\r')) return broken("a line does not end with CRLF");
        std::string out(text.substr(0, text.size() - 1));
        begin += found + 1;
        return out;
      }
      searched = buffered().size();
      if (searched > line_bytes_max) return broken("a line is too long");
      CAIRN_TRY(const bool more, fill());
      if (more) continue;
      if (at_end && buffered().empty()) return std::string();
      return ended_early();
    }
  }

  Status read_chunk_head() {
    CAIRN_TRY(const std::string head, line());
    const std::size_t semicolon = head.find(';');
    const std::string_view digits = std::string_view(head).substr(0, semicolon);
    std::uint64_t size = 0;
    const auto [stop, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
    if (digits.empty() || fault != std::errc{} || stop != digits.data() + digits.size())
      return broken("a chunk size is not a number");
    signature.clear();
    if (semicolon != std::string::npos) {
      const std::string_view extension = std::string_view(head).substr(semicolon + 1);
      constexpr std::string_view name = "chunk-signature=";
      if (extension.starts_with(name)) signature = extension.substr(name.size());
    }
    if (is_asymmetric(params.payload) && signature.size() <= ecdsa_digits)
      signature = without_filler(signature);
    if (is_signed(params.payload) &&
        (is_asymmetric(params.payload) ? signature.empty() : signature.size() != hmac_digits))
      return broken("a chunk has no signature");
    if (size > 0 && small_seen) return error("InvalidChunkSizeError");
    small_seen = size < chunk_bytes_min;
    if (size > params.decoded_length - decoded)
      return broken("it is longer than x-amz-decoded-content-length");
    left = size;
    if (is_signed(params.payload)) hash.emplace(DigestKind::sha256);
    if (size > 0) {
      at = At::data;
      return ok_status();
    }
    return finish();
  }

  Status check_chunk() {
    if (!is_signed(params.payload)) return ok_status();
    const std::string text = chunk_text(*params.signing, previous, to_hex(hash->finish()));
    hash.reset();
    if (!verifies(*params.signing, text, signature)) return error("SignatureDoesNotMatch");
    previous = signature;
    return ok_status();
  }

  Result<std::size_t> read_data(std::span<char> into) {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), left));
    std::size_t count = std::min(want, end - begin);
    if (count > 0) {
      std::memcpy(into.data(), buffer.data() + begin, count);
      begin += count;
    } else {
      CAIRN_TRY(count, inner.read(into.subspan(0, want)));
      if (count == 0) return ended_early();
    }
    if (hash) hash->update({into.data(), count});
    left -= count;
    decoded += count;
    if (left > 0) return count;
    CAIRN_CHECK(check_chunk());
    CAIRN_TRY(const std::string rest, line());
    if (!rest.empty()) return broken("a chunk is longer than it says");
    at = At::chunk_head;
    return count;
  }

  // After the chunk of size 0: trailing fields, the empty line, and nothing more.
  Status finish() {
    CAIRN_CHECK(check_chunk());
    if (decoded != params.decoded_length) return error("IncompleteBody");
    std::string fields, signature_of_fields;
    for (std::size_t count = 0;; ++count) {
      CAIRN_TRY(const std::string text, line(true));
      if (text.empty()) break;
      if (count == trailer_fields_max) return error("MalformedTrailerError");
      CAIRN_CHECK(read_trailer(text, fields, signature_of_fields));
    }
    CAIRN_CHECK(check_trailers(fields, signature_of_fields));
    CAIRN_TRY(const bool more, fill());
    if (more || !buffered().empty()) return broken("bytes follow its end");
    at = At::end;
    return ok_status();
  }

  Status read_trailer(std::string_view text, std::string& fields, std::string& signature_out) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0) return error("MalformedTrailerError");
    const std::string name = lower_ascii(trim(text.substr(0, colon)));
    const std::string value(trim(text.substr(colon + 1)));
    if (params.signing && name == header_name("x-amz-trailer-signature", params.signing->dialect)) {
      signature_out = value;
      return ok_status();
    }
    if (name != lower_ascii(params.trailer_name)) return error("MalformedTrailerError");
    fields += name + ":" + value + "\n";
    trailers.add(name, value);
    return ok_status();
  }

  Status check_trailers(const std::string& fields, const std::string& signature_of_fields) {
    if (!params.trailer_name.empty() && fields.empty()) return error("MalformedTrailerError");
    if (!has_signed_trailer(params.payload)) return ok_status();
    const std::string text = trailer_text(*params.signing, previous, fields);
    const std::string_view given =
        is_asymmetric(params.payload) ? without_filler(signature_of_fields) : signature_of_fields;
    if (!verifies(*params.signing, text, given)) return error("SignatureDoesNotMatch");
    return ok_status();
  }

  net::BodyReader& inner;
  ChunkedParams params;
  At at = At::chunk_head;
  std::array<char, 16 << 10> buffer;
  std::size_t begin = 0, end = 0;
  std::uint64_t left = 0;     // of the chunk
  std::uint64_t decoded = 0;  // of the body so far
  bool small_seen = false;
  std::string signature;  // that the chunk claims
  std::string previous;
  std::optional<Digest> hash;
  net::Headers trailers;
  std::optional<Error> failed = {};
};

ChunkedReader::ChunkedReader(net::BodyReader& inner, ChunkedParams params)
    : impl_(std::make_unique<Impl>(inner, std::move(params))) {}
ChunkedReader::~ChunkedReader() = default;

Result<std::size_t> ChunkedReader::read(std::span<char> into) {
  if (impl_->failed) return *impl_->failed;
  if (into.empty()) return std::size_t{0};
  if (impl_->at == Impl::At::chunk_head) {
    if (Status status = impl_->read_chunk_head(); !status.ok()) {
      impl_->failed = status.error();
      return std::move(status).error();
    }
  }
  if (impl_->at == Impl::At::end) return std::size_t{0};
  auto count = impl_->read_data(into);
  if (!count.ok()) impl_->failed = count.error();
  return count;
}

std::optional<std::uint64_t> ChunkedReader::length() const { return impl_->params.decoded_length; }
const net::Headers& ChunkedReader::trailers() const { return impl_->trailers; }

namespace {

std::size_t hex_digits(std::uint64_t number) {
  std::size_t digits = 1;
  while ((number >>= 4) != 0) ++digits;
  return digits;
}

std::uint64_t chunk_overhead(std::uint64_t size, std::size_t digits) {
  return hex_digits(size) + (digits > 0 ? 17 + digits : 0) + 4;  // ";chunk-signature=", CRLF twice
}

std::string hex_size(std::uint64_t size) {
  std::array<char, 16> digits{};
  const auto [stop, fault] = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16);
  return {digits.data(), stop};
}

}  // namespace

std::uint64_t encoded_length(std::uint64_t decoded, const ChunkWriterParams& params) {
  const std::size_t digits = signature_digits(params.payload);
  const std::uint64_t full = decoded / params.chunk_bytes, rest = decoded % params.chunk_bytes;
  std::uint64_t total = full * (params.chunk_bytes + chunk_overhead(params.chunk_bytes, digits));
  if (rest > 0) total += rest + chunk_overhead(rest, digits);
  total += chunk_overhead(0, digits);
  if (params.trailer)
    total +=
        header_of(*params.trailer).size() + 1 + (checksum_bytes(*params.trailer) + 2) / 3 * 4 + 2;
  if (has_signed_trailer(params.payload)) total += 24 + digits + 2;
  return total;
}

struct ChunkedWriter::Impl {
  Impl(net::BodyReader& in, ChunkWriterParams p) : inner(in), params(std::move(p)) {
    if (params.trailer) summer.emplace(*params.trailer);
    if (params.signing) previous = params.signing->seed_signature;
    data.resize(params.chunk_bytes);
  }

  // Makes the next piece of the encoded body; an empty one is the end.
  Status next_piece() {
    piece.clear();
    given = 0;
    if (done) return ok_status();
    std::size_t size = 0;
    while (size < data.size()) {
      CAIRN_TRY(const std::size_t count,
                inner.read(std::span(data.data() + size, data.size() - size)));
      if (count == 0) break;
      size += count;
    }
    const std::string_view bytes(data.data(), size);
    if (summer && size > 0) summer->update(bytes);
    append_head(bytes);
    if (size > 0) {
      piece.append(bytes).append("\r\n");
    } else {
      append_trailers();
      done = true;
    }
    return ok_status();
  }

  std::string filled(std::string signature) const {
    signature.resize(std::max(signature.size(), signature_digits(params.payload)), filler);
    return signature;
  }

  void append_head(std::string_view bytes) {
    piece += hex_size(bytes.size());
    if (is_signed(params.payload)) {
      previous = chunk_signature(*params.signing, previous, to_hex(sha256(bytes)));
      piece.append(";chunk-signature=").append(filled(previous));
    }
    piece += "\r\n";
  }

  void append_trailers() {
    const Dialect dialect = params.signing ? params.signing->dialect : params.dialect;
    std::string fields;
    if (summer) {
      const std::string name = header_name(header_of(*params.trailer), dialect);
      fields = name + ":" + to_base64(summer->finish()) + "\n";
      piece.append(fields, 0, fields.size() - 1).append("\r\n");
    }
    if (has_signed_trailer(params.payload))
      piece += header_name("x-amz-trailer-signature", dialect) + ":" +
               filled(trailer_signature(*params.signing, previous, fields)) + "\r\n";
    piece += "\r\n";
  }

  net::BodyReader& inner;
  ChunkWriterParams params;
  std::optional<Checksummer> summer;
  std::string previous;
  std::string data, piece;
  std::size_t given = 0;
  bool done = false;
  net::Headers none;
};

ChunkedWriter::ChunkedWriter(net::BodyReader& inner, ChunkWriterParams params)
    : impl_(std::make_unique<Impl>(inner, std::move(params))) {}
ChunkedWriter::~ChunkedWriter() = default;

Result<std::size_t> ChunkedWriter::read(std::span<char> into) {
  if (impl_->given == impl_->piece.size()) CAIRN_CHECK(impl_->next_piece());
  const std::size_t count = std::min(into.size(), impl_->piece.size() - impl_->given);
  std::memcpy(into.data(), impl_->piece.data() + impl_->given, count);
  impl_->given += count;
  return count;
}

std::optional<std::uint64_t> ChunkedWriter::length() const {
  const auto decoded = impl_->inner.length();
  if (!decoded) return std::nullopt;
  return encoded_length(*decoded, impl_->params);
}
const net::Headers& ChunkedWriter::trailers() const { return impl_->none; }

}  // namespace cairn::s3
