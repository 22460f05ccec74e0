// SPDX-License-Identifier: Apache-2.0
// `cairn objects <operation>`: any operation of the service, by its description.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "cli/exit_codes.h"
#include "cli/objects/command.h"
#include "cli/objects/failure.h"
#include "cli/objects/operation_help.h"
#include "cli/objects/parameters.h"
#include "cli/objects/result_text.h"
#include "cli/objects/service_options.h"
#include "cli/objects/transfer/input_body.h"
#include "cli/verbs.h"
#include "objectclient/call/value_json.h"
#include "s3/operations/operation.h"

namespace cairn::cli {
namespace {

const s3::Operation* operation_named(std::string_view word) {
  for (const auto all : {s3::all_operations(), s3::control_operations()})
    for (const s3::Operation* operation : all)
      if (is_same_name(operation->call, word)) return operation;
  return nullptr;
}

Syntax syntax_of_operation(const s3::Operation& operation) {
  Syntax syntax{.options = {}, .flags = {"--json", "--dry-run"}};
  add_service_options(syntax);
  if (operation.stream_in) syntax.options.emplace_back("--body");
  if (operation.stream_out) {
    syntax.options.emplace_back("--output");
    syntax.words_max = 1;
  }
  add_parameters(operation.input(), syntax);
  return syntax;
}

Result<std::string> output_named(const s3::Operation& operation, const Arguments& arguments) {
  if (!operation.stream_out) return std::string();
  auto named = arguments.option("--output");
  if (!named && !arguments.words().empty()) named = arguments.words()[0];
  if (named && !named->empty()) return *named;
  return Error{ErrorKind::invalid_argument,
               {},
               "name the file that the object's bytes go to, or - for standard output"};
}

/// Parameters that could not be read, behind what the client says of all of them.
Error with_own_faults(Error error, const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) error.message += "\n  " + fault;
  return error;
}

/// The operation's parameters without its bytes: what the client would refuse, it refuses here.
int try_operation(const s3::Operation& operation, const GivenParameters& given,
                  const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  // A client that sends nothing checks just as one that does.
  ObjectRun stubbed = run;
  auto words = std::vector<std::string>{"--option", "stub_responses=true"};
  const auto options = Arguments::parse(words, syntax_of_operation(operation));
  auto service = open_service(*options, stubbed);
  if (!service.ok()) return tell_failure(run.console, service.error(), json);
  const auto checked = service->call(operation.call, given.params);
  if (!checked.ok())
    return tell_failure(run.console, with_own_faults(checked.error(), given.faults), json);
  if (!given.faults.empty())
    return tell_failure(
        run.console,
        Error{ErrorKind::invalid_argument, "ArgumentError", join(given.faults, "\n  ")}, json);
  const std::string params = objectclient::json_of(given.params).dump();
  run.console.out(json ? "{\"operation\":\"" + std::string(operation.call) +
                             "\",\"params\":" + params + ",\"status\":\"dry_run\"}\n"
                       : "(dryrun) " + std::string(operation.call) + " " + params + "\n");
  return success;
}

int call_operation(const s3::Operation& operation, const Arguments& arguments, ObjectRun& run) {
  const bool json = arguments.flag("--json");
  const auto fail = [&](const Error& error) { return tell_failure(run.console, error, json); };
  const auto given = read_parameters(operation.input(), arguments);
  if (!given.ok()) return fail(given.error());
  // What cannot be read is never sent, whatever the client is told to check.
  if (arguments.flag("--dry-run") || !given->faults.empty())
    return try_operation(operation, *given, arguments, run);
  const auto output = output_named(operation, arguments);
  if (!output.ok()) return fail(output.error());
  InputBody input;
  if (const auto path = arguments.option("--body")) {
    auto opened = input_body(*path, run.input, run.deadline);
    if (!opened.ok()) return fail(opened.error());
    input = *std::move(opened);
  }
  const auto service = open_service(arguments, run);
  if (!service.ok()) return fail(service.error());
  const bool to_console = *output == "-";
  const auto target = to_console ? objectclient::Target::function([&](std::string_view bytes) {
    run.console.out(bytes);
    return ok_status();
  })
                      : output->empty() ? objectclient::Target()
                                        : objectclient::Target::file(*output);
  const auto result = service->call(operation.call, given->params, input.body, target);
  if (!result.ok()) return fail(with_own_faults(result.error(), given->faults));
  if (to_console) return success;
  run.console.out(json ? objectclient::json_of(*result).dump(true) + "\n" : result_text(*result));
  return success;
}

}  // namespace

std::optional<int> run_operation(const std::vector<std::string>& words, ObjectRun& run) {
  const s3::Operation* const operation = operation_named(words[0]);
  if (operation == nullptr) return std::nullopt;
  if (asks_for_help(words)) {
    run.console.out(operation_help(*operation));
    return success;
  }
  const Syntax syntax = syntax_of_operation(*operation);
  const auto arguments =
      Arguments::parse(with_known_spelling({words.begin() + 1, words.end()}, syntax), syntax);
  if (!arguments.ok()) {
    run.console.err("cairn: " + arguments.error().message + "; cairn objects " +
                    command_of_operation(*operation) + " --help lists the options\n");
    return usage_error;
  }
  return call_operation(*operation, *arguments, run);
}

}  // namespace cairn::cli
