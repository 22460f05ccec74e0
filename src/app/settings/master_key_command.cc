// SPDX-License-Identifier: Apache-2.0
#include "app/settings/master_key_command.h"

#include <string_view>

#include "connectors/sources/piped_program.h"
#include "os/deadline.h"

namespace cairn::app {
namespace {

constexpr std::int64_t key_service_wait_ms = 30'000;
constexpr std::size_t key_file_bytes_max = 64 << 10;

Result<std::string> run_key_program(const std::vector<std::string>& command,
                                    const std::string& setting, std::string_view text) {
  const auto run = [&]() -> Result<std::string> {
    const auto deadline = os::Deadline::in_ms(key_service_wait_ms);
    CAIRN_TRY(const auto program,
              connectors::PipedProgram::start(
                  {.command = command,
                   .environment = {"LC_ALL=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin"}}));
    CAIRN_CHECK(program->write(text, deadline));
    return program->read_all(key_file_bytes_max, deadline);
  };
  auto out = run();
  if (!out.ok()) return with_context(std::move(out).error(), setting);
  if (!out->empty()) return out;
  return Error{.kind = ErrorKind::unavailable,
               .message = setting + ": " + command.front() + " wrote nothing"};
}

Status check_program(const std::vector<std::string>& command, const std::string& setting) {
  if (command.empty() || command.front().starts_with('/')) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = setting + ": [" + command.front() + "] is no absolute path of a program"};
}

}  // namespace

Status check_master_key_commands(const MasterKeyCommands& commands) {
  CAIRN_CHECK(check_program(commands.seal, "master_key.seal_command"));
  CAIRN_CHECK(check_program(commands.open, "master_key.open_command"));
  if (commands.seal.empty() == commands.open.empty()) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message =
                   "master_key.seal_command and master_key.open_command go together: what "
                   "one writes the other reads"};
}

auth::KeyFileSeal file_seal_of(const MasterKeyCommands& commands) {
  if (commands.seal.empty()) return {};
  return {.seal =
              [command = commands.seal](std::string_view text) {
                return run_key_program(command, "master_key.seal_command", text);
              },
          .open =
              [command = commands.open](std::string_view text) {
                return run_key_program(command, "master_key.open_command", text);
              }};
}

}  // namespace cairn::app
