// SPDX-License-Identifier: Apache-2.0
// Line by line: sections, keys, and keys below keys.
#include "objectclient/profiles.h"

#include "base/strings.h"

namespace cairn::objectclient {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

/// Without what stands behind a '#' or ';' that follows a space.
std::string_view without_remark(std::string_view line) {
  if (line.starts_with('#') || line.starts_with(';')) return {};
  for (std::size_t i = 1; i < line.size(); ++i)
    if ((line[i] == '#' || line[i] == ';') && is_space(line[i - 1])) return line.substr(0, i);
  return line;
}

struct Header {
  std::string_view kind;  // "profile", "sso-session", "services"
  std::string_view name;
};

Header header_of(std::string_view inside) {
  inside = trim(inside);
  for (const std::string_view kind : {"profile", "sso-session", "services"})
    if (inside.size() > kind.size() && inside.starts_with(kind) && is_space(inside[kind.size()]))
      return {kind, trim(inside.substr(kind.size()))};
  return {"profile", inside};
}

}  // namespace

Status Profiles::read(std::string_view text, std::string_view file) {
  Section* section = nullptr;
  std::string above;  // the key that indented keys belong to
  std::size_t number = 0;
  const auto fault = [&](std::string_view what) {
    return Error{ErrorKind::invalid_argument,
                 {},
                 std::string(file) + ":" + std::to_string(number) + ": " + std::string(what)};
  };
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool indented = !line.empty() && is_space(line.front());
    line = trim(without_remark(line));
    if (line.empty()) continue;
    if (line.front() == '[') {
      if (line.back() != ']') return fault("a section must end with ]");
      const Header header = header_of(line.substr(1, line.size() - 2));
      if (header.name.empty()) return fault("a section needs a name");
      Sections& sections = header.kind == "services"      ? services_
                           : header.kind == "sso-session" ? sso_sessions_
                                                          : profiles_;
      section = &sections[std::string(header.name)];
      above.clear();
      continue;
    }
    if (section == nullptr) return fault("a key must stand in a section");
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) return fault("expected key = value");
    const std::string key(trim(line.substr(0, equals)));
    const std::string_view value = trim(line.substr(equals + 1));
    if (indented && !above.empty()) {
      (*section)[above + "." + key] = value;
    } else {
      above = value.empty() ? key : "";
      if (!value.empty()) (*section)[key] = value;
    }
  }
  return ok_status();
}

Result<Profiles> Profiles::parse(std::string_view config, std::string_view credentials) {
  Profiles out;
  CAIRN_CHECK(out.read(config, "config"));
  CAIRN_CHECK(out.read(credentials, "credentials"));
  return out;
}

Result<Profiles> Profiles::load(const Environment& environment) {
  const std::string home = environment.variable_or("HOME", "");
  Profiles out;
  for (const auto& [variable, name] : {std::pair{"AWS_CONFIG_FILE", "config"},
                                       std::pair{"AWS_SHARED_CREDENTIALS_FILE", "credentials"}}) {
    std::string path = environment.variable_or(variable, "");
    if (path.empty() && !home.empty()) path = home + "/.aws/" + name;
    if (path.starts_with("~/")) path = home + path.substr(1);
    if (path.empty()) continue;
    CAIRN_TRY(const auto text, environment.read_file(path));
    if (text) CAIRN_CHECK(out.read(*text, path));
  }
  return out;
}

bool Profiles::has(std::string_view profile) const {
  return profiles_.find(profile) != profiles_.end();
}

std::optional<std::string> Profiles::find(const Sections& sections, std::string_view section,
                                          std::string_view key) {
  const auto found = sections.find(section);
  if (found == sections.end()) return std::nullopt;
  const auto value = found->second.find(key);
  if (value == found->second.end()) return std::nullopt;
  return value->second;
}

std::optional<std::string> Profiles::value(std::string_view profile, std::string_view key) const {
  return find(profiles_, profile, key);
}

std::optional<std::string> Profiles::sso_value(std::string_view session,
                                               std::string_view key) const {
  return find(sso_sessions_, session, key);
}

std::optional<std::string> Profiles::service_value(std::string_view profile,
                                                   std::string_view service,
                                                   std::string_view key) const {
  const auto chosen = value(profile, "services");
  if (!chosen) return std::nullopt;
  return find(services_, *chosen, std::string(service) + "." + std::string(key));
}

}  // namespace cairn::objectclient
