// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <optional>

#include "app/doctor/findings.h"
#include "app/version.h"
#include "base/strings.h"
#include "cli/connection.h"
#include "format/json.h"
#include "net/address.h"
#include "net/client/client.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::app {
namespace {

constexpr std::int64_t server_wait_ms = 5'000;

/// Where a server that listens there is asked from this machine.
std::string url_of(const Settings& settings, const net::HostPort& where) {
  const bool everywhere = where.host.empty() || where.host == "0.0.0.0" || where.host == "::";
  std::string host = everywhere ? "127.0.0.1" : where.host;
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return std::string(settings.http.tls.enabled() ? "https" : "http") + "://" + host +
         ":" + std::to_string(where.port);
}

bool is_free(const net::HostPort& where, std::string& why) {
  const auto listening = net::listen_on(where);
  if (listening.ok()) ::close(*listening);
  if (!listening.ok()) why = listening.error().message;
  return listening.ok();
}

/// What a server there says to anybody: 200 and "ready", or 503 and why not. Nothing where none
/// answers so.
std::optional<net::ClientReply> readiness(const std::string& url, const net::ClientOptions& tls) {
  auto place = net::parse_url(url + "/_health/ready");
  if (!place.ok()) return std::nullopt;
  net::Client client(tls);
  auto reply =
      client.send({.method = "GET", .url = *std::move(place)}, os::Deadline::in_ms(server_wait_ms));
  if (!reply.ok()) return std::nullopt;
  return *std::move(reply);
}

void tell_conditions(const cli::Answer& info, const cli::Answer& health, Findings& findings) {
  if (info.status != 200 || health.status != 200) {
    findings.push_back({Health::warning, "server",
                        cli::reason_of(info.status != 200 ? info : health),
                        "its own words need a key with the privilege monitor"});
    return;
  }
  const Json* running = info.body.find_path("version.cairn_version");
  const std::string text = running != nullptr && running->is_string() ? running->as_string() : "";
  if (text != version)
    findings.push_back({Health::warning, "server",
                        "version " + text + " runs, this program is " + version,
                        "restart it: systemctl restart cairn"});
  const std::string status = health.body.string_or("status");
  findings.push_back(
      {status == "green" ? Health::well : Health::fault, "indices",
       status == "green" ? "all are ready" : "some are not ready",
       status == "green" ? "" : "GET /_cat/indices and the log tell which, and why"});
}

void ask_server(const Settings& settings, const std::string& url, const net::ClientOptions& tls,
                Findings& findings) {
  const std::string key_file = settings.data_dir + "/keys/admin.key";
  auto connection = cli::Connection::open_at(url, key_file, tls);
  if (!connection.ok()) {
    findings.push_back({Health::warning, "server", connection.error().message,
                        "without the administrator's key the server is asked no more"});
    return;
  }
  const auto info = connection->ask("GET", "/");
  const auto health = connection->ask("GET", "/_cluster/health?timeout=1s");
  if (info.ok() && health.ok()) return tell_conditions(*info, *health, findings);
  findings.push_back({Health::warning, "server",
                      info.ok() ? health.error().message : info.error().message,
                      settings.http.tls.certificate_file.empty()
                          ? "its log tells more"
                          : "say whom to trust: CAIRN_CA_FILE, and CAIRN_CERTIFICATE_FILE where it "
                            "asks who comes"});
}

}  // namespace

void check_server(const Settings& settings, const net::ClientOptions& tls, Findings& findings) {
  const std::pair<const char*, const std::string&> listeners[] = {
      {"listen.api", settings.listen_api}, {"listen.objects", settings.listen_objects}};
  for (const auto& [key, address] : listeners) {
    const auto where = net::parse_host_port(address);
    if (!where.ok()) continue;
    std::string why;
    if (where->port == 0 || is_free(*where, why)) {
      findings.push_back({Health::well, key, address + " is free"});
      continue;
    }
    const std::string url = url_of(settings, *where);
    // Only whether anybody answers: nothing secret is sent, so nobody has to be trusted.
    net::ClientOptions anybody = tls;
    anybody.tls_verify = false;
    const auto reply = readiness(url, anybody);
    if (!reply) {
      findings.push_back({Health::fault, key, why,
                          "another program has it: end it (ss -ltnp), or set " + std::string(key)});
      continue;
    }
    if (std::string_view(key) == "listen.objects") {
      findings.push_back({Health::well, key, url + " is answered"});
      continue;
    }
    const bool ready = reply->status == 200;
    findings.push_back({ready ? Health::well : Health::fault, key,
                        url + (ready ? " is answered" : " says: " + std::string(trim(reply->body))),
                        ready ? "" : "its log tells more"});
    ask_server(settings, url, tls, findings);
  }
}

}  // namespace cairn::app
