// SPDX-License-Identifier: Apache-2.0
// `cairn top`.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/objects/interrupt.h"
#include "cli/top/terminal.h"
#include "cli/top/top_figures.h"
#include "cli/top/top_screen.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::cli {
namespace {

constexpr std::string_view top_usage =
    "usage: cairn top [--once] [--json] [--interval TIME] [--server URL] [--key-file FILE]\n"
    "                 [--ca-file FILE] [--certificate-file FILE]\n"
    "What a server does: requests by operation, identities, sync jobs and tasks, memory and disk;\n"
    "again every two seconds, or as --interval says (200ms to 1h). q ends it.\n"
    "--once: one look of that length, as plain text; so too where the output is no terminal.\n"
    "--json: the same for programs. The key needs the cluster privilege monitor; what it may not "
    "see\n"
    "is named.\n";

constexpr std::int64_t usual_interval_ms = 2'000;
constexpr std::int64_t first_look_ms = 500;
constexpr std::int64_t interval_ms_min = 200, interval_ms_max = 3'600'000;

std::int64_t wall_ms() { return os::system_clock().unix_ms(); }

int show_once(Connection& connection, std::int64_t interval_ms, bool json,
              const Interrupts& interrupts) {
  const auto before = look_at_server(connection);
  if (!before.ok()) return explain(before.error());
  if (!os::sleep_ms(interval_ms, os::Deadline::never(interrupts.stop())))
    return interrupts.exit_status();
  const auto now = look_at_server(connection, &*before);
  if (!now.ok()) return explain(now.error());
  const Json figures = top_figures(*before, *now, wall_ms());
  if (json) {
    print_json(figures);
    return success;
  }
  for (const auto& line : top_screen(figures, {.columns = 1'000, .rows = 0}))
    std::printf("%s\n", line.c_str());
  return success;
}

/// Until q, a signal, or an answer that will not become better.
int show_live(Connection& connection, std::int64_t interval_ms, bool colours,
              const Interrupts& interrupts) {
  auto before = look_at_server(connection);
  if (!before.ok()) return explain(before.error());
  const Terminal terminal(colours);
  std::int64_t wait_ms = std::min(first_look_ms, interval_ms);
  for (;;) {
    const char key = terminal.key(os::Deadline::in_ms(wait_ms, interrupts.stop()));
    if (key == 'q' || key == 'Q') return success;
    if (interrupts.stopped()) return interrupts.exit_status();
    if (key != 0) wait_ms = 0;  // any other key looks at once
    auto now = look_at_server(connection, &*before);
    std::vector<std::string> lines;
    if (now.ok()) {
      lines = top_screen(top_figures(*before, *now, wall_ms()), terminal.size());
      before = std::move(now);
    } else {
      lines = {"cairn top  " + format_iso8601(wall_ms()), "",
               now.error().message + "; it is asked again"};
    }
    if (!terminal.draw(lines)) return io_error;
    wait_ms = interval_ms;
  }
}

}  // namespace

CommandPage top_page() { return {"top", std::string(top_usage)}; }

int top_command(const std::vector<std::string>& words, const Environment& environment) {
  if (asks_for_help(words)) {
    std::fputs(std::string(top_usage).c_str(), stdout);
    return success;
  }
  Syntax syntax{.options = {"--interval"}, .flags = {"--once", "--json"}};
  Connection::add_options(syntax);
  const auto arguments = Arguments::parse(words, syntax);
  if (!arguments.ok()) return misused(arguments.error().message, top_usage);
  std::int64_t interval_ms = usual_interval_ms;
  if (const auto given = arguments->option("--interval")) {
    const auto parsed = parse_time_value(*given, "--interval");
    if (!parsed.ok() || *parsed < interval_ms_min || *parsed > interval_ms_max)
      return misused("--interval is a time from 200ms to 1h, as 5s", top_usage);
    interval_ms = *parsed;
  }
  const Interrupts interrupts;
  auto connection = Connection::open(*arguments, environment);
  if (!connection.ok()) return explain(connection.error());
  const bool json = arguments->flag("--json");
  if (json || arguments->flag("--once") || ::isatty(STDOUT_FILENO) != 1)
    return show_once(*connection, interval_ms, json, interrupts);
  const bool colours = environment("NO_COLOR").value_or("").empty();
  return show_live(*connection, interval_ms, colours, interrupts);
}

}  // namespace cairn::cli
