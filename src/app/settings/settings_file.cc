// SPDX-License-Identifier: Apache-2.0
// The one place that knows YAML.
#include <yaml-cpp/yaml.h>

#include <cmath>

#include "app/settings/limit_settings.h"
#include "app/settings/settings.h"
#include "base/strings.h"
#include "os/files/files.h"

namespace cairn::app {
namespace {

constexpr std::size_t file_bytes_max = 1 << 20;
constexpr int depth_max = 8;

std::string place(const std::string& path, const YAML::Mark& mark) {
  return path + ":" + std::to_string(mark.line + 1);
}

Error file_fault(const std::string& where, const std::string& what) {
  return {.kind = ErrorKind::invalid_argument, .message = where + ": " + what};
}

/// A plain scalar is what it looks like, a quoted one is text.
Json scalar_of(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;
  if (text.empty() || text == "~" || text == "null") return Json();
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = parse_number<std::int64_t>(text)) return *number;
  if (const auto number = parse_number<double>(text); number && std::isfinite(*number))
    return *number;
  return text;
}

Result<Json> json_of(const YAML::Node& node, const std::string& path, int depth) {
  if (depth > depth_max) return file_fault(place(path, node.Mark()), "nested too deep");
  if (node.IsNull()) return Json();
  if (node.IsScalar()) return scalar_of(node);
  Json out = node.IsMap() ? Json::object() : Json::array();
  for (const auto& entry : node) {
    if (!node.IsMap()) {
      CAIRN_TRY(Json element, json_of(entry, path, depth + 1));
      out.push(std::move(element));
      continue;
    }
    if (!entry.first.IsScalar())
      return file_fault(place(path, entry.first.Mark()), "a key must be text");
    CAIRN_TRY(Json value, json_of(entry.second, path, depth + 1));
    out.set(entry.first.Scalar(), std::move(value));
  }
  return out;
}

/// The section of the limits: every value with its place in the tree and in the file.
Status flatten_limits(const YAML::Node& node, const std::string& where, std::vector<std::string> at,
                      const std::string& path, std::vector<GivenSetting>& out) {
  if (at.size() > depth_max) return file_fault(where, "nested too deep");
  if (!node.IsMap() || node.size() == 0) {
    if (at.empty() && !node.IsMap()) {
      if (node.IsNull()) return ok_status();
      return file_fault(where, "rate_limit must hold keys and values");
    }
    CAIRN_TRY(Json value, json_of(node, path, 0));
    out.push_back({limit_key(at), {}, where, at, std::move(value)});
    return ok_status();
  }
  for (const auto& entry : node) {
    const std::string here = place(path, entry.first.Mark());
    if (!entry.first.IsScalar()) return file_fault(here, "a key must be text");
    at.push_back(entry.first.Scalar());
    CAIRN_CHECK(flatten_limits(entry.second, here, at, path, out));
    at.pop_back();
  }
  return ok_status();
}

bool takes_records(const std::string& key) {
  for (const Setting& setting : setting_table())
    if (setting.key == key) 
      return setting.type == SettingType::zones || setting.type == SettingType::outposts;
  return false;
}

/// A text of a list; of a record its names and values: "id=use1-az1 type=LocalZone".
Result<std::string> text_of_element(const YAML::Node& element, const std::string& key,
                                    const std::string& path) {
  if (element.IsScalar()) return element.Scalar();
  const auto fault = [&] {
    return file_fault(place(path, element.Mark()), "a list holds texts only");
  };
  if (!element.IsMap() || !takes_records(key)) return fault();
  std::string text;
  for (const auto& member : element) {
    if (!member.first.IsScalar() || !member.second.IsScalar()) return fault();
    text += (text.empty() ? "" : " ") + member.first.Scalar() + "=" + member.second.Scalar();
  }
  return text;
}

Status flatten(const YAML::Node& node, const std::string& prefix, const std::string& path,
               int depth, std::vector<GivenSetting>& out) {
  if (depth > depth_max) return file_fault(place(path, node.Mark()), "nested too deep");
  for (const auto& entry : node) {
    if (!entry.first.IsScalar())
      return file_fault(place(path, entry.first.Mark()), "a key must be text");
    const std::string key = prefix + entry.first.Scalar();
    const YAML::Node& value = entry.second;
    const std::string where = place(path, entry.first.Mark());
    if (const auto section = limit_path(key)) {
      CAIRN_CHECK(flatten_limits(value, where, *section, path, out));
    } else if (value.IsMap()) {
      CAIRN_CHECK(flatten(value, key + ".", path, depth + 1, out));
    } else if (value.IsScalar()) {
      out.push_back({.key = key, .text = value.Scalar(), .origin = where});
    } else if (value.IsNull()) {
      out.push_back({.key = key, .text = "", .origin = where});
    } else {
      std::string text;
      for (const auto& element : value) {
        CAIRN_TRY(const std::string piece, text_of_element(element, key, path));
        text += (text.empty() ? "" : ",") + piece;
      }
      out.push_back({.key = key, .text = text, .origin = where});
    }
  }
  return ok_status();
}

/// The first line with a tab before its first word, from 1; 0 where there is none. The library says
/// "illegal map value" of what comes behind it.
std::size_t line_with_tab(std::string_view text) {
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line.substr(0, first).find('\t') != std::string_view::npos)
      return number;
  }
  return 0;
}

}  // namespace

Result<std::vector<GivenSetting>> settings_of_file(const std::string& path) {
  CAIRN_TRY(const std::string text, os::read_file(os::system_files(), path, file_bytes_max));
  std::vector<GivenSetting> out;
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return out;
    if (!root.IsMap())
      return file_fault(place(path, root.Mark()), "the file must hold keys and values");
    CAIRN_CHECK(flatten(root, "", path, 0, out));
  } catch (const YAML::Exception& error) {
    if (const std::size_t line = line_with_tab(text); line != 0)
      return file_fault(path + ":" + std::to_string(line),
                        "a tab stands before the first word; YAML is indented by spaces");
    return file_fault(place(path, error.mark), error.msg);
  }
  return out;
}

}  // namespace cairn::app
