// SPDX-License-Identifier: Apache-2.0
// Identifiers made from random bytes that the caller draws (os/random.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn {

/// 20 url-safe characters from 15 random bytes: ids of keys, connectors, sync jobs, snapshots. The
/// first is a letter or a digit: a command line takes "-" for an option, a path "_" for an operation.
std::string url_safe_id(std::string_view random_15_bytes);
/// RFC 4122 version 4 text from 16 random bytes.
std::string uuid_v4(std::string_view random_16_bytes);
/// 26 characters that sort by time: 48 bits of milliseconds, 80 random bits (10 bytes).
std::string ulid(std::int64_t milliseconds, std::string_view random_10_bytes);

}  // namespace cairn
