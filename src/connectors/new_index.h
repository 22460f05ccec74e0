// SPDX-License-Identifier: Apache-2.0
// What a connector asks of the index that a sync makes: entries that every source has besides its
// own.
#pragma once

#include <string>

#include "base/result.h"
#include "format/json.h"

namespace cairn::connectors {

/// How an index is made where it is not there yet. One that is there keeps what it has.
struct NewIndex {
  std::string language = {};  // of the texts (analyzer_of_language); empty: any
  bool semantic = false;      // title and body are searched by meaning too
  bool tells_readers = false;  // documents have readers_field; an index that is there gets it too
  bool of_identities = false;  // it holds what an access control sync writes, and nothing else
};

/// The field that title and body are copied to where an index is searched by meaning.
inline constexpr std::string_view meaning_field = "meaning";

/// The entries of a source, and those that all have.
Json with_index_entries(Json schema);
/// Errors: action_request_validation_exception for a value of an entry that all have.
Status check_index_entries(const Json& configuration);
NewIndex new_index_of(const Json& configuration, std::string language);

/// Mappings as in the body that makes an index: what is measured to find most
/// (docs/reference/hybrid-search.md), title and body by words and by meaning. Null where nothing
/// needs to be said.
Json mappings_of(const NewIndex& wanted);
/// Settings likewise; null where none are needed.
Json settings_of(const NewIndex& wanted);

}  // namespace cairn::connectors
