// SPDX-License-Identifier: Apache-2.0
#include "s3/checksum.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "base/encode.h"

namespace cairn::s3::checksum_test {
namespace {

std::string base64_of(ChecksumAlgorithm algorithm, std::string_view bytes) {
  return to_base64(checksum(algorithm, bytes));
}

TEST_CASE("checksum: known values of all algorithms") {
  const std::string_view digits = "123456789";
  CHECK(base64_of(ChecksumAlgorithm::crc32, digits) == "y/Q5Jg==");
  CHECK(base64_of(ChecksumAlgorithm::crc32c, digits) == "4waSgw==");
  CHECK(base64_of(ChecksumAlgorithm::crc64nvme, digits) == "rosUhgp5mIg=");
  CHECK(base64_of(ChecksumAlgorithm::crc32, "") == "AAAAAA==");
  CHECK(base64_of(ChecksumAlgorithm::crc32c, "") == "AAAAAA==");
  CHECK(base64_of(ChecksumAlgorithm::crc64nvme, "") == "AAAAAAAAAAA=");
  CHECK(base64_of(ChecksumAlgorithm::sha1, "") == "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
  CHECK(base64_of(ChecksumAlgorithm::sha256, "") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST_CASE("checksum: of parts, composite and full, as the service documents them") {
  const std::string large(5'242'881, 'a'), small(10, 'a');
  const auto raw = [&](ChecksumAlgorithm algorithm) {
    return std::vector<std::string>{checksum(algorithm, large), checksum(algorithm, large),
                                    checksum(algorithm, small)};
  };
  const auto crc = raw(ChecksumAlgorithm::crc32);
  CHECK(to_base64(crc[0]) == "NRU+Sw==");
  CHECK(to_base64(crc[2]) == "TBHN8A==");
  CHECK(composite_checksum(ChecksumAlgorithm::crc32, crc) == "5FRUiw==-3");
  CHECK(composite_checksum(ChecksumAlgorithm::sha1, raw(ChecksumAlgorithm::sha1)) ==
        "AyE60nyQoBgJcwsyPHWu7aJuxBs=-3");
  CHECK(composite_checksum(ChecksumAlgorithm::sha256, raw(ChecksumAlgorithm::sha256)) ==
        "9o++y6AejqboiJ7MZCx0fahK2Vu5YC/qnNhhYsCLciI=-3");
  const auto full = [&](ChecksumAlgorithm algorithm) {
    const auto parts = raw(algorithm);
    const std::string two = combine_checksums(algorithm, parts[0], parts[1], large.size());
    return to_base64(combine_checksums(algorithm, two, parts[2], small.size()));
  };
  CHECK(full(ChecksumAlgorithm::crc32) == "qSEQSA==");
  CHECK(full(ChecksumAlgorithm::crc64nvme) == "ZMNX55lZurA=");
}

TEST_CASE("checksum: combined equals computed, at any cut") {
  std::string text;
  std::uint32_t state = 12345;
  for (int i = 0; i < 1000; ++i)
    text += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (const auto algorithm :
       {ChecksumAlgorithm::crc32, ChecksumAlgorithm::crc32c, ChecksumAlgorithm::crc64nvme}) {
    const std::string whole = checksum(algorithm, text);
    for (const std::size_t cut : {0u, 1u, 7u, 500u, 999u, 1000u}) {
      const std::string_view a = std::string_view(text).substr(0, cut);
      const std::string_view b = std::string_view(text).substr(cut);
      CHECK(combine_checksums(algorithm, checksum(algorithm, a), checksum(algorithm, b),
                              b.size()) == whole);
    }
  }
}

TEST_CASE("checksum: combined in any order, up to the largest object") {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  const std::pair<std::uint64_t, std::uint64_t> rows[] = {
      {1, 1}, {5u << 20, (5u << 20) - 1}, {5 * gib, 5 * gib}, {2559 * gib + 7, 2561 * gib - 7}};
  for (const auto algorithm :
       {ChecksumAlgorithm::crc32, ChecksumAlgorithm::crc32c, ChecksumAlgorithm::crc64nvme}) {
    const std::string a = checksum(algorithm, "a"), b = checksum(algorithm, "some"),
                      c = checksum(algorithm, "other bytes");
    for (const auto& [b_bytes, c_bytes] : rows) {
      const std::string left =
          combine_checksums(algorithm, combine_checksums(algorithm, a, b, b_bytes), c, c_bytes);
      const std::string right = combine_checksums(
          algorithm, a, combine_checksums(algorithm, b, c, c_bytes), b_bytes + c_bytes);
      CHECK(left == right);
    }
  }
}

TEST_CASE("checksum: what a request gives in its header") {
  net::Headers headers;
  CHECK_FALSE(checksum_from_headers(headers, Dialect::aws).value().has_value());
  headers.add("x-amz-checksum-crc32", "y/Q5Jg==");
  const auto found = checksum_from_headers(headers, Dialect::aws);
  REQUIRE(found.value().has_value());
  CHECK(found.value()->algorithm == ChecksumAlgorithm::crc32);
  CHECK(found.value()->value == "y/Q5Jg==");
  CHECK_FALSE(checksum_from_headers(headers, Dialect::svc).value().has_value());

  headers.add("x-amz-checksum-sha1", "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
  const auto two = checksum_from_headers(headers, Dialect::aws);
  REQUIRE_FALSE(two.ok());
  CHECK(two.error().code == "InvalidRequest");
  CHECK(two.error().message ==
        "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");

  for (const char* bad : {"", "y/Q5Jg", "y/Q5", "not base64!", "2jmj7l5rSw0yVb/vlWAYkK/YBwk="}) {
    net::Headers one;
    one.add("x-amz-checksum-crc32", bad);
    const auto fault = checksum_from_headers(one, Dialect::aws);
    REQUIRE_FALSE(fault.ok());
    CHECK(fault.error().message == "Value for x-amz-checksum-crc32 header is invalid.");
  }

  for (const char* other : {"x-amz-checksum-sha512", "X-Amz-Checksum-XXHash64"}) {
    net::Headers one;
    one.add(other, "AAAA");
    const auto fault = checksum_from_headers(one, Dialect::aws);
    REQUIRE_FALSE(fault.ok());
    CHECK(fault.error().code == "InvalidRequest");
    CHECK(check_checksum_names(one, Dialect::svc).ok());
  }
  net::Headers plain;
  plain.add("x-amz-checksum-algorithm", "CRC32");
  plain.add("x-amz-checksum-mode", "ENABLED");
  plain.add("x-amz-checksum-type", "COMPOSITE");
  CHECK(check_checksum_names(plain, Dialect::aws).ok());
}

TEST_CASE("checksum: names") {
  for (const auto algorithm : all_checksum_algorithms)
    CHECK(checksum_algorithm_of(name_of(algorithm)) == algorithm);
  CHECK(checksum_algorithm_of("crc32c") == ChecksumAlgorithm::crc32c);
  CHECK_FALSE(checksum_algorithm_of("MD5").has_value());
  CHECK(checksum_type_of("COMPOSITE") == ChecksumType::composite);
  CHECK_FALSE(checksum_type_of("composite").has_value());
}

}  // namespace
}  // namespace cairn::s3::checksum_test
