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

// A CRC is a polynomial over bits, modulo another one; the highest bit is the one of x^0.
struct Modulus {
  std::uint64_t reflected;
  std::size_t width;
};

constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b, Modulus modulus) {
  std::uint64_t sum = 0;
  for (std::size_t i = modulus.width; i-- > 0;) {
    if ((a >> i & 1) != 0) sum ^= b;
    b = (b & 1) != 0 ? b >> 1 ^ modulus.reflected : b >> 1;
  }
  return sum;
}

// At k: x to the power of 8 * 2^k, which appends 2^k zero bytes.
using Powers = std::array<std::uint64_t, 64>;

constexpr Powers powers_of(Modulus modulus) {
  Powers powers{};
  std::uint64_t power = std::uint64_t{1} << (modulus.width - 2);  // x
  for (int i = 0; i < 3; ++i) power = product(power, power, modulus);
  for (std::uint64_t& entry : powers) {
    entry = power;
    power = product(power, power, modulus);
  }
  return powers;
}

struct Shift {
  Modulus modulus;
  Powers powers;
  explicit constexpr Shift(Modulus by) : modulus(by), powers(powers_of(by)) {}

  // The register after `bytes` zero bytes. The all-ones start and end of both halves cancel out, so
  // this is all that combining takes.
  std::uint64_t operator()(std::uint64_t crc, std::uint64_t bytes) const {
    for (std::size_t k = 0; bytes != 0; ++k, bytes >>= 1)
      if ((bytes & 1) != 0) crc = product(crc, powers[k], modulus);
    return crc;
  }
};

constexpr Shift shift_crc32({.reflected = 0xEDB88320, .width = 32});
constexpr Shift shift_crc32c({.reflected = 0x82F63B78, .width = 32});
constexpr Shift shift_crc64nvme({.reflected = 0x9A6C9329AC4BC9B5, .width = 64});

const Shift* shift_of(ChecksumAlgorithm algorithm) {
  switch (algorithm) {
    case ChecksumAlgorithm::crc32:
      return &shift_crc32;
    case ChecksumAlgorithm::crc32c:
      return &shift_crc32c;
    case ChecksumAlgorithm::crc64nvme:
      return &shift_crc64nvme;
    case ChecksumAlgorithm::sha1:
    case ChecksumAlgorithm::sha256:
      break;
  }
  return nullptr;
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
  const Shift* const shift = shift_of(algorithm);
  CAIRN_ASSERT(shift != nullptr);
  const std::uint64_t shifted = (*shift)(from_big_endian(raw_a), b_bytes);
  return big_endian(shifted ^ from_big_endian(raw_b), checksum_bytes(algorithm));
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
