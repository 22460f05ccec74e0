// SPDX-License-Identifier: Apache-2.0
// Cyclic redundancy checks: CRC-32 (ISO-HDLC), CRC-32C (Castagnoli), CRC-64/NVME. Running form:
// start from 0 and pass the last value on; the value after any prefix is that prefix's checksum.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cairn {

std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);
std::uint64_t crc64nvme(std::string_view bytes, std::uint64_t before = 0);

/// One way to compute crc64nvme; all give the same values.
struct Crc64Version {
  const char* name;
  std::uint64_t (*run)(std::string_view bytes, std::uint64_t before);
};

/// Those that this processor can run, slowest first. For tests and benchmarks.
std::vector<Crc64Version> crc64nvme_versions();

}  // namespace cairn
