// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/reading.h"

#include <string>
#include <utility>

#include "app/nodes/read_rooms.h"
#include "os/deadline.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::int64_t reading_open_ms = 600'000;
constexpr std::int64_t reading_again_ms = 2'000;  // after they could not be built

}  // namespace

Reading::Reading(const Settings& settings, ClusterNode& node) : settings_(settings), node_(node) {}

Reading::~Reading() { set_wanted(false); }

void Reading::set_wanted(bool wanted) {
  if (wanted == thread_.joinable()) return;
  if (wanted) {
    thread_ = os::Thread::start_stoppable_or_tell(
        {.name = "cairn-reading", .nice = 5}, [this](const std::stop_token& stop) { run(stop); });
    return;
  }
  thread_.request_stop();
  thread_.join();
  node_.set_reader(nullptr);
}

void Reading::run(const std::stop_token& stop) {
  std::string told;
  const auto forever = os::Deadline::never(stop);
  while (!stop.stop_requested()) {
    auto rooms = ReadRooms::open(
        settings_, node_.cluster(), node_.data(),
        [this](const std::string& question, const os::Deadline& deadline) {
          return node_.ask_owner(question, deadline);
        },
        os::Deadline::in_ms(reading_open_ms, stop));
    if (rooms.ok()) {
      os::log(os::LogLevel::info, "nodes", "reads", {{"node", node_.id()}});
      return node_.set_reader(std::move(*rooms));
    }
    const std::string fault = rooms.error().message;
    if (!stop.stop_requested() && std::exchange(told, fault) != fault)
      os::log(os::LogLevel::warn, "nodes", "not_reading", {{"reason", fault}});
    os::sleep_ms(reading_again_ms, forever);
  }
}

}  // namespace cairn::app
