// SPDX-License-Identifier: Apache-2.0
// What tests of routes share: keys, gate and dispatcher over memory, and requests to them.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/dispatcher.h"
#include "api/memory_exchange.h"
#include "api/routes/security/principal_request.h"
#include "auth/keys/keys.h"
#include "gate/gate.h"
#include "os/files/test_folder.h"
#include "store/memory_store.h"

namespace cairn::api {

/// Everything that stands before a handler. A fixture derives from it and serves its routes.
struct DispatcherFixture {
  std::unique_ptr<store::Store> store = store::memory_store();  // of keys, and free for the routes
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(9);
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, clock, *random, {}, os::Deadline::never()).value());
  os::TestFolder audit_folder;
  std::unique_ptr<gate::AuditLog> audit = std::move(
      gate::AuditLog::open(os::system_files(), clock, {.folder = audit_folder.path}).value());
  std::unique_ptr<auth::ObjectKeys> object_keys =
      std::move(auth::ObjectKeys::open(*store, auth::Seal(std::string(32, 'k')), clock, *random,
                                       os::Deadline::never())
                    .value());
  std::shared_ptr<const auth::ObjectKey> first =  // the pair of the first start
      object_keys->create("admin", os::Deadline::never()).value();
  std::unique_ptr<auth::Accounts> accounts = std::move(
      auth::Accounts::open(*store, *object_keys, clock, *random, os::Deadline::never()).value());
  std::unique_ptr<auth::Principals> principals = std::move(
      auth::Principals::open(*keys, *object_keys, *accounts, clock, os::Deadline::never())
          .value());
  KeyBooks books{*keys, *accounts, *object_keys, *principals};
  std::function<bool(const auth::ObjectCaller&, std::string_view)> may_read = {};
  gate::Gate gate{
      *keys,
      *audit,
      {.object_rights = {
           .holder_of = [this](const auth::Key& key) { return principals->holder_of(key); },
           .may_read =
               [this](const auth::ObjectCaller& holder, std::string_view index) {
                 return may_read && may_read(holder, index);
               }}}};
  os::Metrics metrics;
  std::unique_ptr<Dispatcher> dispatcher;
  std::string admin = key("admin", R"({"a":{"cluster":["all"],
      "indices":[{"names":["*"],"privileges":["all"],"allow_restricted_indices":true}]}})");

  void serve(Router router, const Options& options = {}, os::ComputePool* pool = nullptr,
             os::MemoryBreaker* memory = nullptr) {
    dispatcher =
        std::make_unique<Dispatcher>(std::move(router), gate, metrics, options, pool, memory);
  }

  /// The Authorization of a new key of the user admin, with these role descriptors.
  std::string key(const std::string& id, const std::string& roles) {
    auth::Key record;
    record.id = id;
    record.name = id;
    record.username = "admin";
    record.role_descriptors = parse_json(roles).value();
    REQUIRE(keys->install(record, "secret", os::Deadline::never()).ok());
    return "ApiKey " + auth::encoded_key(id, "secret");
  }
  /// The same with cluster privileges alone: `["monitor"]`.
  std::string cluster_key(const std::string& id, const std::string& privileges) {
    return key(id, R"({"r":{"cluster":)" + privileges + "}}");
  }

  MemoryReply ask(const MemoryRequest& request) const {
    return exchange_in_memory([this](net::Exchange& e) { dispatcher->answer(e); }, request);
  }
  /// With the credentials of `as`; empty: of the administrator.
  MemoryReply ask(std::string method, std::string target, std::string body = {},
                  const std::string& as = {}) const {
    MemoryRequest request{
        .method = std::move(method), .target = std::move(target), .body = std::move(body)};
    request.headers.add("Authorization", as.empty() ? admin : as);
    return ask(request);
  }
};

/// "404 Inference endpoint not found [e]".
inline std::string status_and_reason(const MemoryReply& reply) {
  const Json body = reply.json();
  const Json* text = body.find_path("error.reason");
  return std::to_string(reply.status) + " " + (text != nullptr ? text->as_string() : reply.body);
}

}  // namespace cairn::api
