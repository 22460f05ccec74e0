// SPDX-License-Identifier: Apache-2.0
#include "app/serve_as_node.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/nodes/cluster_node.h"
#include "app/nodes/standing_by.h"
#include "app/version.h"
#include "cli/exit_codes.h"
#include "os/clock.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::int64_t role_look_ms = 100;
constexpr std::int64_t again_ms = 1'000;  // after the rooms could not be built
constexpr std::int64_t open_ms = 600'000;

/// What may pass: the store is not reached, or was lost while the rooms were built.
bool may_pass(const Error& error) {
  return error.kind == ErrorKind::unavailable || error.kind == ErrorKind::timeout ||
         error.kind == ErrorKind::cancelled || error.kind == ErrorKind::precondition_failed;
}

class NodeLife {
 public:
  explicit NodeLife(const Serving& serving) : serving_(serving) {}

  int run() {
    serving_.notices.status("joins the nodes of " + settings().store_url);
    auto opened = ClusterNode::open(settings(), os::Deadline::in_ms(open_ms));
    if (!opened.ok()) return fail(opened.error());
    node_ = std::move(*opened);
    standing_by_.emplace(settings(), *node_);
    int signal = 0;
    while (signal != SIGTERM && signal != SIGINT) {
      if (const auto fault = follow_role()) return fail(*fault);
      if (const Status told = tell_once(); !told.ok()) return fail(told.error());
      signal = next_signal(serving_, role_look_ms);
      look_at_files(signal == SIGHUP);
    }
    serving_.notices.stopping();
    os::log(os::LogLevel::info, "app", "stopping", {{"signal", signal}});
    end_in_order(serving_, [this] { end(); });
    os::log(os::LogLevel::info, "app", "stopped");
    return cli::success;
  }

 private:
  const Settings& settings() const { return serving_.settings(); }

  static int fail(const Error& error) {
    std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
    return exit_code_of(error);
  }

  /// Builds the rooms where the store has become this node's, takes them down where it is not any
  /// more. The fault that ends the program.
  std::optional<Error> follow_role() {
    if (app_ != nullptr && !node_->should_serve()) take_down();
    // Until another one serves it may be this node's part; from then on it may be silent or go.
    if (app_ == nullptr && !node_->target().empty()) standing_by_->set_wanted(true);
    if (app_ != nullptr || !node_->should_serve() ||
        os::system_clock().steady_ns() < not_before_ns_)
      return std::nullopt;
    os::log(os::LogLevel::info, "nodes", "serves", {{"node", node_->id()}});
    node_->begin_rooms();
    auto app = App::open(settings(), node_.get());
    if (!app.ok()) {
      node_->end_rooms();
      if (!may_pass(app.error())) return std::move(app).error();
      not_before_ns_ = os::system_clock().steady_ns() + again_ms * 1'000'000;
      os::log(os::LogLevel::warn, "nodes", "not_served", {{"reason", app.error().message}});
      return std::nullopt;
    }
    app_ = std::move(*app);
    standing_by_->set_wanted(false);
    reloading_ = make_reloading(*app_, serving_);
    app_->set_reloading(reloading_);
    show_first_link(*app_);
    return std::nullopt;
  }

  void take_down() {
    os::log(os::LogLevel::info, "nodes", "serves_no_more", {{"node", node_->id()}});
    app_->step_down(settings().shutdown_grace_ms);
    reloading_.reset();
    app_.reset();
    node_->end_rooms();
  }

  /// Once requests are answered, here or by another node.
  Status tell_once() {
    const std::string target = node_->target();
    if (told_ || target.empty()) return ok_status();
    told_ = true;
    Listeners& listeners = node_->listeners();
    const std::string api = url_of(settings(), *listeners.api);
    const std::string objects = url_of(settings(), *listeners.objects);
    os::log(os::LogLevel::info, "app", "ready",
            {{"version", version},
             {"api", api},
             {"objects", objects},
             {"data", settings().data_dir},
             {"answers", target}});
    CAIRN_CHECK(tell_ready(settings(), api, objects));
    serving_.notices.ready("answers at " + api + " and " + objects);
    return ok_status();
  }

  void look_at_files(bool told_to) {
    if (reloading_ == nullptr) {
      if (told_to) (void)node_->listeners().reload_tls().ok();  // its error is in the log
      return;
    }
    if (told_to)
      reloading_->now();
    else if (const auto now = os::system_clock().steady_ns(); now >= look_at_ns_) {
      look_at_ns_ = now + again_ms * 1'000'000;
      reloading_->look();
    }
  }

  /// Another node takes over while this one still answers by it, and clients stop coming.
  void give_away() {
    const auto seen = os::Deadline::in_ms(node_->seen_after_ms());
    if (!node_->begin_leaving()) return;
    const auto grace = os::Deadline::in_ms(settings().shutdown_grace_ms);
    while (app_ != nullptr && node_->should_serve() && os::sleep_ms(20, grace)) {
    }
    if (app_ != nullptr && !node_->should_serve()) take_down();
    os::sleep_ms(seen.remaining_ms(), grace);
  }

  void end() {
    give_away();
    standing_by_.reset();
    if (app_ != nullptr) {
      app_->drain(settings().shutdown_grace_ms);
      reloading_.reset();
      app_.reset();
      node_->end_rooms();
    } else {
      node_->drain(settings().shutdown_grace_ms);
    }
    node_.reset();
  }

  const Serving& serving_;
  std::unique_ptr<ClusterNode> node_;
  std::optional<StandingBy> standing_by_;
  std::unique_ptr<App> app_;
  std::shared_ptr<Reloading> reloading_;
  std::int64_t not_before_ns_ = 0, look_at_ns_ = 0;
  bool told_ = false;
};

}  // namespace

int serve_as_node(const Serving& serving) { return NodeLife(serving).run(); }

}  // namespace cairn::app
