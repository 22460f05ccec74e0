// SPDX-License-Identifier: Apache-2.0
#include "search/read/document_lookup.h"

#include <utility>

#include "search/errors.h"

namespace cairn::search {

Result<index::StoredScript> DocumentLookup::script(std::string_view id) const {
  if (!scripts_) return illegal_argument("a stored script is not looked up here: send its [source]");
  return scripts_(id);
}

Result<const Json*> DocumentLookup::source(const DocumentName& name) {
  const auto shown = [](const Json& source) { return source.is_null() ? nullptr : &source; };
  if (const auto known = known_.find(name); known != known_.end())
    return shown(known->second.source);
  if (!find_) return not_offered("a document as the source of terms", "send the values themselves");
  if (known_.size() == documents_max)
    return illegal_argument("a request may look up [" + std::to_string(documents_max) +
                            "] documents at most");
  CAIRN_TRY(auto found, find_(name));
  Known known{.index = name.index, .source = {}};
  if (found) {
    bytes_ += found->source.size();
    if (bytes_ > bytes_max)
      return illegal_argument("the documents that a request looks up may have [" +
                              std::to_string(bytes_max) + "] bytes together");
    CAIRN_TRY(known.source, parse_json(found->source));
    known.index = std::move(found->index);
  }
  return shown(known_.emplace(name, std::move(known)).first->second.source);
}

const std::string& DocumentLookup::index_of(const DocumentName& name) const {
  const auto known = known_.find(name);
  return known == known_.end() ? name.index : known->second.index;
}

}  // namespace cairn::search
