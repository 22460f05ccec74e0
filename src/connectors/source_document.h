// SPDX-License-Identifier: Apache-2.0
// The documents of an item as an index gets them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "connectors/source.h"

namespace cairn::connectors {

/// The field that says who may read a document (SourceItem::readers), as connectors of the field
/// name it. No source's own field goes by that name.
inline constexpr std::string_view readers_field = "_allow_access_control";

/// The id of an item's first document: 20 url-safe characters of the SHA-256 of its path.
std::string document_id(std::string_view path);
/// Of the n-th one, from 0.
std::string document_id(const Source& source, std::string_view path, std::size_t n);

/// JSON text: title and body, the source's own fields, then readers, path, size and modified of the
/// item.
std::string document_json(const SourceItem& item, const SourceDocument& document);

}  // namespace cairn::connectors
