// SPDX-License-Identifier: Apache-2.0
// What the commands of `cairn objects` are made of, and what they work with.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/arguments.h"
#include "cli/connection.h"
#include "cli/objects/console.h"
#include "cli/objects/service.h"
#include "os/deadline.h"

namespace cairn::cli {

/// What a run has besides its words; a test gives its own.
struct ObjectRun {
  Environment environment = {};
  Console console = {};
  os::Deadline deadline = os::Deadline::never();  // with the stop of Ctrl-C
  int input = 0;                                  // the descriptor that "-" reads
  /// Instead of a client of the machine. Empty: the library's.
  std::function<Result<Service>(const Arguments&, ObjectRun&)> open = {};
};

/// Makes the client that the arguments ask for. Errors: those of options and of files.
Result<Service> open_service(const Arguments& arguments, ObjectRun& run);

struct ObjectCommand {
  std::string_view name;
  std::string_view usage;    // "cairn objects ls [s3://BUCKET[/PREFIX]] [options]"
  std::string_view summary;  // one line
  std::string_view help;     // the options, line by line
  Syntax syntax;
  int (*run)(const Arguments& arguments, ObjectRun& run);
};

/// cp, ls and the others, in the order of the help.
std::span<const ObjectCommand> object_commands();
const ObjectCommand& copy_command();
const ObjectCommand& move_command();
const ObjectCommand& sync_command();
const ObjectCommand& list_command();
const ObjectCommand& remove_command();
const ObjectCommand& presign_command();
const ObjectCommand& make_bucket_command();
const ObjectCommand& remove_bucket_command();
const ObjectCommand& table_command();
const ObjectCommand& access_point_command();

/// All of `cairn objects`. The exit status.
int run_objects(const std::vector<std::string>& words, ObjectRun& run);

/// `cairn objects <operation>`: nothing where there is no such operation.
std::optional<int> run_operation(const std::vector<std::string>& words, ObjectRun& run);

/// `cairn objects resolve-endpoint|sign`: nothing where it is neither.
std::optional<int> run_cases(const std::vector<std::string>& words);

}  // namespace cairn::cli
