// SPDX-License-Identifier: Apache-2.0
#include "s3/checksum.h"

#include <array>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/checksum.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3 {
namespace {

struct Row {
  std::string_view name;
  std::string_view header;
  std::size_t bytes;
};
constexpr Row rows[] = {{"CRC32", "x-amz-checksum-crc32", 4},
                        {"CRC32C", "x-amz-checksum-crc32c", 4},
                        {"CRC64NVME", "x-amz-checksum-crc64nvme", 8},
                        {"SHA1", "x-amz-checksum-sha1", 20},
                        {"SHA256", "x-amz-checksum-sha256", 32}};
constexpr std::string_view type_names[] = {"FULL_OBJECT", "COMPOSITE"};

const Row& row_of(ChecksumAlgorithm algorithm) { return rows[static_cast<std::size_t>(algorithm)]; }

std::string big_endian(std::uint64_t value, std::size_t bytes) {
  std::string out(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i)
    out[bytes - 1 - i] = static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

std::uint64_t from_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// A linear map over bits: column i is the image of bit i.
using Map = std::array<std::uint64_t, 64>;

std::uint64_t image(const Map& map, std::uint64_t bits) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; bits != 0; ++i, bits >>= 1)
    if ((bits & 1) != 0) out ^= map[i];
  return out;
}

Map squared(const Map& map) {
  Map out{};
  for (std::size_t i = 0; i < 64; ++i) out[i] = image(map, map[i]);
  return out;
}

// What one zero bit does to a reflected CRC register of `width` bits.
Map zero_bit(std::uint64_t reflected_polynomial, std::size_t width) {
  Map map{};
  map[0] = reflected_polynomial;
  for (std::size_t i = 1; i < width; ++i) map[i] = std::uint64_t{1} << (i - 1);
  return map;
}

// The register after `bytes` zero bytes. The all-ones start and end of both halves cancel out, so
// this is all that combining takes.
std::uint64_t shift(std::uint64_t crc, std::uint64_t bytes, std::uint64_t polynomial,
                    std::size_t width) {
  Map map = zero_bit(polynomial, width);
  for (int i = 0; i < 3; ++i) map = squared(map);  // 1, 2, 4, 8 bits: one byte
  for (; bytes != 0; bytes >>= 1) {
    if ((bytes & 1) != 0) crc = image(map, crc);
    if (bytes > 1) map = squared(map);
  }
  return crc;
}

}  // namespace

std::string_view name_of(ChecksumAlgorithm algorithm) { return row_of(algorithm).name; }
std::string_view header_of(ChecksumAlgorithm algorithm) { return row_of(algorithm).header; }
std::string_view name_of(ChecksumType type) { return type_names[static_cast<std::size_t>(type)]; }
std::size_t checksum_bytes(ChecksumAlgorithm algorithm) { return row_of(algorithm).bytes; }

std::optional<ChecksumAlgorithm> checksum_algorithm_of(std::string_view name) {
  for (const ChecksumAlgorithm algorithm : all_checksum_algorithms)
    if (equals_ignore_case(name_of(algorithm), name)) return algorithm;
  return std::nullopt;
}

std::optional<ChecksumType> checksum_type_of(std::string_view name) {
  for (const ChecksumType type : {ChecksumType::full_object, ChecksumType::composite})
    if (name_of(type) == name) return type;
  return std::nullopt;
}

struct Checksummer::Impl {
  ChecksumAlgorithm algorithm;
  std::uint64_t crc = 0;
  std::optional<Digest> digest = {};
};

Checksummer::Checksummer(ChecksumAlgorithm algorithm)
    : impl_(std::make_unique<Impl>(Impl{.algorithm = algorithm})) {
  if (algorithm == ChecksumAlgorithm::sha1) impl_->digest.emplace(DigestKind::sha1);
  if (algorithm == ChecksumAlgorithm::sha256) impl_->digest.emplace(DigestKind::sha256);
}
Checksummer::~Checksummer() = default;
Checksummer::Checksummer(Checksummer&&) noexcept = default;
Checksummer& Checksummer::operator=(Checksummer&&) noexcept = default;

void Checksummer::update(std::string_view bytes) {
  switch (impl_->algorithm) {
    case ChecksumAlgorithm::crc32:
      impl_->crc = crc32(bytes, static_cast<std::uint32_t>(impl_->crc));
      break;
    case ChecksumAlgorithm::crc32c:
      impl_->crc = crc32c(bytes, static_cast<std::uint32_t>(impl_->crc));
      break;
    case ChecksumAlgorithm::crc64nvme:
      impl_->crc = crc64nvme(bytes, impl_->crc);
      break;
    case ChecksumAlgorithm::sha1:
    case ChecksumAlgorithm::sha256:
      impl_->digest->update(bytes);
      break;
  }
}

std::string Checksummer::finish() {
  if (impl_->digest) return impl_->digest->finish();
  return big_endian(impl_->crc, checksum_bytes(impl_->algorithm));
}

ChecksumAlgorithm Checksummer::algorithm() const { return impl_->algorithm; }

std::string checksum(ChecksumAlgorithm algorithm, std::string_view bytes) {
  Checksummer summer(algorithm);
  summer.update(bytes);
  return summer.finish();
}

std::string composite_checksum(ChecksumAlgorithm algorithm,
                               const std::vector<std::string>& raw_parts) {
  Checksummer summer(algorithm);
  for (const std::string& raw : raw_parts) summer.update(raw);
  return to_base64(summer.finish()) + "-" + std::to_string(raw_parts.size());
}

std::string combine_checksums(ChecksumAlgorithm algorithm, std::string_view raw_a,
                              std::string_view raw_b, std::uint64_t b_bytes) {
  std::uint64_t polynomial = 0;
  switch (algorithm) {
    case ChecksumAlgorithm::crc32:
      polynomial = 0xEDB88320;
      break;
    case ChecksumAlgorithm::crc32c:
      polynomial = 0x82F63B78;
      break;
    case ChecksumAlgorithm::crc64nvme:
      polynomial = 0x9A6C9329AC4BC9B5;
      break;
    case ChecksumAlgorithm::sha1:
    case ChecksumAlgorithm::sha256:
      break;
  }
  CAIRN_ASSERT(polynomial != 0);
  const std::size_t bytes = checksum_bytes(algorithm);
  const std::uint64_t shifted = shift(from_big_endian(raw_a), b_bytes, polynomial, 8 * bytes);
  return big_endian(shifted ^ from_big_endian(raw_b), bytes);
}

bool is_checksum_value(ChecksumAlgorithm algorithm, std::string_view value) {
  const auto raw = from_base64(value);
  return raw && raw->size() == checksum_bytes(algorithm);
}

Status check_checksum_names(const net::Headers& headers, Dialect dialect) {
  const std::string start = header_name("x-amz-checksum-", dialect);
  for (const auto& [field, value] : headers.fields()) {
    const std::string name = lower_ascii(field);
    if (!name.starts_with(start)) continue;
    const std::string_view rest = std::string_view(name).substr(start.size());
    if (rest == "algorithm" || rest == "mode" || rest == "type") continue;
    if (!checksum_algorithm_of(rest))
      return error("InvalidRequest",
                   "Checksum algorithm provided is unsupported. Please try again with any of the "
                   "valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]")
          .with_detail("Header", name);
  }
  return ok_status();
}

Result<std::optional<Checksum>> checksum_from_headers(const net::Headers& headers,
                                                      Dialect dialect) {
  CAIRN_CHECK(check_checksum_names(headers, dialect));
  std::optional<Checksum> found;
  for (const ChecksumAlgorithm algorithm : all_checksum_algorithms) {
    const auto value = headers.find(header_name(header_of(algorithm), dialect));
    if (!value) continue;
    if (found)
      return error("InvalidRequest",
                   "Expecting a single x-amz-checksum- header. Multiple checksum Types are not "
                   "allowed.");
    if (!is_checksum_value(algorithm, *value))
      return error("InvalidRequest",
                   "Value for " + std::string(header_of(algorithm)) + " header is invalid.");
    found = Checksum{.algorithm = algorithm, .value = std::string(*value)};
  }
  return found;
}

}  // namespace cairn::s3
