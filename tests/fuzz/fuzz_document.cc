// SPDX-License-Identifier: Apache-2.0
// A mapping in the first line, a document behind it: a mapping that was taken is written and taken
// again as it is, a document needs nothing of the mapping that it led to, and each of its objects is
// found in its source.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "index/document/document.h"
#include "index/document/object_source.h"

namespace {

using namespace cairn;

constexpr std::size_t fields_limit = 1000;

void check_mapping(const index::Mapping& mapping) {
  const Json written = mapping.to_json();
  const auto again = index::Mapping::parse(written, fields_limit);
  if (!again.ok() || (*again)->to_json().dump() != written.dump()) std::abort();
}

// `above` is the name of the field whose object has them.
void check_objects(const Json& source, const std::vector<index::NestedObject>& objects,
                   const std::string& above, std::vector<index::ObjectPlace>& places) {
  std::map<std::string, std::uint32_t> offsets;
  for (const index::NestedObject& object : objects) {
    const std::string& name = object.field->name;
    places.push_back({name.substr(above.empty() ? 0 : above.size() + 1), offsets[name]++});
    if (!index::source_of_object(source, places).ok()) std::abort();
    check_objects(source, object.nested, name, places);
    places.pop_back();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto json = parse_json(text.substr(0, line));
  if (!json.ok()) return 0;
  const auto mapping = index::Mapping::parse(*json, fields_limit);
  if (!mapping.ok()) return 0;
  check_mapping(**mapping);
  const std::string source(text.substr(line + 1));
  const auto document = index::parse_document("1", source, {}, *mapping, {});
  if (!document.ok()) return 0;
  check_mapping(*document->mapping);
  const auto again = index::parse_document("1", source, {}, document->mapping, {});
  if (!again.ok() || !again->mapping_change.is_null()) std::abort();
  std::vector<index::ObjectPlace> places;
  check_objects(*parse_json(source), again->nested, "", places);
  return 0;
}
