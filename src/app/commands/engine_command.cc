// SPDX-License-Identifier: Apache-2.0
#include "app/commands/engine_command.h"

#include <cstdio>
#include <functional>
#include <string_view>

#include "app/key_files.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "gate/audit.h"
#include "gate/audit_verify.h"
#include "objectstore/verify.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view usage =
    "usage: cairn engine verify DATA_FOLDER [--json]\n"
    "reads all that a data folder holds, without a server, and tells what is damaged: a line for\n"
    "each file, object, version or part on standard output. Changes nothing. What to do is in\n"
    "docs/operating/damage.md. Exit status: 0 all is well, 65 something is\n"
    "damaged, 66 no data folder, 75 a server uses it.\n";

int misused(const std::string& why) {
  std::fprintf(stderr, "cairn: %s\n%s", why.c_str(), std::string(usage).c_str());
  return cli::usage_error;
}

/// One line, told as it is found: a whole folder may take hours.
void tell(const objectstore::Damage& damage) {
  const bool part = !damage.upload_id.empty();
  const std::string what =
      !damage.file.empty() ? damage.file + " at offset " + std::to_string(damage.offset)
      : part ? "part " + std::to_string(damage.part_number) + " of upload " + damage.upload_id
             : damage.bucket + "/" + damage.key;
  const std::string line =
      cli::format_table(cli::Row(3), {{what, damage.version_id, damage.reason}}, false);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

Json json_of(const objectstore::Damage& damage) {
  Json out = Json::object();
  if (!damage.file.empty()) {
    out.set("file", damage.file);
    out.set("offset", static_cast<std::int64_t>(damage.offset));
  } else if (damage.upload_id.empty()) {
    out.set("bucket", damage.bucket);
    out.set("key", damage.key);
    out.set("version_id", damage.version_id);
  } else {
    out.set("upload_id", damage.upload_id);
    out.set("part_number", damage.part_number);
  }
  out.set("reason", damage.reason);
  return out;
}

/// Where the metadata are damaged nobody knows what the keys should be: then that is told alone.
void look_at_keys(const std::string& folder,
                  const std::function<void(const objectstore::Damage&)>& on_damage,
                  objectstore::VerifyCount& count) {
  const auto faults = verify_key_files(folder, os::Deadline::never());
  if (!faults.ok()) {
    if (count.damaged == 0)
      std::fprintf(stderr, "cairn: the files of keys could not be verified: %s\n",
                   faults.error().message.c_str());
    return;
  }
  for (const KeyFileFault& fault : *faults) {
    objectstore::Damage damage;
    damage.file = fault.file;
    damage.reason = fault.reason;
    on_damage(damage);
    ++count.damaged;
  }
}

void look_at_audit(const std::string& folder,
                   const std::function<void(const objectstore::Damage&)>& on_damage,
                   objectstore::VerifyCount& count) {
  const auto tell = [&](const std::string& file, std::string reason) {
    objectstore::Damage damage;
    damage.file = file;
    damage.reason = std::move(reason);
    on_damage(damage);
    ++count.damaged;
  };
  os::Files& files = os::system_files();
  const auto there = gate::audit_files(files, folder + "/audit");
  if (!there.ok() || there->empty()) return;
  const std::string key_file = folder + "/keys/audit.key";
  const auto key = gate::audit_key(key_file, nullptr);
  if (!key.ok()) return tell(key_file, key.error().message);
  const auto read = gate::verify_audit(
      files, folder + "/audit", *key, folder + "/keys/audit.head",
      [&](const gate::AuditFault& fault) {
        tell(folder + "/audit/" + fault.file,
             "line " + std::to_string(fault.line) + ": " + fault.reason);
      },
      os::Deadline::never());
  if (!read.ok()) tell(folder + "/audit", read.error().message);
}

int verify(const std::string& folder, bool json) {
  os::configure_log(os::LogLevel::error, os::LogFormat::automatic);
  objectstore::EngineOptions options;
  options.data_dir = folder;
  options.reserve_bytes = 0;  // a full disk can be looked at too
  Json damaged = Json::array();
  const auto on_damage = [&](const objectstore::Damage& damage) {
    if (json)
      damaged.push(json_of(damage));
    else
      tell(damage);
  };
  auto count = objectstore::verify_folder(options, on_damage, os::Deadline::never());
  if (count.ok()) look_at_keys(folder, on_damage, *count);
  if (count.ok()) look_at_audit(folder, on_damage, *count);
  if (!count.ok()) {
    std::fprintf(stderr, "cairn: %s\n", count.error().message.c_str());
    return cli::exit_code_of(count.error(), cli::io_error);
  }
  if (json) {
    const auto number = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    const Json all = Json::object({{"objects", number(count->objects)},
                                   {"bytes", number(count->bytes)},
                                   {"damaged", std::move(damaged)}});
    std::printf("%s\n", all.dump(true).c_str());
  } else {
    std::fprintf(stderr, "%llu objects, versions and parts with %llu bytes read, %llu damaged\n",
                 static_cast<unsigned long long>(count->objects),
                 static_cast<unsigned long long>(count->bytes),
                 static_cast<unsigned long long>(count->damaged));
  }
  return count->damaged == 0 ? cli::success : cli::data_error;
}

}  // namespace

std::string_view engine_help() { return usage; }

int engine_command(const std::vector<std::string>& words) {
  if (words.empty() || cli::asks_for_help(words)) {
    std::fputs(std::string(usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? cli::usage_error : cli::success;
  }
  if (words[0] != "verify") return misused("unknown command: cairn engine " + words[0]);
  const auto arguments =
      cli::Arguments::parse({words.begin() + 1, words.end()},
                            {.options = {}, .flags = {"--json"}, .words_min = 1, .words_max = 1});
  if (!arguments.ok()) return misused(arguments.error().message);
  return verify(arguments->words()[0], arguments->flag("--json"));
}

}  // namespace cairn::app
