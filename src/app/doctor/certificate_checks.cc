// SPDX-License-Identifier: Apache-2.0
#include "app/doctor/findings.h"
#include "base/strings.h"
#include "format/time.h"
#include "net/certificates.h"
#include "net/tls.h"
#include "os/clock.h"
#include "os/files/files.h"

namespace cairn::app {
namespace {

constexpr std::int64_t day_ms = 86'400'000;
constexpr std::int64_t soon_ms = 30 * day_ms;
constexpr std::size_t certificate_bytes_max = 1 << 20;

void check_dates(const std::string& file, Findings& findings) {
  const auto text = os::read_file(os::system_files(), file, certificate_bytes_max);
  if (!text.ok()) {
    findings.push_back({Health::fault, "certificate", text.error().message,
                        "give the server's user leave to read it"});
    return;
  }
  const auto facts = net::certificate_facts(*text);
  if (!facts.ok()) {
    findings.push_back({Health::fault, "certificate", file + ": " + facts.error().message,
                        "it takes PEM: -----BEGIN CERTIFICATE-----"});
    return;
  }
  const std::int64_t now = os::system_clock().unix_ms();
  const std::string day = format_iso8601(facts->not_after_ms).substr(0, 10);
  const std::string whose =
      file + " of " + (facts->names.empty() ? facts->subject : join(facts->names, ", "));
  if (now >= facts->not_after_ms)
    findings.push_back({Health::fault, "certificate", whose + " ended on " + day,
                        "replace the file: a running server reads it by itself"});
  else if (now < facts->not_before_ms)
    findings.push_back({Health::fault, "certificate",
                        whose + " begins on " + format_iso8601(facts->not_before_ms).substr(0, 10),
                        "set the clock, or replace the file"});
  else
    findings.push_back({now + soon_ms > facts->not_after_ms ? Health::warning : Health::well,
                        "certificate", whose + ", until " + day,
                        now + soon_ms > facts->not_after_ms ? "replace it in time" : ""});
}

}  // namespace

void check_certificates(const Settings& settings, Findings& findings) {
  const net::TlsOptions& tls = settings.http.tls;
  if (tls.certificate_file.empty()) return;
  check_dates(tls.certificate_file, findings);
  for (const std::string& authority :
       {settings.api_client_authority, settings.objects_client_authority}) {
    net::TlsOptions options = tls;
    options.client_authority_file = authority;
    const auto usable = net::TlsContext::for_server(options);
    if (!usable.ok()) {
      findings.push_back({Health::fault, "certificate", usable.error().message,
                          "`cairn init tls` makes files that fit, for a trial"});
      return;
    }
    if (!authority.empty()) check_dates(authority, findings);
  }
}

}  // namespace cairn::app
