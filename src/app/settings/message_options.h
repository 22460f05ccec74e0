// SPDX-License-Identifier: Apache-2.0
// What can be set about messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cairn::app {

struct MessageOptions {
  std::string webhook_url = {};                // empty: none is called
  std::string webhook_secret_file = {};        // empty: calls are not signed
  std::string webhook_ca_file = {};            // empty: the system's authorities
  std::vector<std::string> mail_command = {};  // a program and its words; empty: no mail
  std::string mail_from = {}, mail_to = {};
  std::int64_t check_ms = 60'000;
  std::int64_t repeat_ms = 86'400'000;              // 0: what lasts is told once
  std::int64_t disk_percent = 90;                   // of the disk that is used; 0: never told
  std::int64_t certificate_ms = 14 * 86'400'000ll;  // before it ends; 0: never told

  bool any() const { return !webhook_url.empty() || !mail_command.empty(); }
  Status validate() const;
};

}  // namespace cairn::app
