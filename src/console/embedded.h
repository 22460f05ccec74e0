// SPDX-License-Identifier: Apache-2.0
// The table that cmake/console.cmake writes.
#pragma once

#include <span>

namespace cairn::console {

struct EmbeddedFile {
  const char* path;
  const char* begin;  // compressed
  const char* end;
  const char* tag;
};

std::span<const EmbeddedFile> embedded_table();

}  // namespace cairn::console
