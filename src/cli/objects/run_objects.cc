// SPDX-License-Identifier: Apache-2.0
// `cairn objects`: which of its commands is meant.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/interrupt.h"
#include "cli/objects/operation_help.h"
#include "cli/objects/service_options.h"
#include "cli/verbs.h"
#include "objectclient/client.h"

namespace cairn::cli {
namespace {

std::string help_of_command(const ObjectCommand& command) {
  std::string out = "usage: " + std::string(command.usage) + "\n\n" + std::string(command.summary) +
                    "\n\n" + std::string(command.help) + "\n";
  return out + std::string(service_options_help());
}

int run_command(const ObjectCommand& command, const std::vector<std::string>& words,
                ObjectRun& run) {
  if (asks_for_help(words)) {
    run.console.out(help_of_command(command));
    return success;
  }
  Syntax syntax = command.syntax;
  add_service_options(syntax);
  const auto arguments = Arguments::parse({words.begin() + 1, words.end()}, syntax);
  if (arguments.ok()) return command.run(*arguments, run);
  run.console.err("cairn: " + arguments.error().message + "\nusage: " + std::string(command.usage) +
                  "\n");
  return usage_error;
}

int unknown_command(const std::string& word, const Console& console) {
  std::vector<std::string> known = objectclient::Client::operation_names();
  for (std::string& name : known) std::replace(name.begin(), name.end(), '_', '-');
  for (const ObjectCommand& command : object_commands()) known.emplace_back(command.name);
  const auto meant = nearest(word, known);
  console.err("cairn: unknown command: cairn objects " + word +
              (meant ? "; did you mean " + *meant + "?" : "") +
              "\ncairn objects --help lists them\n");
  return usage_error;
}

}  // namespace

std::span<const ObjectCommand> object_commands() {
  static const ObjectCommand all[] = {
      copy_command(),   move_command(),    sync_command(),        list_command(),
      remove_command(), presign_command(), make_bucket_command(), remove_bucket_command(),
      table_command(),  access_point_command()};
  return all;
}

Result<Service> open_service(const Arguments& arguments, ObjectRun& run) {
  if (run.open) return run.open(arguments, run);
  objectclient::ClientOptions options;
  CAIRN_CHECK(read_service_options(arguments, run.environment, run.console, options));
  options.raise_response_errors = false;
  CAIRN_TRY(auto client,
            objectclient::Client::open(std::move(options), environment_of(run.environment)));
  return Service(std::move(client), run.deadline);
}

int run_objects(const std::vector<std::string>& words, ObjectRun& run) {
  if (words.empty()) {
    run.console.err(objects_help());
    return usage_error;
  }
  if (words[0] == "help" || words[0] == "--help") {
    run.console.out(objects_help());
    return success;
  }
  for (const ObjectCommand& command : object_commands())
    if (command.name == words[0]) return run_command(command, words, run);
  if (const auto done = run_cases(words)) return *done;
  if (const auto done = run_operation(words, run)) return *done;
  return unknown_command(words[0], run.console);
}

int objects_command(const std::vector<std::string>& words, const Environment& environment) {
  Interrupts interrupts;
  ObjectRun run{.environment = environment,
                .console = system_console([&] { interrupts.lose_output(); }),
                .deadline = os::Deadline::never(interrupts.stop())};
  const int status = run_objects(words, run);
  const bool lost = interrupts.stopped() && interrupts.exit_status() == io_error;
  return lost || (interrupts.stopped() && status != success) ? interrupts.exit_status() : status;
}

/// The commands that people use, whole; what operations take is in `cairn objects OPERATION --help`.
CommandPage objects_page() {
  CommandPage page{.noun = "objects", .text = {}};
  for (const ObjectCommand& command : object_commands())
    page.text += "usage: " + std::string(command.usage) + "\n" + std::string(command.summary) + "\n" +
                 std::string(command.help) + "\n";
  page.text += "usage: cairn objects OPERATION [--PARAMETER VALUE]...\n";
  return {page.noun, page.text + std::string(service_options_help())};
}

}  // namespace cairn::cli
