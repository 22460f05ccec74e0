// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/standing_by.h"

#include <string>
#include <utility>

#include "app/nodes/read_rooms.h"
#include "app/nodes/standby_models.h"
#include "os/deadline.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::int64_t standby_open_ms = 600'000;
constexpr std::int64_t standby_again_ms = 2'000;  // after they could not be built

}  // namespace

StandingBy::StandingBy(const Settings& settings, ClusterNode& node)
    : settings_(settings), node_(node) {}

StandingBy::~StandingBy() { set_wanted(false); }

void StandingBy::set_wanted(bool wanted) {
  if (!settings_.node_reads && !settings_.node_models) return;
  if (wanted == thread_.joinable()) return;
  if (wanted) {
    thread_ = os::Thread::start_stoppable_or_tell(
        {.name = "cairn-standby", .nice = 5}, [this](const std::stop_token& stop) { run(stop); });
    return;
  }
  thread_.request_stop();
  thread_.join();
  node_.set_models(nullptr);
  node_.set_reader(nullptr);
}

Status StandingBy::build(const std::stop_token& stop) {
  CAIRN_TRY(const auto models, StandbyModels::open(settings_, node_.cluster(), node_.data()));
  if (settings_.node_models) node_.set_models(models);
  if (!settings_.node_reads) return ok_status();
  CAIRN_TRY(auto rooms, ReadRooms::open(
                            settings_, node_.cluster(), node_.data(), models,
                            [this](const std::string& question, const os::Deadline& deadline) {
                              return node_.ask_owner(question, deadline);
                            },
                            os::Deadline::in_ms(standby_open_ms, stop)));
  os::log(os::LogLevel::info, "nodes", "reads", {{"node", node_.id()}});
  node_.set_reader(std::move(rooms));
  return ok_status();
}

void StandingBy::run(const std::stop_token& stop) {
  std::string told;
  const auto forever = os::Deadline::never(stop);
  while (!stop.stop_requested()) {
    const Status built = build(stop);
    if (built.ok()) return;
    const std::string fault = built.error().message;
    if (!stop.stop_requested() && std::exchange(told, fault) != fault)
      os::log(os::LogLevel::warn, "nodes", "not_reading", {{"reason", fault}});
    os::sleep_ms(standby_again_ms, forever);
  }
}

}  // namespace cairn::app
