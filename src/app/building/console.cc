// SPDX-License-Identifier: Apache-2.0
// The console: its files, and what shows the work of the others.
#include "app/rooms.h"

#include "app/monitoring/live_topics.h"

namespace cairn::app {

// Its files, objects on the platform's port, and what shows the work of the others.
Status App::Rooms::build_console() {
  if (settings.console_folder.empty()) {
    console_files = console::embedded_files();
  } else {
    CAIRN_TRY(console_files,
              named("CAIRN_CONSOLE_DIR", console::files_of_folder(settings.console_folder)));
  }
  object_passage.emplace(
      ObjectPassage{.callers = object_callers,
                    .service = *objects,
                    .objects_url = [this] { return url_of(*listeners().objects); },
                    .urls = settings.large_files,
                    .accounts = *accounts});
  figures.emplace(*compute, settings.data_dir, clock);
  CAIRN_TRY(history_sampler,
            named("history", HistorySampler::start(history, *figures, *limits_store, clock,
                                                   os::Deadline::in_ms(start_wait_ms))));
  events = std::make_unique<api::EventPublisher>(
      live_topics({.clock = clock,
                   .figures = *figures,
                   .memory = *memory,
                   .disk = sources.disk,
                   .disk_percent = settings.messages.disk_percent,
                   .disk_reserve_bytes = settings.engine.reserve_bytes,
                   .connectors = *connectors,
                   .tasks = *tasks,
                   .snapshots = *snapshots,
                   .inference = *inference,
                   .limiter = *limiter,
                   .ready = [this] { return ready.load(); },
                   .started_ms = facts.started_ms}),
      settings.events, clock);
  return events->start();
}

}  // namespace cairn::app
