// SPDX-License-Identifier: Apache-2.0
// What a script may take.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::script {

struct Limits {
  std::size_t source_bytes = 65'535;
  std::size_t depth = 100;              // of expressions and blocks in one another
  std::size_t ops = 32'000;             // that it is compiled to
  std::uint64_t loops = 1'000'000;      // rounds of loops in one run
  std::size_t value_bytes = 4u << 20;   // of texts, lists and maps that one run makes
  std::size_t emitted_values = 100;         // of one field in one document
  std::size_t emitted_letters = 1u << 20;   // of its texts, in UTF-16
};

}  // namespace cairn::script
