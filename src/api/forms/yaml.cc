// SPDX-License-Identifier: Apache-2.0
// Block style: two spaces a level, "- " before elements.
#include "api/forms/yaml.h"

#include <algorithm>
#include <array>

namespace cairn::api {
namespace {

bool is_plain_name(const std::string& name) {
  constexpr std::array<std::string_view, 8> words = {"true", "false", "null", "yes",
                                                     "no",   "on",    "off",  "y"};
  if (name.empty() || name == "n" || (name.front() >= '0' && name.front() <= '9')) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!letter) return false;
  }
  return std::find(words.begin(), words.end(), name) == words.end();
}

bool is_block(const Json& value) {
  return (value.is_object() && !value.as_object().empty()) ||
         (value.is_array() && !value.as_array().empty());
}

void write(std::string& out, const Json& value, std::size_t indent);

void write_member(std::string& out, const Json::Member& member, std::size_t indent) {
  if (is_plain_name(member.first))
    out += member.first;
  else
    append_json_string(out, member.first);
  out += ':';
  if (!is_block(member.second)) {
    out += ' ' + member.second.dump() + '\n';
    return;
  }
  out += '\n';
  // Elements stand at the level of their name, as the platform writes them.
  write(out, member.second, member.second.is_array() ? indent : indent + 2);
}

void write(std::string& out, const Json& value, std::size_t indent) {
  const std::string margin(indent, ' ');
  if (value.is_object()) {
    for (const auto& member : value.as_object()) {
      out += margin;
      write_member(out, member, indent);
    }
    return;
  }
  for (const auto& element : value.as_array()) {
    out += margin + "-";
    if (!is_block(element)) {
      out += ' ' + element.dump() + '\n';
    } else if (element.is_array()) {
      out += '\n';
      write(out, element, indent + 2);
    } else {
      bool first = true;
      for (const auto& member : element.as_object()) {
        out += first ? " " : margin + "  ";
        first = false;
        write_member(out, member, indent + 2);
      }
    }
  }
}

}  // namespace

std::string to_yaml(const Json& value) {
  if (!is_block(value)) return "--- " + value.dump() + "\n";
  std::string out = "---\n";
  write(out, value, 0);
  return out;
}

}  // namespace cairn::api
