// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "app/doctor/findings.h"
#include "os/deadline.h"
#include "ratelimit/redis/redis_connection.h"
#include "remotestore/cluster.h"

namespace cairn::app {
namespace {

constexpr std::int64_t service_wait_ms = 5'000;

/// Without the user and the password that a URL may hold.
std::string shown(const ratelimit::RedisAddress& address) {
  return address.host + ":" + std::to_string(address.port);
}

void check_redis(const std::string& url, Findings& findings) {
  const auto address = ratelimit::parse_redis_url(url);
  if (!address.ok()) return;  // the settings were refused for it
  const std::string what = "shared limits at " + shown(*address);
  auto connection = ratelimit::RedisConnection::open(*address, service_wait_ms);
  Error fault{};
  if (connection.ok()) {
    const std::array<std::string_view, 1> ping{"PING"};
    const auto answer = (*connection)->call(ping, service_wait_ms);
    if (answer.ok() && answer->type == ratelimit::RedisReply::Type::text) {
      findings.push_back({Health::well, "redis", what + " answer"});
      return;
    }
    fault.message = answer.ok() ? answer->text : answer.error().message;
  } else {
    fault = connection.error();
  }
  findings.push_back(
      {Health::fault, "redis", what + ": " + fault.message,
       "start it, or correct rate_limit.store; until then each node counts its share"});
}

void check_cluster(const std::string& url, Findings& findings) {
  const auto place = remotestore::parse_place(url);
  if (!place.ok()) return;
  const std::string advice =
      "correct store.url, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the server";
  auto cluster = remotestore::Cluster::open(
      {.place = *place, .access = {.read_timeout_ms = service_wait_ms, .max_attempts = 1}});
  if (!cluster.ok()) {
    findings.push_back({Health::fault, "store.url", cluster.error().message, advice});
    return;
  }
  // Any name does: that it is not there is an answer.
  const auto asked = (*cluster)->store("")->get("doctor", os::Deadline::in_ms(2 * service_wait_ms));
  const bool answers = asked.ok() || asked.error().kind == ErrorKind::not_found;
  const bool is_clock =
      !answers && asked.error().message.find("RequestTimeTooSkewed") != std::string::npos;
  findings.push_back({answers ? Health::well : Health::fault, "store.url",
                      place->shown() + (answers ? " answers" : ": " + asked.error().message),
                      answers    ? ""
                      : is_clock ? "set the clock of this machine"
                                 : advice});
}

}  // namespace

void check_services(const Settings& settings, Findings& findings) {
  const ratelimit::SharedState& state = settings.limits->store;
  if (state.kind == ratelimit::SharedState::Kind::redis)
    for (const std::string& url : state.urls) check_redis(url, findings);
  if (!settings.store_url.empty()) check_cluster(settings.store_url, findings);
}

}  // namespace cairn::app
