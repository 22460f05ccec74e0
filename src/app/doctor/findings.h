// SPDX-License-Identifier: Apache-2.0
// What `cairn doctor` finds. Every check changes nothing and ends within seconds.
#pragma once

#include <string>
#include <vector>

#include "app/settings/settings.h"
#include "net/options.h"

namespace cairn::app {

enum class Health { well, warning, fault };

struct Finding {
  Health health = Health::well;
  std::string subject;      // "data folder", "port 9200"
  std::string text;         // what is
  std::string advice = {};  // what to do; empty where all is well
};
using Findings = std::vector<Finding>;

/// Clock, processor, memory, open files.
void check_machine(const Settings& settings, Findings& findings);
/// The data folder: whose it is, its format, space, keys; and other folders that settings name.
void check_folders(const Settings& settings, Findings& findings);
/// Files of TLS: whether they can be used, and how long.
void check_certificates(const Settings& settings, Findings& findings);
/// Redis and the cluster of store.url, where there are any.
void check_services(const Settings& settings, Findings& findings);
/// Whether the addresses are free, or the server's own; and what that server says of itself. `tls`:
/// whom to trust and what to show, the fields tls_… alone.
void check_server(const Settings& settings, const net::ClientOptions& tls, Findings& findings);

}  // namespace cairn::app
