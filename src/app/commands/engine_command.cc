// SPDX-License-Identifier: Apache-2.0
#include "app/commands/engine_command.h"

#include <cstdio>
#include <functional>
#include <string_view>

#include "app/keys/key_files.h"
#include "app/data/mirrored_folder.h"
#include "app/settings/settings.h"
#include "auth/secrets/signing_key.h"
#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/json.h"
#include "gate/audit.h"
#include "gate/audit_verify.h"
#include "objectstore/data_folder.h"
#include "objectstore/engine.h"
#include "objectstore/read_only_files.h"
#include "objectstore/verify.h"
#include "os/log.h"

namespace cairn::app {
namespace {

constexpr std::string_view usage =
    "usage: cairn engine verify DATA_FOLDER [--json] [--config FILE]\n"
    "reads all that a data folder holds, without a server, and tells what is damaged: a line for\n"
    "each file, object, version or part on standard output. Changes nothing. What to do is in\n"
    "docs/operating/damage.md. --config: the settings that say who seals the master key, where a\n"
    "key service does. Exit status: 0 all is well, 65 something is\n"
    "damaged, 66 no data folder, 75 a server uses it.\n"
    "usage: cairn engine upgrade DATA_FOLDER [--dry-run]\n"
    "makes a data folder of an older version one of this program, as its first start would do.\n"
    "--dry-run: says what that changes, and whether all can be opened; changes nothing. Exit\n"
    "status: 0 done or nothing to do, 65 damaged or of a newer version, 66, 75 as above.\n";

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
void look_at_keys(const std::string& folder, const MasterKeyCommands& commands,
                  const std::function<void(const objectstore::Damage&)>& on_damage,
                  objectstore::VerifyCount& count) {
  const auto faults = verify_key_files(folder, os::Deadline::never(), file_seal_of(commands));
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
  const std::string signing_file = folder + "/keys/audit-signing.key";
  if (const auto signing = auth::SigningKey::read(signing_file); !signing.ok())
    tell(signing_file, signing.error().message);
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

int verify(const std::string& folder, bool json, const MasterKeyCommands& commands) {
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
  if (count.ok()) look_at_keys(folder, commands, on_damage, *count);
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

int upgrade_failed(const Error& error) {
  std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
  return cli::exit_code_of(error, cli::io_error);
}

objectstore::EngineOptions options_of(const std::string& folder, os::Files& files) {
  objectstore::EngineOptions options;
  options.data_dir = folder;
  options.reserve_bytes = 0;
  options.files = &files;
  return options;
}

void tell_news(int format) {
  std::printf("data format %d; this program makes it %d, which older ones do not open:\n", format,
              objectstore::data_format);
  for (int each = format + 1; each <= objectstore::data_format; ++each)
    std::printf("  %d: %s\n", each, std::string(objectstore::format_news(each)).c_str());
}

/// Says what an upgrade would do, after everything was opened as a start opens it.
int look_ahead(const std::string& folder, int format) {
  objectstore::ReadOnlyFiles files(os::system_files());
  const auto opened = objectstore::Engine::open_to_look(options_of(folder, files));
  if (!opened.ok()) return upgrade_failed(opened.error());
  if (format == objectstore::data_format)
    std::printf("data format %d, which this program writes: nothing is to be done\n", format);
  else
    tell_news(format);
  std::printf("%zu buckets open; segments of indices are read as they are, and merges write new ones\n",
              (*opened)->list_buckets().size());
  return cli::success;
}

int upgrade(const std::string& folder, bool dry_run) {
  os::configure_log(os::LogLevel::error, os::LogFormat::automatic);
  const auto format = objectstore::format_of_folder(os::system_files(), folder);
  if (!format.ok()) return upgrade_failed(format.error());
  if (dry_run) return look_ahead(folder, *format);
  Settings settings;
  settings.data_dir = folder;
  const auto place = open_data_place(settings);  // of a mirror: the other folder is behind then
  if (!place.ok()) return upgrade_failed(place.error());
  const auto opened = objectstore::Engine::open(options_of(place->folder, place->files()));
  if (!opened.ok()) return upgrade_failed(opened.error());
  if (*format == objectstore::data_format)
    std::printf("data format %d: nothing was to be done\n", *format);
  else
    std::printf("data format %d was made %d\n", *format, objectstore::data_format);
  return cli::success;
}

}  // namespace

std::string_view engine_help() { return usage; }

int engine_command(const std::vector<std::string>& words) {
  if (words.empty() || cli::asks_for_help(words)) {
    std::fputs(std::string(usage).c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? cli::usage_error : cli::success;
  }
  if (words[0] == "upgrade") {
    const auto arguments = cli::Arguments::parse(
        {words.begin() + 1, words.end()}, {.flags = {"--dry-run"}, .words_min = 1, .words_max = 1});
    if (!arguments.ok()) return misused(arguments.error().message);
    return upgrade(arguments->words()[0], arguments->flag("--dry-run"));
  }
  if (words[0] != "verify") return misused("unknown command: cairn engine " + words[0]);
  const auto arguments =
      cli::Arguments::parse({words.begin() + 1, words.end()},
                            {.options = {"--config"}, .flags = {"--json"}, .words_min = 1, .words_max = 1});
  if (!arguments.ok()) return misused(arguments.error().message);
  MasterKeyCommands commands;
  if (const auto config = arguments->option("--config")) {
    auto loaded = load_settings(*config, {}, {});
    if (!loaded.ok()) {
      std::fprintf(stderr, "cairn: %s\n", loaded.error().message.c_str());
      return cli::configuration_error;
    }
    commands = std::move(loaded->settings.master_key);
  }
  return verify(arguments->words()[0], arguments->flag("--json"), commands);
}

}  // namespace cairn::app
