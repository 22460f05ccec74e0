// SPDX-License-Identifier: Apache-2.0
// Requests from pages of other origins: which may read answers, and what browsers ask first.
// Source: the Fetch standard, section 3.2 (CORS protocol).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::api {

struct CorsOptions {
  bool enabled = false;
  std::vector<std::string> allow_origin = {};  // "https://app.example.org", or "*" alone: any
  /// Errors: invalid_argument, with the setting.
  Status validate() const;
};

/// Immutable; safe from any thread. Never lets a page of another origin use cookies.
class Cors {
 public:
  explicit Cors(const CorsOptions& options);

  /// A browser asks whether a page may make a request. False where nothing is shared.
  bool is_preflight(const net::RequestHead& head) const;
  /// Whether its origin may. Errors: permission_denied, with the setting.
  Status check_preflight(const net::RequestHead& head) const;
  /// What such a browser is told besides put().
  void put_preflight(net::Headers& headers) const;
  /// For every reply.
  void put(const net::RequestHead& head, net::HeadLines& lines) const;

 private:
  bool allows(std::string_view origin) const;

  const bool enabled_;
  bool any_ = false;
  std::vector<std::string> origins_ = {};  // lower case
};

}  // namespace cairn::api
