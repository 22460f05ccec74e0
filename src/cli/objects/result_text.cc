// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/result_text.h"

#include <algorithm>
#include <vector>

#include "base/strings.h"
#include "cli/table.h"

namespace cairn::cli {
namespace {

using objectclient::Params;
using objectclient::Value;

bool is_simple(const Value& value) {
  return value.members() == nullptr && value.elements() == nullptr;
}

bool is_simple_list(const Value& value) {
  return value.elements() != nullptr &&
         std::all_of(value.elements()->begin(), value.elements()->end(), is_simple);
}

std::string cell_of(const Value& value) {
  if (value.is_null()) return "";
  if (const auto* text = value.text()) return *text;
  if (!is_simple_list(value)) return value.to_json();
  std::vector<std::string> pieces;
  for (const Value& element : *value.elements()) pieces.push_back(cell_of(element));
  return join(pieces, ", ");
}

std::string heading(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c == '_' ? ' ' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

/// A table of structures: a column for each member that one of them has.
std::string table_of(const Value::List& elements) {
  std::vector<std::string> names;
  for (const Value& element : elements)
    for (const auto& [name, value] : *element.members())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  Row head;
  for (const std::string& name : names) head.push_back(heading(name));
  std::vector<Row> rows;
  for (const Value& element : elements) {
    Row row;
    for (const std::string& name : names) row.push_back(cell_of(element[name]));
    rows.push_back(std::move(row));
  }
  return format_table(head, rows, true);
}

std::string indented(const std::string& text) {
  std::string out;
  for (const auto line : split(text, '\n'))
    if (!line.empty()) out += "  " + std::string(line) + "\n";
  return out;
}

bool is_table(const Value& value) {
  return value.elements() != nullptr && !value.elements()->empty() &&
         std::all_of(value.elements()->begin(), value.elements()->end(),
                     [](const Value& element) { return element.members() != nullptr; });
}

}  // namespace

std::string result_text(const Value& result) {
  const Params* const members = result.members();
  if (members == nullptr) return result.is_null() ? "" : cell_of(result) + "\n";
  std::size_t width = 0;
  for (const auto& [name, value] : *members)
    if (is_simple(value) || is_simple_list(value)) width = std::max(width, name.size());
  std::string out;
  std::string below;
  for (const auto& [name, value] : *members) {
    if (is_table(value)) {
      below += name + "\n" + indented(table_of(*value.elements()));
    } else if (value.members() != nullptr) {
      below += name + "\n" + indented(result_text(value));
    } else {
      out += name + std::string(width - name.size() + 2, ' ') + cell_of(value) + "\n";
    }
  }
  return out + below;
}

}  // namespace cairn::cli
