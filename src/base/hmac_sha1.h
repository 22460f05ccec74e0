// SPDX-License-Identifier: Apache-2.0
// HMAC with SHA-1, for protocols that are older than its successors. Nothing new uses it.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// RFC 2104 with SHA-1: 20 raw bytes.
std::string hmac_sha1(std::string_view key, std::string_view bytes);

}  // namespace cairn
