// SPDX-License-Identifier: Apache-2.0
#include "app/index_facts.h"

#include <algorithm>
#include <string>

#include "index/settings/settings.h"

namespace cairn::app {
namespace {

bool is_public(const index::Index& index) {
  return index::setting(index.settings(), "public") == "true";
}

}  // namespace

gate::IndexFacts index_facts(std::function<const index::Indices*()> current) {
  const auto named = [current](std::string_view name) {
    const index::Indices* indices = current();
    if (indices == nullptr) return false;
    const auto found = indices->resolve(name.empty() ? "_all" : name);
    return found.ok() && !found->empty() &&
           std::all_of(found->begin(), found->end(),
                       [](const auto& index) { return is_public(*index); });
  };
  const auto any = [current] {
    const index::Indices* indices = current();
    if (indices == nullptr) return false;
    const auto all = indices->all();
    return std::any_of(all.begin(), all.end(), [](const auto& index) { return is_public(*index); });
  };
  const auto stream_of = [current](std::string_view name) {
    const index::Indices* indices = current();
    if (indices == nullptr) return std::string();
    const auto streams = indices->data_streams();
    const std::string* found = streams->stream_of(name);
    return found == nullptr ? std::string() : *found;
  };
  return {.is_public = named, .any = any, .stream_of = stream_of};
}

}  // namespace cairn::app
