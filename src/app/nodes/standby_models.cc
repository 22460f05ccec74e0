// SPDX-License-Identifier: Apache-2.0
#include "app/nodes/standby_models.h"

#include <string>
#include <utility>

#include "inference/placement/node_calls.h"
#include "os/available_memory.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/files/files.h"
#include "store/read_only_store.h"

namespace cairn::app {
namespace {

constexpr std::int64_t worker_tick_ms = 5'000;
constexpr std::size_t model_call_bytes_max = std::size_t{64} << 20;

int status_of_call(const Error& error) {
  if (error.kind == ErrorKind::invalid_argument) return 400;
  if (error.kind == ErrorKind::not_found) return 404;
  return error.kind == ErrorKind::too_large ? 413 : 503;
}

}  // namespace

StandbyModels::StandbyModels(const Settings& settings, remotestore::Cluster& cluster,
                             DataPlace& data)
    : cpu_({.name = "cpu", .threads = 0, .queue = 4096, .nice = 5}),
      all_models_(cluster.store(".cairn-models/")),
      models_store_(store::read_only_store(*all_models_)),
      packed_(std::make_unique<inference::PackedFiles>(
          os::system_files(), data.folder + "/packed-models", settings.engine.reserve_bytes)),
      models_(std::make_unique<inference::StoredModels>(
          *models_store_, inference::Packing{.files = packed_.get(),
                                             .maps = data.mirror == nullptr,
                                             .precision = settings.precision})),
      worker_(std::make_unique<inference::ModelWorker>(
          *models_, cpu_, os::system_clock(), settings.inference, os::available_memory_bytes)) {}

StandbyModels::~StandbyModels() = default;

Result<std::shared_ptr<StandbyModels>> StandbyModels::open(const Settings& settings,
                                                           remotestore::Cluster& cluster,
                                                           DataPlace& data) {
  std::shared_ptr<StandbyModels> out(new StandbyModels(settings, cluster, data));
  CAIRN_CHECK(out->cpu_.started());
  CAIRN_TRY(out->ticker_,
            os::Thread::start_stoppable({.name = "cairn-placed"},
                                        [raw = out.get()](const std::stop_token& stop) {
                                          const auto forever = os::Deadline::never(stop);
                                          while (os::sleep_ms(worker_tick_ms, forever))
                                            raw->worker_->tick();
                                        }));
  return out;
}

void StandbyModels::answer(net::Exchange& exchange) {
  const auto reply = [&](int status, std::string_view body) {
    (void)exchange.reply.reply(status, {}, body).ok();  // the node that asked sees what fails
  };
  const std::string_view path = exchange.head.path();
  const bool places = path == inference::place_path;
  if (!places && path != inference::run_path) return reply(404, "there is no such call");
  const auto body = net::read_all(exchange.body, model_call_bytes_max);
  if (!body.ok()) return reply(status_of_call(body.error()), body.error().message);
  const auto answer = places ? worker_->place(*body) : worker_->run(*body, exchange.deadline);
  if (!answer.ok()) return reply(status_of_call(answer.error()), answer.error().message);
  reply(200, *answer);
}

}  // namespace cairn::app
