// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/database_rows.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "connectors/errors.h"

namespace cairn::connectors {
namespace {

constexpr std::string_view no_key = "(a row whose key is null)";

/// The parts of a key in one text. "/" stands between them, so it is escaped within them.
std::string key_text(std::vector<std::string> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : "/") + percent_encode(parts[i], "");
  return out;
}

}  // namespace

Result<DatabaseColumns> DatabaseColumns::of(std::vector<std::string> names,
                                            const std::vector<std::string>& key) {
  DatabaseColumns out;
  for (const auto& part : key) {
    const auto at = std::find(names.begin(), names.end(), part);
    if (at == names.end())
      return bad_argument("[key] names [" + part + "], which is no column of the rows");
    out.key_.push_back(static_cast<std::size_t>(at - names.begin()));
  }
  out.names_ = std::move(names);
  return out;
}

std::size_t add_database_row(SourcePage& page, const DatabaseColumns& columns,
                             const DatabaseRow& row) {
  std::vector<std::string> parts;
  for (const std::size_t column : columns.key()) {
    auto part = row.key_part(column);
    if (!part) {
      page.unreadable.push_back({std::string(no_key), std::string(no_key) + " has no id"});
      return 0;
    }
    parts.push_back(*std::move(part));
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (std::size_t i = 0; i < columns.names().size(); ++i) {
    json.key(columns.names()[i]);
    row.append(json, i);
  }
  json.end_object();
  const std::size_t bytes = text.size();
  SourceItem item{.path = key_text(std::move(parts)), .version = {}, .size_bytes = bytes};
  item.content = SourceContent{.content_hash = sha256(text), .documents = {}};
  item.content->documents.push_back({.whole = std::move(text)});
  page.items.push_back(std::move(item));
  return bytes;
}

Error no_primary_key(std::string_view table) {
  return bad_argument("[key] must name the columns that tell rows apart: [" + std::string(table) +
                      "] has no primary key");
}

}  // namespace cairn::connectors
