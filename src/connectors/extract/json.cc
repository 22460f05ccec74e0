// SPDX-License-Identifier: Apache-2.0
// JSON and lines of JSON: names and values, line by line, or a document of each element.
#include <algorithm>

#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"
#include "format/json.h"

namespace cairn::connectors {
namespace {

/// The depth is what parse_json takes.
void append_json_text(std::string& out, const Json& value) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.as_object()) {
      (out += name) += ": ";
      append_json_text(out, member);
    }
  } else if (value.is_array()) {
    for (const Json& element : value.as_array()) append_json_text(out, element);
  } else if (value.is_string()) {
    (out += value.as_string()) += '\n';
  } else if (!value.is_null()) {
    (out += value.dump()) += '\n';
  }
}

std::string title_of(const Json& value) {
  for (const auto* name : {"title", "name", "subject", "headline"})
    if (std::string title = first_line(value.string_or(name)); !title.empty()) return title;
  return {};
}

ExtractedRow row_of(const Json& value) {
  ExtractedRow row{.fields_json = value.dump(), .body = {}};
  append_json_text(row.body, value);
  return row;
}

}  // namespace

ExtractedFile extract_json(std::string_view text, const ExtractOptions& options) {
  ExtractedFile out;
  const auto value = parse_json(text);
  if (!value.ok()) {
    out.body = text;
    return out;
  }
  const bool all_objects = value->is_array() && !value->as_array().empty() &&
                           std::all_of(value->as_array().begin(), value->as_array().end(),
                                       [](const Json& element) { return element.is_object(); });
  if (options.rows && all_objects) {
    for (const Json& element : value->as_array()) out.rows.push_back(row_of(element));
    return out;
  }
  append_json_text(out.body, *value);
  out.title = title_of(*value);
  return out;
}

ExtractedFile extract_json_lines(std::string_view text, const ExtractOptions& options) {
  ExtractedFile out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const auto value = parse_json(line);
    if (options.rows && value.ok() && value->is_object()) {
      out.rows.push_back(row_of(*value));
    } else if (value.ok()) {
      append_json_text(out.body, *value);
    } else {
      (out.body += line) += '\n';
    }
  }
  return out;
}

}  // namespace cairn::connectors
