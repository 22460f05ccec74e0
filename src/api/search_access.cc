// SPDX-License-Identifier: Apache-2.0
#include "api/search_access.h"

#include "api/index_names.h"
#include "index/templates/stored_scripts.h"

namespace cairn::api {

search::FindDocument document_finder(const Call& call, const index::Indices& indices) {
  return [&call, &indices](const search::DocumentName& name)
             -> Result<std::optional<search::FoundDocument>> {
    CAIRN_CHECK(call.require_index("read", name.index));
    CAIRN_TRY(const ReadPlace place, read_place(indices, name.index, name.routing));
    CAIRN_CHECK(place.index->check_routing(name.id, place.routing));
    CAIRN_TRY(auto document, place.index->get(name.id, call.deadline()));
    if (!document) return std::optional<search::FoundDocument>();
    return std::optional(search::FoundDocument{.index = place.index->name(),
                                               .source = std::move(document->source)});
  };
}

search::ResolveIndices index_resolver(const Call& call, const index::Indices& indices) {
  return [&call, &indices](const std::string& expression) -> Result<std::vector<std::string>> {
    CAIRN_TRY(const auto found, indices_of(call, indices, expression));
    std::vector<std::string> out;
    for (const auto& index : found) out.push_back(index->name());
    return out;
  };
}

search::FindTemplate template_finder(const index::Indices& indices) {
  return [&indices](std::string_view id) { return indices.scripts().find(id); };
}

search::ContextCaller context_caller(const Call& call) {
  search::ContextCaller out;
  if (call.caller().has_key()) out.owner = call.caller().key().id;
  out.may_read = [&call](std::string_view index) { return call.require_index("read", index); };
  return out;
}

}  // namespace cairn::api
