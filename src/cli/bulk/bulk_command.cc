// SPDX-License-Identifier: Apache-2.0
// `cairn bulk load`.
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/bulk/load.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/objects/amounts.h"
#include "cli/objects/console.h"
#include "cli/objects/interrupt.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/clock.h"

namespace cairn::cli {
namespace {

constexpr std::string_view bulk_usage =
    "usage: cairn bulk load FILE|- --index NAME [--id FIELD] [--resume] [--rejects FILE]\n"
    "                       [--checkpoint FILE] [--batch-lines NUMBER] [--batch-size SIZE]\n"
    "                       [--give-up TIME] [--quiet] [--json] [--server URL] [--key-file FILE]\n"
    "                       [--ca-file FILE] [--certificate-file FILE]\n"
    "One JSON document a line (NDJSON), from a file or from standard input, into an index. Lines "
    "that\n"
    "are not taken go to FILE.rejects with the reason, and the load goes on.\n"
    "--id: the field whose value is the document's id; without it, lines have ids of their own.\n"
    "--resume: goes on where an earlier load of FILE was cut, whatever cut it, so that each line "
    "is\n"
    "there once; FILE.checkpoint says where. Of standard input it needs --checkpoint, and the "
    "same\n"
    "input from its beginning.\n"
    "--give-up: how long a server may be away or without room: 10m where absent. Limits are "
    "waited\n"
    "for as the server says.\n"
    "exit status: 0 all lines are loaded, 2 but for those in the file of rejects, 1 the server "
    "said\n"
    "no, 65 another input than before, 66 no such file, 69 no server, 73 a checkpoint is there,\n"
    "75 the server had no room, 77 the key may not, 130 interrupted\n";

constexpr std::int64_t redraw_ms = 200, pipe_line_ms = 10'000;
constexpr std::uint64_t batch_lines_max = 100'000, batch_bytes_max = 64u << 20;

/// The line of progress: drawn again and again on a terminal, now and then elsewhere.
class LoadProgress {
 public:
  LoadProgress(bool quiet, std::optional<std::uint64_t> size, const LoadCheckpoint& begin)
      : quiet_(quiet),
        size_(size),
        begin_lines_(begin.lines),
        begun_ns_(os::system_clock().steady_ns()),
        terminal_(::isatty(STDERR_FILENO) == 1),
        shown_ns_(terminal_ ? 0 : begun_ns_) {}
  ~LoadProgress() { clear(); }

  void show(const LoadCheckpoint& now, const std::string& waiting) {
    const std::int64_t at_ns = os::system_clock().steady_ns();
    const std::int64_t every_ms = terminal_ ? redraw_ms : pipe_line_ms;
    const bool due = (at_ns - shown_ns_) / 1'000'000 >= every_ms;
    if (quiet_ || (!due && waiting.empty())) return;
    shown_ns_ = at_ns;
    const double seconds = std::max(0.001, static_cast<double>(at_ns - begun_ns_) / 1e9);
    std::string line = std::to_string(now.lines) + " lines";
    if (size_ && *size_ > 0) line += ", " + std::to_string(now.bytes * 100 / *size_) + " %";
    line += ", " + human_bytes(now.bytes) + ", " +
            std::to_string(static_cast<std::uint64_t>(
                static_cast<double>(now.lines - begin_lines_) / seconds)) +
            " lines/s";
    if (now.rejected > 0) line += ", " + std::to_string(now.rejected) + " rejected";
    if (!waiting.empty()) line += "; " + waiting;
    if (terminal_) {
      std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
      drawn_ = true;
    } else {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
  }
  void clear() {
    if (std::exchange(drawn_, false)) std::fputs("\r\x1b[K", stderr);
  }

 private:
  const bool quiet_;
  const std::optional<std::uint64_t> size_;
  const std::uint64_t begin_lines_;
  const std::int64_t begun_ns_;
  const bool terminal_;
  std::int64_t shown_ns_;
  bool drawn_ = false;
};

int outcome_of(const LoadCheckpoint& now) { return now.rejected == 0 ? success : partly_failed; }

void tell_outcome(const Arguments& arguments, const LoadCheckpoint& now, const LoadParams& params) {
  if (arguments.flag("--json")) {
    print_json(Json::object({{"index", now.index},
                             {"lines", now.lines},
                             {"loaded", now.loaded},
                             {"rejected", now.rejected},
                             {"rejects", now.rejected > 0 ? Json(params.rejects_file) : Json()},
                             {"done", now.done}}));
    return;
  }
  if (arguments.flag("--quiet") && now.rejected == 0) return;
  std::fprintf(stderr, "%llu documents of %llu lines loaded into %s",
               static_cast<unsigned long long>(now.loaded),
               static_cast<unsigned long long>(now.lines), now.index.c_str());
  if (now.rejected > 0)
    std::fprintf(stderr, ", %llu rejected: %s", static_cast<unsigned long long>(now.rejected),
                 params.rejects_file.c_str());
  std::fputs("\n", stderr);
}

Result<LoadParams> load_params(const Arguments& arguments) {
  const std::string& input = arguments.words()[1];
  const std::string beside = input == "-" ? std::string() : input;
  const auto bad = [](const std::string& what) {
    return Error{.kind = ErrorKind::invalid_argument, .message = what};
  };
  LoadParams out;
  out.checkpoint_file =
      arguments.option("--checkpoint").value_or(beside.empty() ? "" : beside + ".checkpoint");
  out.rejects_file = arguments.option("--rejects")
                         .value_or(beside.empty() ? "stdin.rejects" : beside + ".rejects");
  if (const auto text = arguments.option("--batch-lines")) {
    const auto number = parse_number<std::uint64_t>(*text);
    if (!number || *number < 1 || *number > batch_lines_max)
      return bad("--batch-lines is a number from 1 to 100000, not " + *text);
    out.batch_lines = static_cast<std::size_t>(*number);
  }
  if (const auto text = arguments.option("--batch-size")) {
    CAIRN_TRY(const std::uint64_t bytes, parse_byte_size(*text, "--batch-size"));
    if (bytes < 1 || bytes > batch_bytes_max)
      return bad("--batch-size is a size up to 64mb, not " + *text);
    out.batch_bytes = static_cast<std::size_t>(bytes);
  }
  if (const auto text = arguments.option("--give-up")) {
    CAIRN_TRY(out.give_up_ms, parse_time_value(*text, "--give-up"));
    if (out.give_up_ms < 0) return bad("--give-up is a time, as 10m, not " + *text);
  }
  if (arguments.flag("--resume") && out.checkpoint_file.empty())
    return bad("--resume of standard input needs --checkpoint FILE");
  return out;
}

/// Where the load begins, or why it does not; nothing where all is loaded already.
Result<std::optional<LoadCheckpoint>> begin_of(const Arguments& arguments,
                                               const LoadParams& params) {
  LoadCheckpoint fresh{.index = *arguments.option("--index"),
                       .id_field = arguments.option("--id").value_or("")};
  if (params.checkpoint_file.empty()) return std::optional(std::move(fresh));
  CAIRN_TRY(auto before, LoadCheckpoint::read(params.checkpoint_file));
  if (!before) return std::optional(std::move(fresh));
  if (!arguments.flag("--resume")) {
    if (before->done) return std::optional(std::move(fresh));
    return Error{.kind = ErrorKind::already_exists,
                 .message = params.checkpoint_file +
                            " is of a load that was cut: --resume goes on with it; without the "
                            "file it begins anew"};
  }
  if (before->index != fresh.index || before->id_field != fresh.id_field)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = params.checkpoint_file + " is of a load into " + before->index +
                            (before->id_field.empty() ? "" : " with --id " + before->id_field) +
                            ": say the same, or name another --checkpoint"};
  return before;
}

int explain_load(const Error& error) {
  switch (error.kind) {
    case ErrorKind::already_exists:
      std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
      return cannot_create;
    case ErrorKind::corrupt:
      std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
      return data_error;
    case ErrorKind::rate_limited:
      std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
      return temporary;
    case ErrorKind::storage_full:
      std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
      return cannot_create;
    default:
      return explain(error);
  }
}

int run_load(const Arguments& arguments, Connection& connection, const Interrupts& interrupts) {
  auto params = load_params(arguments);
  if (!params.ok()) return misused(params.error().message, bulk_usage);
  auto begin = begin_of(arguments, *params);
  if (!begin.ok()) return explain_load(begin.error());
  LoadCheckpoint at = **begin;
  if (at.done) {
    if (!arguments.flag("--quiet")) std::fputs("cairn: all of it is loaded already\n", stderr);
    return outcome_of(at);
  }
  auto source = LineSource::open(arguments.words()[1]);
  if (!source.ok()) return explain_load(source.error());
  LoadProgress progress(arguments.flag("--quiet") || arguments.flag("--json"), source->size(), at);
  params->on_progress = [&progress](const LoadCheckpoint& now, const std::string& waiting) {
    progress.show(now, waiting);
  };
  auto load = Load::open(connection, *std::move(source), std::move(at), *params, interrupts.stop());
  if (!load.ok()) return explain_load(load.error());
  const Status done = (*load)->run();
  progress.clear();
  if (done.ok()) {
    tell_outcome(arguments, (*load)->now(), *params);
    return outcome_of((*load)->now());
  }
  if (!params->checkpoint_file.empty())
    std::fprintf(stderr, "cairn: %llu lines are done; --resume goes on behind them\n",
                 static_cast<unsigned long long>((*load)->now().lines));
  if (interrupts.stopped()) return interrupts.exit_status();
  return explain_load(done.error());
}

}  // namespace

CommandPage bulk_page() { return {"bulk", std::string(bulk_usage)}; }

int bulk_command(const std::vector<std::string>& words, const Environment& environment) {
  if (asks_for_help(words) || words.empty()) {
    std::fputs(std::string(bulk_usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? usage_error : success;
  }
  if (words[0] != "load") return misused("unknown command: cairn bulk " + words[0], bulk_usage);
  Syntax syntax{.options = {"--index", "--id", "--rejects", "--checkpoint", "--batch-lines",
                            "--batch-size", "--give-up"},
                .flags = {"--resume", "--quiet", "--json"},
                .words_min = 2,
                .words_max = 2};
  Connection::add_options(syntax);
  const auto arguments = Arguments::parse(words, syntax);
  if (!arguments.ok()) return misused(arguments.error().message, bulk_usage);
  if (!arguments->option("--index")) return misused("which --index?", bulk_usage);
  const Interrupts interrupts;
  auto connection = Connection::open(*arguments, environment);
  if (!connection.ok()) return explain(connection.error());
  return run_load(*arguments, *connection, interrupts);
}

}  // namespace cairn::cli
