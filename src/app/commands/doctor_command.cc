// SPDX-License-Identifier: Apache-2.0
#include "app/commands/doctor_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/commands/commands.h"
#include "app/doctor/findings.h"
#include "cli/exit_codes.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view doctor_usage =
    "usage: cairn doctor [--json] [--config FILE] [--data DIR] [--set KEY=VALUE]...\n"
    "Looks at settings, data folder, keys, clock, disk, ports, certificates and, where it runs,\n"
    "at the server, and says what to do. Changes nothing. Run it as the server's user, with its\n"
    "settings: sudo -u cairn cairn doctor. A server with TLS is trusted as CAIRN_CA_FILE says.\n"
    "Exit status: 0 nothing must be done, 1 something must, 78 a setting is wrong.\n";

const char* name_of(Health health) {
  switch (health) {
    case Health::well:
      return "ok";
    case Health::warning:
      return "warning";
    case Health::fault:
      break;
  }
  return "fault";
}

/// Green, yellow, red on a terminal.
std::string coloured(Health health) {
  const char* const colour = health == Health::well      ? "32"
                             : health == Health::warning ? "33"
                                                         : "31";
  return std::string("\033[") + colour + "m" + name_of(health) + "\033[0m";
}

Json json_of(const Finding& finding) {
  Json out = Json::object(
      {{"health", name_of(finding.health)}, {"subject", finding.subject}, {"text", finding.text}});
  if (!finding.advice.empty()) out.set("advice", finding.advice);
  return out;
}

void print_findings(const Findings& findings, bool colours) {
  for (const Finding& finding : findings) {
    const std::string health = colours ? coloured(finding.health) : name_of(finding.health);
    const std::size_t invisible = health.size() - std::string_view(name_of(finding.health)).size();
    std::printf("%-*s  %-18s %s\n", static_cast<int>(7 + invisible), health.c_str(),
                finding.subject.c_str(), finding.text.c_str());
    if (!finding.advice.empty()) std::printf("%28s %s\n", "", finding.advice.c_str());
  }
}

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const auto& entry : environment)
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return {};
}

Findings look(const Settings& settings, const std::vector<std::string>& environment) {
  const net::ClientOptions tls{
      .tls_ca_file = value_of(environment, "CAIRN_CA_FILE"),
      .tls_certificate_file = value_of(environment, "CAIRN_CERTIFICATE_FILE")};
  Findings findings;
  check_machine(settings, findings);
  check_folders(settings, findings);
  check_certificates(settings, findings);
  check_services(settings, findings);
  check_server(settings, tls, findings);
  return findings;
}

}  // namespace

std::string_view doctor_help() { return doctor_usage; }

int doctor_command(const std::vector<std::string>& words,
                   const std::vector<std::string>& environment) {
  std::vector<std::string> rest = words;
  const bool json = std::erase(rest, "--json") > 0;
  const auto loaded = settings_of_words(rest, environment, doctor_usage);
  if (!loaded.settings) return loaded.exit_code;
  // What the rooms would log is told here.
  os::configure_log(os::LogLevel::error, loaded.settings->settings.log_format);
  Findings findings = look(loaded.settings->settings, environment);
  if (const std::string passed = passed_over_file(loaded.sources); !passed.empty())
    findings.push_back({Health::warning, "settings", passed + " is not read",
                        "name it with --config or CAIRN_CONFIG"});
  else
    findings.insert(findings.begin(), {Health::well, "settings", "valid"});
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.health < b.health; });
  const auto faults = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.health == Health::fault;
  });
  if (json) {
    Json list = Json::array();
    for (const Finding& finding : findings) list.push(json_of(finding));
    cli::print_json(Json::object({{"healthy", faults == 0}, {"findings", std::move(list)}}));
  } else {
    print_findings(findings,
                   ::isatty(STDOUT_FILENO) != 0 && value_of(environment, "NO_COLOR").empty());
  }
  return faults == 0 ? cli::success : cli::failed;
}

}  // namespace cairn::app
