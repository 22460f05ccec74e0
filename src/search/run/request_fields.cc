// SPDX-License-Identifier: Apache-2.0
#include "search/run/request_fields.h"

#include <algorithm>

#include "search/errors.h"
#include "search/read/script_body.h"

namespace cairn::search {
namespace {

Status find_script(index::Script& script, const DocumentLookup& kept) {
  if (script.id.empty() || !script.source.empty()) return ok_status();
  CAIRN_TRY(const index::StoredScript found, kept.script(script.id));
  CAIRN_TRY(index::Script known, as_script(script.id, found.lang, found.source));
  known.params = std::move(script.params);
  script = std::move(known);
  return ok_status();
}

}  // namespace

bool adds_fields(const SearchRequest& request) {
  return !request.runtime_mappings.is_null() ||
         std::any_of(request.sort.begin(), request.sort.end(),
                     [](const index::SortKey& key) { return key.script.has_value(); });
}

Status find_scripts(SearchRequest& request, const DocumentLookup& kept) {
  for (index::SortKey& key : request.sort)
    if (key.script) CAIRN_CHECK(find_script(*key.script, kept));
  for (ScriptField& field : request.script_fields) CAIRN_CHECK(find_script(field.script, kept));
  return ok_status();
}

Result<std::vector<Target>> with_request_fields(std::vector<Target> targets,
                                                const SearchRequest& request) {
  for (Target& target : targets) {
    if (!request.runtime_mappings.is_null()) {
      // They could stand before what the filter asks, and show what it hides.
      if (target.filter != nullptr)
        return not_offered("runtime_mappings through an alias with a filter",
                           "name the index, or put the fields into its mapping");
      CAIRN_TRY(target.view, target.view->with_runtime_fields(request.runtime_mappings));
    }
    for (const index::SortKey& key : request.sort)
      if (key.script)
        target.view = target.view->with_sort_script(key.field, *key.script, key.script_gives_text);
  }
  return targets;
}

}  // namespace cairn::search
