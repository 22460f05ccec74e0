// SPDX-License-Identifier: Apache-2.0
#include "api/descriptions.h"

#include <algorithm>
#include <string>

#include "base/assert.h"

namespace cairn::api {
namespace {

void merge(const Json* from, Json& into) {
  CAIRN_ASSERT(from != nullptr && from->is_object());
  for (const auto& [name, value] : from->as_object()) {
    CAIRN_ASSERT(into.find(name) == nullptr);
    into.set(name, value);
  }
}

}  // namespace

const Descriptions& Descriptions::of_program() {
  static const Descriptions all(description_texts);
  return all;
}

Descriptions::Descriptions(std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) {
    const auto read = parse_json(text, {.unique_names = true});
    CAIRN_ASSERT(read.ok());
    merge(read->find("operations"), operations_);
    merge(read->find("schemas"), schemas_);
  }
  // Readers of the document look names up.
  std::sort(schemas_.as_object().begin(), schemas_.as_object().end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

}  // namespace cairn::api
