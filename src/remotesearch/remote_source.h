// SPDX-License-Identifier: Apache-2.0
// The other server that documents are read from, and what it is asked with.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "format/json.h"

namespace cairn::remotesearch {

struct RemoteSource {
  std::string scheme;  // http or https
  std::string host;    // without brackets
  std::uint16_t port = 0;
  std::string path_prefix = {};  // "/prefix"; empty: none
  std::int64_t connect_timeout_ms = 30'000;
  std::int64_t socket_timeout_ms = 30'000;  // between bytes of an answer, and for its head
  std::int64_t keep_alive_ms = 300'000;     // of the scroll there, between two pages
  Json query = {};                          // null: all; handed on as it is
  Json sort = {};                           // null: the other server's order
  /// What it is asked with beside the request: credentials, so that all of them are secret.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string sealed_headers = {};  // the same, as records have them; empty: none

  /// "host:port", a version 6 address in brackets.
  std::string authority() const;
  /// "[host=example.org port=9200]"
  std::string description() const;
};

}  // namespace cairn::remotesearch
