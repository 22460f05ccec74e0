// SPDX-License-Identifier: Apache-2.0
// The other server that documents are copied from, and what it is asked with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::tasks {

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
  std::string sealed_headers = {};  // as the record of a task has them; empty: there are none

  /// "host:port", a version 6 address in brackets.
  std::string authority() const;
  /// "[host=example.org port=9200]"
  std::string description() const;
};

/// Reads "https://example.org:9200/prefix"; the port is required. Errors: invalid_argument,
/// illegal_argument_exception.
Status read_remote_host(const std::string& text, RemoteSource& out);

/// Without its headers but for the sealed ones.
Json record_of(const RemoteSource& source);
/// Errors: corrupt.
Result<RemoteSource> read_remote_source(const Json& record);

/// The headers as one text, to be sealed, and back. Errors: corrupt.
std::string text_of_headers(const RemoteSource& source);
Status read_headers(std::string_view text, RemoteSource& out);

}  // namespace cairn::tasks
