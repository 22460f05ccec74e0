// SPDX-License-Identifier: Apache-2.0
// The five checksums of the wire: names, running computation, forms.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http/message.h"
#include "s3/model.h"
#include "s3/wire/dialect.h"

namespace cairn::s3 {

inline constexpr ChecksumAlgorithm all_checksum_algorithms[] = {
    ChecksumAlgorithm::crc32, ChecksumAlgorithm::crc32c, ChecksumAlgorithm::crc64nvme,
    ChecksumAlgorithm::sha1, ChecksumAlgorithm::sha256};

/// "CRC64NVME", as parameters and listings have it.
std::string_view name_of(ChecksumAlgorithm algorithm);
/// "x-amz-checksum-crc64nvme".
std::string_view header_of(ChecksumAlgorithm algorithm);
/// "COMPOSITE" or "FULL_OBJECT".
std::string_view name_of(ChecksumType type);
std::optional<ChecksumAlgorithm> checksum_algorithm_of(std::string_view name);
std::optional<ChecksumType> checksum_type_of(std::string_view name);
std::size_t checksum_bytes(ChecksumAlgorithm algorithm);  // 4, 8, 20 or 32

/// One checksum in steps. `finish` may be called once.
class Checksummer {
 public:
  explicit Checksummer(ChecksumAlgorithm algorithm);
  ~Checksummer();
  Checksummer(Checksummer&&) noexcept;
  Checksummer& operator=(Checksummer&&) noexcept;
  void update(std::string_view bytes);
  std::string finish();  // raw, big-endian
  ChecksumAlgorithm algorithm() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The raw checksum of all of `bytes`.
std::string checksum(ChecksumAlgorithm algorithm, std::string_view bytes);
/// base64(H(raw 1 .. raw n)) "-n": the checksum of an object made of parts.
std::string composite_checksum(ChecksumAlgorithm algorithm,
                               const std::vector<std::string>& raw_parts);
/// The checksum of A followed by B from those of A and of B. CRCs only (a bug for others).
std::string combine_checksums(ChecksumAlgorithm algorithm, std::string_view raw_a,
                              std::string_view raw_b, std::uint64_t b_bytes);

/// Refuses a header field with a checksum of another algorithm: who sends it counts on it.
/// Errors: InvalidRequest.
Status check_checksum_names(const net::Headers& headers, Dialect dialect);
/// The checksum value that a request gives in a header field, if any.
/// Errors: InvalidRequest for two of them, one of another algorithm, or one that is not base64 of
/// the right length.
Result<std::optional<Checksum>> checksum_from_headers(const net::Headers& headers, Dialect dialect);
/// True for base64 text of the algorithm's length.
bool is_checksum_value(ChecksumAlgorithm algorithm, std::string_view value);

}  // namespace cairn::s3
