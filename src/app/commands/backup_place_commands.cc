// SPDX-License-Identifier: Apache-2.0
#include "app/commands/backup_place_commands.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

#include "app/backups/backup_places.h"
#include "backup/restore.h"
#include "backup/verify.h"
#include "base/strings.h"
#include "cli/add/status_line.h"
#include "cli/exit_codes.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "format/time.h"
#include "os/files/file_group.h"
#include "os/files/secret_file.h"
#include "os/host.h"
#include "os/log.h"
#include "os/threads/thread.h"

namespace cairn::app {
namespace {

constexpr std::int64_t show_every_ms = 500;

/// A repository that is open, with the store behind it.
struct OpenRepository {
  std::unique_ptr<store::Store> store;
  backup::Repository repository;
};

Result<OpenRepository> open(const BackupCommand& command) {
  os::configure_log(os::LogLevel::error, os::LogFormat::automatic);
  CAIRN_TRY(const auto key, read_backup_key(command.key_file));
  CAIRN_TRY(auto store, open_backup_place(command.place, command.settings, BackupFolders::any));
  auto repository = backup::Repository::open(*store, key, os::Deadline::never());
  if (!repository.ok()) return with_context(std::move(repository).error(), command.place.text);
  return OpenRepository{std::move(store), std::move(*repository)};
}

backup::Options options_of_person() { return {.owner = os::host_name()}; }

unsigned long long printed(std::uint64_t n) { return n; }

/// Shows how far a restore is while it lives.
class Shown {
 public:
  explicit Shown(const backup::Progress& progress)
      : progress_(progress),
        thread_(os::Thread::start_stoppable_or_tell({.name = "progress"},
                                                    [this](const std::stop_token& stop) {
                                                      const auto end = os::Deadline::never(stop);
                                                      while (os::sleep_ms(show_every_ms, end))
                                                        show();
                                                    })) {}
  ~Shown() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    show();
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

 private:
  void show() { line_.show(progress_.files_done, progress_.files_total, progress_.bytes_done, 0); }
  const backup::Progress& progress_;
  cli::StatusLine line_;
  os::Thread thread_;
};

/// The server reads them by the group of the folder of the configuration, which who is not root need
/// not be in.
Status let_group_read(const std::string& path, const std::string& folder) {
  const Status taken = os::take_group_of(path, folder);
  return !taken.ok() && taken.error().kind == ErrorKind::permission_denied ? ok_status() : taken;
}

/// Files of the configuration that are not there yet.
backup::ConfigurationFile into_folder(const std::optional<std::string>& folder) {
  return [folder](const backup::FileEntry& file, const objectstore::NextBytes& next) -> Status {
    if (!folder) return ok_status();
    const std::string target = *folder + "/" + file.path;
    if (os::system_files().info(target).ok()) {
      std::fprintf(stderr, "%s is there already and stays as it is\n", target.c_str());
      return ok_status();
    }
    std::string all;
    for (;;) {
      CAIRN_TRY(const std::string bytes, next());
      if (bytes.empty()) break;
      all += bytes;
    }
    const std::string beside = target.substr(0, target.rfind('/'));
    const bool made = !os::system_files().info(beside).ok();
    CAIRN_CHECK(os::make_directories_durably(os::system_files(), beside));
    if (made) CAIRN_CHECK(let_group_read(beside, *folder));
    CAIRN_CHECK(os::replace_file(target, all, 0640));
    return let_group_read(target, *folder);
  };
}

}  // namespace

int backup_failed(const Error& error) {
  std::fprintf(stderr, "cairn: %s\n", error.message.c_str());
  return cli::exit_code_of(error, cli::io_error);
}

int backup_init(const BackupCommand& command) {
  const auto begin = [&]() -> Status {
    CAIRN_TRY(const auto text, os::read_secret_file(command.key_file));
    const backup::Key drawn = backup::Key::draw(os::system_random());
    CAIRN_TRY(const auto key, text ? backup::Key::parse(*text) : Result<backup::Key>(drawn));
    // Before the repository, which is worth nothing without it.
    if (!text) CAIRN_CHECK(os::write_secret_file(command.key_file, key.text()));
    CAIRN_TRY(const auto store,
              open_backup_place(command.place, command.settings, BackupFolders::made));
    CAIRN_CHECK(backup::Repository::create(*store, key, os::system_clock(), os::system_random(),
                                           os::Deadline::never()));
    std::printf(
        "%s\n  is a repository of backups now.\n%s\n  %s. Keep a copy of it away from this "
        "machine: without it no backup can be read.\n",
        command.place.text.c_str(), command.key_file.c_str(),
        text ? "is its key" : "has its new key");
    return ok_status();
  };
  const Status begun = begin();
  return begun.ok() ? cli::success : backup_failed(with_context(begun.error(), command.place.text));
}

int backup_list(const BackupCommand& command) {
  auto place = open(command);
  if (!place.ok()) return backup_failed(place.error());
  const auto ids = place->repository.list(os::Deadline::never());
  if (!ids.ok()) return backup_failed(ids.error());
  Json all = Json::array();
  std::vector<cli::Row> rows;
  int exit_status = cli::success;
  for (const std::string& id : *ids) {
    const auto manifest = place->repository.read(id, os::Deadline::never());
    if (!manifest.ok()) {
      exit_status = backup_failed(manifest.error());
      continue;
    }
    all.push(Json::object({{"id", id},
                           {"begun", format_iso8601(manifest->begun_ms)},
                           {"took_ms", manifest->ended_ms - manifest->begun_ms},
                           {"bytes", manifest->size_bytes()},
                           {"bytes_added", manifest->new_bytes},
                           {"damaged", static_cast<std::int64_t>(manifest->damaged.size())},
                           {"program", manifest->program},
                           {"data_format", manifest->data_format},
                           {"installation", manifest->installation}}));
    rows.push_back(
        {id, format_iso8601(manifest->begun_ms), format_byte_size(manifest->size_bytes()),
         format_byte_size(manifest->new_bytes), manifest->program,
         manifest->damaged.empty() ? "-" : std::to_string(manifest->damaged.size()) + " extents"});
  }
  if (command.arguments.flag("--json"))
    cli::print_json(all);
  else
    cli::print_table({"ID", "BEGUN", "SIZE", "ADDED", "PROGRAM", "DAMAGED"}, rows);
  return exit_status;
}

int backup_verify(const BackupCommand& command) {
  auto place = open(command);
  if (!place.ok()) return backup_failed(place.error());
  const bool json = command.arguments.flag("--json");
  auto ids = place->repository.list(os::Deadline::never());
  if (!ids.ok()) return backup_failed(ids.error());
  if (!command.arguments.flag("--all")) {
    const auto one = place->repository.resolve(command.arguments.option("--id").value_or(""),
                                               os::Deadline::never());
    if (!one.ok()) return backup_failed(one.error());
    *ids = {*one};
  }
  Json faults = Json::array();
  const auto on_fault = [&](const backup::Fault& fault) {
    if (json)
      faults.push(
          Json::object({{"backup", fault.backup}, {"file", fault.file}, {"reason", fault.reason}}));
    else
      std::printf("%s\t%s\t%s\n", fault.backup.c_str(), fault.file.c_str(), fault.reason.c_str());
  };
  const auto count =
      backup::verify(place->repository, *ids, options_of_person(), on_fault, os::Deadline::never());
  if (!count.ok()) return backup_failed(count.error());
  if (json)
    cli::print_json(Json::object({{"backups", count->backups},
                                  {"pieces", count->pieces},
                                  {"bytes", count->bytes},
                                  {"faults", std::move(faults)}}));
  else
    std::fprintf(stderr, "%llu backups, %llu pieces with %s read, %llu faults\n",
                 printed(count->backups), printed(count->pieces),
                 format_byte_size(count->bytes).c_str(), printed(count->faults));
  return count->faults == 0 ? cli::success : cli::data_error;
}

int backup_restore(const BackupCommand& command) {
  const auto into = command.arguments.option("--into");
  if (!into) return cli::misused("--into FOLDER says where the data folder comes to lie", "");
  auto place = open(command);
  if (!place.ok()) return backup_failed(place.error());
  const auto never = os::Deadline::never();
  const auto id = place->repository.resolve(command.arguments.option("--id").value_or(""), never);
  if (!id.ok()) return backup_failed(id.error());
  const auto manifest = place->repository.read(*id, never);
  if (!manifest.ok()) return backup_failed(manifest.error());
  backup::Progress progress;
  Status restored = ok_status();
  {
    const Shown shown(progress);
    restored = backup::restore(place->repository, *manifest, os::system_files(), *into,
                               into_folder(command.arguments.option("--config-into")),
                               options_of_person(), progress, never);
  }
  if (!restored.ok()) return backup_failed(restored.error());
  std::printf("%s\n  holds the backup %s: %s. Start the server: cairn serve --data %s\n",
              into->c_str(), id->c_str(), format_byte_size(manifest->size_bytes()).c_str(),
              into->c_str());
  if (manifest->damaged.empty()) return cli::success;
  std::fprintf(stderr,
               "cairn: %zu extents were damaged when the backup was made; objects that lie in them "
               "cannot be read: cairn engine verify %s names them\n",
               manifest->damaged.size(), into->c_str());
  return cli::partly_failed;
}

int backup_remove(const BackupCommand& command) {
  const auto keep = command.arguments.option("--keep");
  auto going = command.arguments.options("--id");
  if (keep.has_value() == !going.empty())
    return cli::misused("either --id ID or --keep N says which backups go", "");
  auto place = open(command);
  if (!place.ok()) return backup_failed(place.error());
  const auto never = os::Deadline::never();
  for (std::string& id : going) {
    auto one = place->repository.resolve(id, never);
    if (!one.ok()) return backup_failed(one.error());
    id = std::move(*one);
  }
  if (keep) {
    const auto count = parse_number<std::size_t>(*keep);
    if (!count) return cli::misused("--keep takes a number", "");
    const auto ids = place->repository.list(never);
    if (!ids.ok()) return backup_failed(ids.error());
    if (ids->size() > *count)
      going.assign(ids->begin(), ids->end() - static_cast<std::ptrdiff_t>(*count));
  }
  const auto swept = backup::remove(place->repository, going, options_of_person(),
                                    os::system_clock(), os::system_random(), never);
  if (!swept.ok()) return backup_failed(swept.error());
  std::printf("%zu backups and %llu pieces with %s are gone\n", going.size(), printed(swept->pieces),
              format_byte_size(swept->bytes).c_str());
  return cli::success;
}

}  // namespace cairn::app
