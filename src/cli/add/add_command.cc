// SPDX-License-Identifier: Apache-2.0
#include "cli/add/add_command.h"

#include <unistd.h>

#include <cstdio>
#include <iterator>
#include <optional>

#include "base/strings.h"
#include "cli/add/connector_setup.h"
#include "cli/add/first_questions.h"
#include "cli/add/folder_access.h"
#include "cli/add/follow_sync.h"
#include "cli/add/own_server.h"
#include "cli/add/upload.h"
#include "cli/add/watch_upload.h"
#include "cli/add/wishes.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/objects/interrupt.h"
#include "cli/search/printable.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/clock.h"
#include "os/files/beneath.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::string_view add_usage =
    "usage: cairn add FOLDER [--name NAME] [--watch] [--schedule daily|hourly|CRON] [--yes]\n"
    "                 [--serve] [--server URL] [--key-file FILE] [--ca-file FILE]\n"
    "                 [--certificate-file FILE]\n"
    "Makes an index of a folder that is searched by words and by meaning, and fills it. The same\n"
    "command again brings it up to date.\n"
    "--watch: changes are found within seconds; where the texts are sent, as long as the command\n"
    "runs. --schedule: syncs at times (UTC).\n"
    "--yes: the server may read the folder; else that is asked. A server that cannot is sent the\n"
    "texts. --serve: starts a server of your own where none runs.\n"
    "exit status: 0 done, 2 done but for files that are named, 1 the server refused, 64 wrong\n"
    "usage, 66 no such folder or key file, 69 no server, 73 the name is taken, 75 over a limit:\n"
    "later, 77 not allowed\n";

constexpr std::size_t problems_shown = 5;

void tell(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

/// The exit status of an error, after it was said.
int ended(const Error& error) {
  if (error.kind != ErrorKind::already_exists && error.kind != ErrorKind::rate_limited)
    return explain(error);
  std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
  return error.kind == ErrorKind::already_exists ? cannot_create : temporary;
}

/// What is wished, with everything found out that needs no server.
struct Adding {
  std::string folder = {};  // absolute, without links
  std::string name = {};
  bool watch = false, yes = false;
  std::optional<std::string> cron = {};
  std::string options = {};          // of the server, for commands to try
  std::string crontab = {};          // the times of `cron`, for cron(8)
  std::string options_by_name = {};  // of the server, for where no environment is
};

Result<Adding> read_wishes(const Arguments& arguments, const Environment& environment) {
  Adding out;
  CAIRN_TRY(out.folder, os::real_path(arguments.words()[0]));
  const auto info = os::system_files().info(out.folder);
  if (!info.ok() || !info->is_directory)
    return Error{.kind = ErrorKind::not_found,
                 .message = out.folder + " is no folder; name the one that it lies in"};
  const auto opened = os::system_files().open(out.folder, os::OpenMode::read);
  if (!opened.ok()) return opened.error();
  if (!is_utf8(out.folder))
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "the path of the folder is not UTF-8, which no request can hold"};
  out.name = arguments.option("--name").value_or(name_of_folder(out.folder));
  if (out.name.empty())
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "the folder gives its index no name: choose one with --name"};
  out.watch = arguments.flag("--watch");
  out.yes = arguments.flag("--yes");
  if (const auto schedule = arguments.option("--schedule")) {
    CAIRN_TRY(out.cron, cron_of_schedule(*schedule));
    out.crontab = crontab_of_schedule(*schedule);
  }
  for (const auto& [option, variable] : Connection::options) {
    auto value = arguments.option(option);
    if (value) out.options += " " + std::string(option) + " " + shell_word(*value);
    if (!value) value = environment(variable);
    if (value) out.options_by_name += " " + std::string(option) + " " + shell_word(*value);
  }
  return out;
}

/// Whether a server answers there, whatever it says.
bool answers(Connection& connection) { return connection.ask("GET", "/").ok(); }

Result<Connection> connect(const Arguments& arguments, const Environment& environment) {
  const bool serve = arguments.flag("--serve");
  auto connection = Connection::open(arguments, environment);
  if (connection.ok() && answers(*connection)) {
    if (serve) tell("a server runs there already: --serve starts none");
    return connection;
  }
  if (!serve) {
    if (!connection.ok()) return connection;
    auto why = connection->ask("GET", "/");
    if (why.ok()) return connection;
    return Error{.kind = ErrorKind::unavailable,
                 .message = why.error().message +
                            "; start one with `cairn serve`, let this command do so (--serve), or "
                            "say where it is (--server URL)"};
  }
  auto server = arguments.option("--server");
  if (!server) server = environment("CAIRN_SERVER");
  CAIRN_TRY(const OwnServer own, start_own_server(environment, server));
  tell("started a server at " + own.url + " (process " + std::to_string(own.process_id) + ", key " +
       own.key_file + ", log " + own.log_file + ")");
  tell("stop it with: kill " + std::to_string(own.process_id));
  return Connection::open_at(own.url, own.key_file);
}

Result<bool> ask_person(const std::string& question, bool yes) {
  if (yes) return true;
  if (::isatty(STDIN_FILENO) != 1)
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = question + " Nobody can be asked here: --yes says so"};
  std::fprintf(stderr, "%s [Y/n] ", question.c_str());
  char line[16] = "";
  if (std::fgets(line, static_cast<int>(std::size(line)), stdin) == nullptr) return false;
  return line[0] == '\n' || line[0] == 'y' || line[0] == 'Y';
}

void name_problems(const std::vector<std::string>& problems, std::size_t all,
                   const std::string& all_are_in) {
  if (all == 0) return;
  tell(std::to_string(all) + (all == 1 ? " file" : " files") + " could not be taken in:");
  for (std::size_t i = 0; i < problems.size() && i < problems_shown; ++i)
    tell("  " + on_one_line(problems[i]));
  if (all > problems_shown) tell("  … " + all_are_in);
}

int search_hints(Connection& connection, const Adding& adding, bool complete) {
  // The folder is in, whether or not this key may search it.
  const auto questions = first_questions(connection, adding.name);
  const std::string tail = " --index " + shell_word(adding.name) + adding.options;
  if (!questions.ok() || questions->empty()) {
    std::printf("Ask it: cairn search \"your words\"%s\n", tail.c_str());
  } else {
    std::printf("Ask it, for example:\n");
    for (const auto& question : *questions)
      std::printf("  cairn search \"%s\"%s\n", question.c_str(), tail.c_str());
  }
  return complete ? success : partly_failed;
}

std::uint64_t count_in(const Json& job, std::string_view name) {
  const Json* metadata = job.find("metadata");
  const std::int64_t value = metadata == nullptr ? 0 : metadata->int_or(name);
  return static_cast<std::uint64_t>(value < 0 ? 0 : value);
}

int add_by_server(Connection& connection, const Adding& adding, NameHolder holder) {
  const ConnectorWishes wishes{
      .name = adding.name, .folder = adding.folder, .watch = adding.watch, .cron = adding.cron};
  const auto id = set_up_connector(connection, wishes, holder == NameHolder::connector_of_folder);
  if (!id.ok()) return ended(id.error());
  const auto job = follow_sync(connection, *id);
  if (!job.ok()) {
    tell("the sync goes on in the server; the same command again shows how far it is");
    return ended(job.error());
  }
  if (job->string_or("status") != "completed") {
    std::fprintf(stderr, "cairn: the sync ended as %s: %s\n", job->string_or("status").c_str(),
                 job->string_or("error", "it was asked to").c_str());
    return failed;
  }
  const std::uint64_t unreadable = count_in(*job, "files_unreadable");
  const std::uint64_t refused = count_in(*job, "documents_refused");
  std::vector<std::string> problems;
  if (const Json* named = job->find_path("metadata.problems"); named != nullptr)
    for (const Json& one : named->as_array())
      if (one.is_string()) problems.push_back(one.as_string());
  name_problems(problems, unreadable + refused,
                "all of them: GET /_connector/" + adding.name + "/_problems");
  tell(adding.name + ": " + std::to_string(job->int_or("indexed_document_count")) +
       " documents of " + std::to_string(job->int_or("total_document_count")) +
       " files brought in, " + std::to_string(count_in(*job, "files_unchanged")) + " unchanged, " +
       std::to_string(job->int_or("deleted_document_count")) + " deleted, " +
       std::to_string(count_in(*job, "files_skipped")) + " left out");
  return search_hints(connection, adding, unreadable + refused == 0);
}

/// What a server does by itself where it reads the folder, the machine's own schedules do here.
int refuse_schedule(const Adding& adding, const std::string& why) {
  const std::string program = os::real_path("/proc/self/exe").value_or("cairn");
  std::string line = adding.crontab + " " + shell_word(program) + " add " +
                     shell_word(adding.folder) + " --name " + shell_word(adding.name) + " --yes" +
                     adding.options_by_name;
  for (std::size_t at = line.find('%'); at != std::string::npos; at = line.find('%', at + 2))
    line.insert(at, "\\");  // which stands for the end of a line there
  std::fprintf(
      stderr,
      "cairn: the server cannot read %s by itself: %s. So it cannot sync it by schedule. "
      "Let your own machine do that: this line in `crontab -e` (its times are local) sends "
      "what changed:\n  %s\nWith --watch this command sends changes as long as it runs.\n",
      adding.folder.c_str(), why.c_str(), line.c_str());
  return failed;
}

/// Until somebody ends it.
int send_changes(FolderUpload& upload, const Adding& adding, const os::Deadline& deadline) {
  std::fflush(stdout);
  tell("watching " + adding.folder + ": changes are sent as long as this runs; Ctrl-C ends it");
  const Status watched = watch_upload(
      upload,
      {.on_sent =
           [&](const UploadResult& sent) {
             name_problems(sent.problems, sent.problems.size(), "and more");
             tell(format_iso8601(os::system_clock().unix_ms()).substr(11, 8) +
                  " UTC: " + std::to_string(sent.sent) + " documents sent, " +
                  std::to_string(sent.removed) + " deleted");
           },
       .on_notice = [](const std::string& text) { tell("cairn: " + on_one_line(text)); }},
      deadline);
  return watched.ok() ? success : ended(watched.error());
}

int add_by_upload(Connection& connection, const Adding& adding, const AddParts& parts,
                  const std::string& why) {
  if (adding.cron) return refuse_schedule(adding, why);
  tell("sending the texts of " + adding.folder + " to the server: " + why);
  std::optional<Interrupts> interrupts;
  if (adding.watch) interrupts.emplace();
  const auto deadline =
      interrupts ? os::Deadline::never(interrupts->stop()) : os::Deadline::never();
  FolderUpload upload(connection, {.index = adding.name, .folder = adding.folder, .parts = parts});
  if (adding.watch)  // before it is read, so that no change is missed
    if (const auto watched = upload.changed(deadline); !watched.ok()) return ended(watched.error());
  const auto sent = upload.run(deadline, true);
  if (interrupts && interrupts->stopped()) return interrupts->exit_status();
  if (!sent.ok()) return ended(sent.error());
  name_problems(sent->problems, sent->problems.size(), "and more");
  tell(adding.name + ": " + std::to_string(sent->sent) + " documents of " +
       std::to_string(sent->files) + " files sent, " + std::to_string(sent->unchanged) +
       " unchanged, " + std::to_string(sent->removed) + " deleted, " +
       std::to_string(sent->skipped) + " left out");
  const int status = search_hints(connection, adding, sent->problems.empty());
  return adding.watch ? send_changes(upload, adding, deadline) : status;
}

int run_add(const Arguments& arguments, const Environment& environment, const AddParts& parts) {
  const auto adding = read_wishes(arguments, environment);
  if (!adding.ok()) return ended(adding.error());
  auto connection = connect(arguments, environment);
  if (!connection.ok()) return ended(connection.error());
  const auto holder = holder_of_name(*connection, adding->name, adding->folder);
  if (!holder.ok()) return ended(holder.error());
  if (*holder == NameHolder::uploaded_folder && !adding->watch && !adding->cron)
    return add_by_upload(*connection, *adding, parts, "its index was filled that way");
  const auto access = let_server_read(
      *connection, adding->folder,
      [&](const std::string& question) { return ask_person(question, adding->yes); });
  if (!access.ok()) return ended(access.error());
  if (!access->server_reads && *holder == NameHolder::connector_of_folder) {
    std::fprintf(stderr, "cairn: connector %s is there, but %s\n", adding->name.c_str(),
                 access->why_not.c_str());
    return no_permission;
  }
  if (!access->server_reads) return add_by_upload(*connection, *adding, parts, access->why_not);
  return add_by_server(*connection, *adding, *holder);
}

}  // namespace

int add_command(const std::vector<std::string>& words, const Environment& environment,
                const AddParts& parts) {
  if (asks_for_help(words)) {
    std::fputs(std::string(add_usage).c_str(), stdout);
    return success;
  }
  Syntax syntax{.options = {"--name", "--schedule"},
                .flags = {"--watch", "--yes", "--serve"},
                .words_min = 1,
                .words_max = 1};
  Connection::add_options(syntax);
  const auto arguments = Arguments::parse(words, syntax);
  if (!arguments.ok()) return misused(arguments.error().message, add_usage);
  return run_add(*arguments, environment, parts);
}

CommandPage add_page() { return {"add", std::string(add_usage)}; }

}  // namespace cairn::cli
