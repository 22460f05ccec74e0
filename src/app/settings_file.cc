// SPDX-License-Identifier: Apache-2.0
// The one place that knows YAML.
#include <yaml-cpp/yaml.h>

#include "app/settings.h"
#include "os/files.h"

namespace cairn::app {
namespace {

constexpr std::size_t file_bytes_max = 1 << 20;
constexpr int depth_max = 8;

std::string place(const std::string& path, const YAML::Mark& mark) {
  return path + ":" + std::to_string(mark.line + 1);
}

Error fault(const std::string& where, const std::string& what) {
  return {.kind = ErrorKind::invalid_argument, .message = where + ": " + what};
}

Status flatten(const YAML::Node& node, const std::string& prefix, const std::string& path, int depth,
               std::vector<GivenSetting>& out) {
  if (depth > depth_max) return fault(place(path, node.Mark()), "nested too deep");
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) return fault(place(path, entry.first.Mark()), "a key must be text");
    const std::string key = prefix + entry.first.Scalar();
    const YAML::Node& value = entry.second;
    const std::string where = place(path, entry.first.Mark());
    if (value.IsMap()) {
      CAIRN_CHECK(flatten(value, key + ".", path, depth + 1, out));
    } else if (value.IsScalar()) {
      out.push_back({key, value.Scalar(), where});
    } else if (value.IsNull()) {
      out.push_back({key, "", where});
    } else {
      std::string text;
      for (const auto& element : value) {
        if (!element.IsScalar()) return fault(place(path, element.Mark()), "a list holds texts only");
        text += (text.empty() ? "" : ",") + element.Scalar();
      }
      out.push_back({key, text, where});
    }
  }
  return ok_status();
}

}  // namespace

Result<std::vector<GivenSetting>> settings_of_file(const std::string& path) {
  CAIRN_TRY(const std::string text, os::read_file(os::system_files(), path, file_bytes_max));
  std::vector<GivenSetting> out;
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return out;
    if (!root.IsMap()) return fault(place(path, root.Mark()), "the file must hold keys and values");
    CAIRN_CHECK(flatten(root, "", path, 0, out));
  } catch (const YAML::Exception& error) {
    return fault(place(path, error.mark), error.msg);
  }
  return out;
}

}  // namespace cairn::app
