// SPDX-License-Identifier: Apache-2.0
#include "connectors/source_document.h"

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

/// Members that the run writes itself. A source's field of that name would stand there twice.
bool is_of_the_item(std::string_view name) {
  return name == "title" || name == "body" || name == "path" || name == "size" ||
         name == "modified" || name == readers_field;
}

}  // namespace

std::string document_id(std::string_view path) {
  return to_base64url(std::string_view(sha256(path)).substr(0, 15));
}

std::string document_id(const Source& source, std::string_view path, std::size_t n) {
  if (n == 0) return source.paths_are_ids() ? std::string(path) : document_id(path);
  // No path has a NUL, so this is nobody else's.
  return document_id(std::string(path) + '\0' + std::to_string(n));
}

std::string document_json(const SourceItem& item, const SourceDocument& document) {
  if (!document.whole.empty()) return document.whole;
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("title").string(document.title);
  json.key("body").string(document.body);
  for (const auto& [name, value] : document.fields.as_object())
    if (!is_of_the_item(name)) json.key(name).value(value);
  if (item.readers) {
    json.key(readers_field).begin_array();
    for (const std::string& name : *item.readers) json.string(name);
    json.end_array();
  }
  json.key("path").string(item.path);
  json.key("size").unsigned_integer(item.size_bytes);
  if (item.modified_ms != 0) json.key("modified").string(format_iso8601(item.modified_ms));
  json.end_object();
  return out;
}

}  // namespace cairn::connectors
