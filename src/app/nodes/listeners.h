// SPDX-License-Identifier: Apache-2.0
// The two ports for clients.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "app/settings/settings.h"
#include "base/result.h"
#include "net/http/message.h"
#include "net/server/server.h"

namespace cairn::app {

/// The same, with the name of a room or a setting before what went wrong.
template <class T>
Result<T> named(std::string_view name, Result<T> result) {
  if (result.ok()) return result;
  return with_context(std::move(result).error(), name);
}

struct Listeners {
  std::unique_ptr<net::Server> objects, api;

  /// Both stop accepting and let requests finish, within the same time. Blocks.
  void drain(std::int64_t grace_ms);
  /// Errors: of the one whose files cannot be used; the other has its new ones.
  Status reload_tls();
};

/// Both handlers outlive it. Errors: those of net::Server::open, with the setting's name before
/// them.
Result<Listeners> open_listeners(const Settings& settings, net::Handler api, net::Handler objects);

/// "http://127.0.0.1:9200", as a listener is bound.
std::string url_of(const Settings& settings, const net::Server& server);

}  // namespace cairn::app
