// SPDX-License-Identifier: Apache-2.0
// The order of the checks, and what the audit log is told.
#include "gate/gate.h"

#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "gate/admit.h"
#include "os/log.h"
#include "os/random.h"

namespace cairn::gate {
namespace {

/// A change of the house itself: keys, endpoints, connectors, repositories, indices. Documents and
/// looks are not written down.
bool is_change(const Route& route) {
  if (route.signs_in) return true;
  if (route.method == "GET" || route.method == "HEAD") return false;
  if (route.path.starts_with("/_cairn/sessions")) return true;
  if (route.path.starts_with("/_security/application/")) return true;  // by rights of their own
  if (route.cluster.empty())
    return route.index_privilege == "create_index" || route.index_privilege == "delete_index" ||
           route.index_privilege == "manage";
  const std::string& first = route.cluster.front();
  return !first.starts_with("monitor") && !first.starts_with("read");
}

/// Empty where it may be lent to strangers.
std::string why_not_for_search_page(const auth::Keys& keys, const auth::Key* key) {
  if (key == nullptr) return "search_page.key names no API key";
  if (const Status usable = keys.check_usable(*key); !usable.ok()) return usable.error().message;
  if (key->counted_as.kind != ratelimit::IdentityKind::service)
    return "the key is not of kind service: strangers would use up the limits of its account";
  if (!key->searches_only())
    return "the key may do more than read indices: give it a role with [read] on the indices of the "
           "page, and no privilege else";
  return {};
}

}  // namespace

Gate::Gate(const auth::Keys& keys, AuditLog& audit, GateParams params)
    : keys_(keys),
      audit_(audit),
      params_(std::move(params)),
      log_key_(os::system_random().bytes(16)),
      metrics_(params_.metrics) {}

Status Gate::pass(const Route& route, const Caller& caller, const PathParameters& parameters,
                  std::string_view path) const {
  return admit(route, caller, parameters, path);
}

bool Gate::still_good(const Caller& caller) const {
  if (caller.session() != nullptr)
    return params_.sessions != nullptr && params_.sessions->lives(*caller.session());
  if (!caller.has_key() || caller.key().signed_in) return true;
  const auto now = keys_.get(caller.key().id);
  return now != nullptr && keys_.check_usable(*now).ok();
}

std::shared_ptr<const auth::Key> Gate::search_page_key() const {
  if (params_.search_page_key.empty()) return nullptr;
  auto key = keys_.get(params_.search_page_key);
  const std::string fault = why_not_for_search_page(keys_, key.get());
  if (fault.empty()) return key;
  if (!search_page_fault_told_.exchange(true))
    os::log(os::LogLevel::warn, "gate", "search_page_key_not_lent",
            {{"key", params_.search_page_key}, {"reason", fault}});
  return nullptr;
}

void Gate::set_policy(std::shared_ptr<const ratelimit::Policy> policy) {
  if (params_.limiter == nullptr) return;
  params_.limiter->set_policy(std::move(policy));
  version_.fetch_add(1, std::memory_order_release);
}

void Gate::note_refusal(const ratelimit::Decision& decision, const ratelimit::Identity& identity,
                        Surface surface, std::string_view operation, std::string_view rule) const {
  const std::uint32_t nth = decision.nth_refusal;
  if (nth == 0 || (nth != 1 && nth % 100 != 0)) return;
  os::log(decision.admitted() ? os::LogLevel::info : os::LogLevel::warn, "gate",
          decision.admitted() ? "would_be_refused" : "refused",
          {{"identity", to_hex(hmac_sha256(log_key_, identity.account)).substr(0, 16)},
           {"identity_kind", name_of(identity.kind)},
           {"limit", name_of(decision.admitted() ? decision.shadow : decision.refusal)},
           {"surface", name_of(surface)},
           {"operation", operation},
           {"rule", rule},
           {"nth", nth},
           {"wait_s", decision.retry_after_s}});
}

void Gate::record(const net::Exchange& exchange, const Route* route, const Caller& caller,
                  int status, const Error* error) const {
  Outcome outcome{.exchange = exchange, .status = status, .error = error};
  if (route != nullptr) outcome.operation = route->operation;
  outcome.is_change = route != nullptr && is_change(*route);
  if (error == nullptr && !outcome.is_change) return;  // as nearly every request ends
  if (caller.has_key()) {
    outcome.username = caller.username();
    outcome.key_id = caller.key().id;
    outcome.key_name = caller.key().name;
    if (caller.session() != nullptr) outcome.session_id = caller.session()->id;
    if (const auto holder = caller.holder()) outcome.principal = holder->arn;
    audit_.record(outcome);
    return;
  }
  audit_.record(outcome);
}

}  // namespace cairn::gate
