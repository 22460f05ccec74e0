// SPDX-License-Identifier: Apache-2.0
#include "app/messages/conditions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"

namespace cairn::app {
namespace {

constexpr std::size_t lasting_max = 1000;  // of connectors, above all

Json fault_json(const Fault& fault) {
  return Json::object({{"key", fault.key},
                       {"kind", fault.kind},
                       {"subject", fault.subject},
                       {"text", fault.text},
                       {"details", fault.details}});
}

Fault fault_of(const Json& json) {
  const Json* details = json.find("details");
  return {.key = json.string_or("key"),
          .kind = json.string_or("kind"),
          .subject = json.string_or("subject"),
          .text = json.string_or("text"),
          .details = details != nullptr && details->is_object() ? *details : Json::object()};
}

}  // namespace

Json Message::to_json(const std::string& node) const {
  return Json::object({{"type", "cairn." + fault.kind},
                       {"timestamp", format_iso8601(time_ms)},
                       {"data", Json::object({{"state", state},
                                              {"subject", fault.subject},
                                              {"text", fault.text},
                                              {"since", format_iso8601(since_ms)},
                                              {"node", node},
                                              {"details", fault.details}})}});
}

Message Conditions::message(const Lasting& of, std::string state, std::int64_t now_ms) {
  Message out{.id = {},
              .state = std::move(state),
              .time_ms = now_ms,
              .since_ms = of.since_ms,
              .fault = of.fault};
  // Of what is told, so that the same word has the same id however often it is worked out.
  out.id = "msg_" + to_hex(sha256(of.fault.key + "\n" + std::to_string(of.since_ms) + "\n" +
                                  out.state + "\n" + std::to_string(now_ms)))
                        .substr(0, 24);
  return out;
}

std::vector<Message> Conditions::update(const std::vector<Fault>& found,
                                        const std::vector<std::string>& kinds_looked_at,
                                        std::int64_t now_ms) {
  std::vector<Message> out;
  std::set<std::string> there;
  for (const Fault& fault : found) {
    there.insert(fault.key);
    const auto at = lasting_.find(fault.key);
    if (at == lasting_.end()) {
      if (lasting_.size() >= lasting_max) continue;
      const Lasting fresh{.fault = fault, .since_ms = now_ms, .told_ms = now_ms};
      out.push_back(message(lasting_.emplace(fault.key, fresh).first->second, "begins", now_ms));
      continue;
    }
    Lasting& known = at->second;
    known.fault = fault;
    // A clock that was set back does not silence what lasts.
    const bool due =
        repeat_ms_ > 0 && (now_ms - known.told_ms >= repeat_ms_ || now_ms < known.told_ms);
    if (!due) continue;
    known.told_ms = now_ms;
    out.push_back(message(known, "lasts", now_ms));
  }
  for (auto at = lasting_.begin(); at != lasting_.end();) {
    const bool looked = std::find(kinds_looked_at.begin(), kinds_looked_at.end(),
                                  at->second.fault.kind) != kinds_looked_at.end();
    if (!looked || there.contains(at->first)) {
      ++at;
      continue;
    }
    out.push_back(message(at->second, "over", now_ms));
    at = lasting_.erase(at);
  }
  return out;
}

Json Conditions::shown() const {
  Json out = Json::array();
  for (const auto& [key, one] : lasting_)
    out.push(Json::object({{"kind", one.fault.kind},
                           {"subject", one.fault.subject},
                           {"text", one.fault.text},
                           {"since", format_iso8601(one.since_ms)},
                           {"told", format_iso8601(one.told_ms)}}));
  return out;
}

Json Conditions::save() const {
  Json out = Json::array();
  for (const auto& [key, one] : lasting_)
    out.push(Json::object(
        {{"fault", fault_json(one.fault)}, {"since", one.since_ms}, {"told", one.told_ms}}));
  return out;
}

void Conditions::restore(const Json& saved) {
  if (!saved.is_array()) return;
  for (const Json& one : saved.as_array()) {
    const Json* fault = one.find("fault");
    if (fault == nullptr || fault->string_or("key").empty() || lasting_.size() >= lasting_max)
      continue;
    lasting_[fault->string_or("key")] = {
        .fault = fault_of(*fault), .since_ms = one.int_or("since"), .told_ms = one.int_or("told")};
  }
}

}  // namespace cairn::app
