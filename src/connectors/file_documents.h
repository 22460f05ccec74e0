// SPDX-License-Identifier: Apache-2.0
// The documents of a file, wherever it comes from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// Why a file of that name is not read ("an image"); empty where it is.
std::string_view why_skipped(std::string_view path);
/// True where files of that name may hold text that can be read.
inline bool may_hold_text(std::string_view path) { return why_skipped(path).empty(); }

/// Gives the sink what the file holds; it asks first, by the hash of the bytes. The title of a text
/// without one is the file's name. Errors: as Extractor::extract, with the path before; those of
/// the sink.
Status give_file(std::string_view path, std::string bytes, DocumentSink& sink);
/// The same. What compressed bytes may become is the extractor's bound.
inline Status give_file(std::string_view path, std::string bytes, std::size_t, DocumentSink& sink) {
  return give_file(path, std::move(bytes), sink);
}

}  // namespace cairn::connectors
