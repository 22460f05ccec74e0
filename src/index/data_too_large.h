// SPDX-License-Identifier: Apache-2.0
// The error of a request that would take too much memory, and what an answer may take.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace cairn::index {

/// Of the documents that one request is answered with.
inline constexpr std::size_t answer_bytes_max = 128u << 20;

inline constexpr std::string_view data_too_large_code = "circuit_breaking_exception";

/// circuit_breaking_exception: "[request] Data too large: WHAT would take [n] bytes, which is
/// larger than the limit of [m]; ADVICE".
Error data_too_large(std::string_view what, std::size_t bytes, std::size_t most,
                     std::string_view advice);
/// Of an answer with documents.
Error answer_too_large(std::size_t bytes, std::size_t most);

}  // namespace cairn::index
