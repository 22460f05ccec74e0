// SPDX-License-Identifier: Apache-2.0
// Bodies of templates, and definitions that are laid over each other. What is shown reads as the
// same again, and a definition above itself is itself.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/json.h"
#include "index/names/names_record.h"
#include "index/templates/merged_definition.h"
#include "index/templates/templates.h"

namespace {

using namespace cairn;

void check_bodies(const Json& body) {
  if (const auto read = index::read_index_template(body); read.ok()) {
    const auto again = index::read_index_template(read->shown);
    if (!again.ok() || again->shown != read->shown) std::abort();
    for (const auto& a : read->patterns)
      for (const auto& b : read->patterns)
        if (index::patterns_overlap(a, b) != index::patterns_overlap(b, a)) std::abort();
  }
  if (const auto read = index::read_component_template(body); read.ok()) {
    const auto again = index::read_component_template(read->shown);
    if (!again.ok() || again->shown != read->shown) std::abort();
  }
}

void check_merging(const Json& body) {
  Json mappings = body;
  // A list may have two rules of one name, of which the last counts in the end.
  if (mappings.is_object()) mappings.erase("dynamic_templates");
  (void)index::merged_mappings(body, body);
  const Json once = index::merged_mappings({}, mappings);
  if (body.is_object() && index::merged_mappings(once, once) != once) std::abort();
  if (const auto read = index::read_component_template(body); read.ok()) {
    index::TemplateTable table;
    table.put("c", *read);
    index::IndexTemplate above;
    above.composed_of = {"c", "c"};
    (void)table.compose(above);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto record = index::decode_names(text); record.ok())
    (void)index::encode_names(*record);
  const auto body = parse_json(text);
  if (!body.ok()) return 0;
  check_bodies(*body);
  check_merging(*body);
  return 0;
}
