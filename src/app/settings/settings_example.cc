// SPDX-License-Identifier: Apache-2.0
// cairn.yaml with every setting in it, commented out; and its manual page.
#include "app/settings/settings.h"
#include "app/version.h"
#include "base/strings.h"
#include "cli/manual.h"

namespace cairn::app {
namespace {

constexpr std::size_t example_columns = 100;

/// As it would stand in the file: what YAML would take for something else stands in quotes.
std::string in_yaml(const Setting& setting, const std::string& value) {
  const auto quoted = [](std::string_view text) { return Json(text).dump(); };
  switch (setting.type) {
    case SettingType::boolean:
    case SettingType::integer:
    case SettingType::time:
    case SettingType::size:
    case SettingType::choice:
      return value.empty() ? quoted(value) : value;
    case SettingType::list:
    case SettingType::zones:
    case SettingType::outposts: {
      std::string out;
      for (const auto piece : split(value, ','))
        if (!piece.empty()) out += (out.empty() ? "" : ", ") + quoted(piece);
      return "[" + out + "]";
    }
    case SettingType::text:
      return quoted(value);
  }
  return quoted(value);
}

/// Within a quoted argument of a request.
std::string roff_quoted(std::string_view text) {
  std::string out;
  for (const char c : cli::roff_text(text))
    out += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return out;
}

std::string in_comment(std::string_view text) {
  std::string out, line;
  for (const auto word : split(text, ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > example_columns) {
      out += "# " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return out + "# " + line + "\n";
}

}  // namespace

std::string settings_example() {
  std::string out =
      "# Settings of Cairn. Each line that begins with #name is a default: take the # away and "
      "change it.\n"
      "# Files of conf.d/ beside this one count too, and after it; then the environment\n"
      "# (CAIRN_LISTEN__API), then flags. `cairn config check` tells what is wrong, `cairn config "
      "print`\n"
      "# what holds and where it comes from. The limits of requests have a section of their own,\n"
      "# rate_limit: docs/reference/rate-limits.md.\n";
  std::string section;
  for (const Setting& setting : setting_table()) {
    const std::string of = setting.key.substr(0, setting.key.find('.'));
    if (std::exchange(section, of) != of) out += "\n# --- " + of + "\n";
    out += "\n" + in_comment(setting.description);
    if (!setting.choices.empty()) out += in_comment("One of: " + join(setting.choices, ", ") + ".");
    out += "#" + setting.key + ": " + in_yaml(setting, setting.get(Settings{})) + "\n";
  }
  return out;
}

std::string settings_manual() {
  using cli::roff_text;
  std::string out =
      ".TH CAIRN.YAML 5 \"\" \"Cairn " + roff_text(version) + "\" \"File Formats\"\n" +
      ".SH NAME\ncairn.yaml \\- settings of Cairn\n.SH DESCRIPTION\n" +
      roff_text(
          "A YAML file of sections, or of names with dots. Later ones win: defaults, "
          "/etc/cairn/cairn.yaml, the files of /etc/cairn/conf.d by name, variables "
          "CAIRN_SECTION__KEY, flags. An unknown name is an error.\n") +
      ".PP\n.B cairn config check\ntells what is wrong,\n.B cairn config print\nwhat holds and "
      "where it comes from.\n.SH SETTINGS\n";
  for (const Setting& setting : setting_table()) {
    out += ".TP\n.BR " + roff_text(setting.key) + " \"  (" +
           roff_quoted(in_yaml(setting, setting.get(Settings{}))) + ")\"\n" +
           roff_text(setting.description) + "\n";
    if (!setting.choices.empty())
      out += roff_text("One of: " + join(setting.choices, ", ") + ".\n");
  }
  out += ".TP\n.B rate_limit\n" +
         roff_text("The limits of requests, a tree: docs/reference/rate-limits.md.\n");
  return out + ".SH SEE ALSO\n.BR cairn (1)\n";
}

}  // namespace cairn::app
