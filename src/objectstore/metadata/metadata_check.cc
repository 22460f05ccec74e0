// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/metadata_check.h"

#include <algorithm>
#include <set>
#include <utility>

#include "objectstore/metadata/log_file.h"
#include "objectstore/metadata/log_scan.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t small_file_bytes_max = 1 << 30;
constexpr std::string_view read_on = "docs/operating/damage.md";

bool is_log(std::string_view name) { return name.ends_with(".log"); }
bool is_manifest(std::string_view name) { return name.starts_with("MANIFEST-"); }
bool is_options(std::string_view name) {
  return name.starts_with("OPTIONS-") && !name.ends_with(".dbtmp");
}

std::string advice_on(std::string_view name) {
  const auto chapter = [](const char* of) {
    return std::string("restore it, or the folder, from a copy; \"") + of + "\" in " +
           std::string(read_on) + " says what else can be done";
  };
  if (is_log(name)) return chapter("A log");
  if (is_manifest(name)) return chapter("The MANIFEST");
  if (name == "CURRENT") return chapter("CURRENT");
  if (name.ends_with(".sst")) return chapter("A table");
  return "nothing is lost with it: the next start writes it anew";
}

class MetadataCheck {
 public:
  MetadataCheck(os::Files& files, const std::string& folder,
                const std::optional<MetadataState>& state)
      : files_(files), folder_(folder), known_(state.has_value()) {
    if (state) state_ = *state;
  }

  Result<MetadataFindings> run() {
    CAIRN_CHECK(list());
    for (const auto& [name, sum] : state_.fixed) CAIRN_CHECK(check_fixed(name, sum));
    for (const auto& [name, bytes] : state_.tables) CAIRN_CHECK(check_table(name, bytes));
    CAIRN_CHECK(check_current());
    for (const auto& [name, file] : state_.growing)
      if (!names_.contains(name) && is_log(name) && !state_.clean) add_lost(name);
    for (auto name = names_.begin(); name != names_.end(); ++name)
      if (is_log(*name) && !is_summed(*name)) CAIRN_CHECK(check_log(*name, is_last_log(name)));
    return std::move(findings_);
  }

 private:
  Status list() {
    const auto names = files_.list(folder_);
    if (!names.ok() && names.error().kind != ErrorKind::not_found) return names.error();
    if (names.ok()) names_ = {names->begin(), names->end()};
    return ok_status();
  }

  void add(const std::string& name, std::uint64_t offset, std::string reason, bool stops = true) {
    findings_.faults.push_back({.file = folder_ + "/" + name,
                                .offset = offset,
                                .reason = std::move(reason),
                                .advice = advice_on(name),
                                .stops_start = stops});
    told_.insert(name);
  }
  void add_lost(const std::string& name, bool stops = true) {
    add(name, 0, "the file is missing", stops);
  }
  bool is_summed(const std::string& name) const {
    return told_.contains(name) || (state_.clean && state_.fixed.contains(name));
  }

  /// Whether the database reads it.
  bool is_needed(std::string_view name) const {
    return is_log(name) || is_manifest(name) || name == "CURRENT";
  }

  Status check_fixed(const std::string& name, const FileSum& sum) {
    if (!names_.contains(name)) {
      // After an orderly stop nothing is in the logs that is not in the tables.
      add_lost(name, is_needed(name) && !is_log(name));
      return ok_status();
    }
    CAIRN_TRY(const std::string bytes,
              os::read_file(files_, folder_ + "/" + name, small_file_bytes_max));
    const FileSum now = sum_of(bytes);
    for (std::size_t i = 0; i < sum.blocks.size(); ++i) {
      const std::uint64_t at = i * FileSum::block_bytes;
      if (i < now.blocks.size() && now.blocks[i] == sum.blocks[i]) continue;
      const bool is_cut = bytes.size() < std::min(at + FileSum::block_bytes, sum.size_bytes);
      add(name, is_cut ? bytes.size() : at,
          is_cut ? "the file ends here and had " + std::to_string(sum.size_bytes) + " bytes"
                 : "the block of 4096 bytes that begins here is not what was written",
          is_needed(name));
      return ok_status();
    }
    if (bytes.size() > sum.size_bytes)
      add(name, sum.size_bytes, "the file goes on behind its end", is_needed(name));
    return ok_status();
  }

  /// What is in it RocksDB verifies as it reads.
  Status check_table(const std::string& name, std::uint64_t bytes) {
    if (!names_.contains(name)) {
      add_lost(name);
      return ok_status();
    }
    CAIRN_TRY(const auto info, files_.info(folder_ + "/" + name));
    if (info.size_bytes != bytes)
      add(name, std::min(info.size_bytes, bytes),
          "the file has " + std::to_string(info.size_bytes) + " bytes and had " +
              std::to_string(bytes));
    return ok_status();
  }

  Status check_current() {
    if (told_.contains("CURRENT")) return ok_status();
    if (!names_.contains("CURRENT")) {
      const bool has_tables = std::any_of(names_.begin(), names_.end(),
                                          [](const auto& name) { return name.ends_with(".sst"); });
      if (state_.has_database || (!known_ && has_tables)) add_lost("CURRENT");
      return ok_status();
    }
    CAIRN_TRY(const std::string text, os::read_file(files_, folder_ + "/CURRENT", 4096));
    if (!is_manifest(text) || !text.ends_with('\n')) {
      add("CURRENT", 0, "it does not name a MANIFEST");
      return ok_status();
    }
    const std::string manifest = text.substr(0, text.size() - 1);
    if (is_summed(manifest)) return ok_status();
    if (names_.contains(manifest)) return check_manifest(manifest);
    if (state_.growing.contains(manifest)) {
      add_lost(manifest);
      return ok_status();
    }
    add("CURRENT", 0, "it names [" + manifest.substr(0, 64) + "], which is not there");
    return ok_status();
  }

  Status check_manifest(const std::string& name) {
    CAIRN_TRY(const LogScan scan, scan_log(files_, folder_ + "/" + name, LogKind::manifest));
    const auto known = state_.growing.find(name);
    const std::uint64_t least = known == state_.growing.end() ? 1 : known->second.least_bytes;
    if (scan.whole_bytes < least)
      add(name, std::min(scan.whole_bytes, scan.file_bytes),
          "it is whole up to here and was up to " + std::to_string(least) +
              (scan.reason.empty() ? "" : ": " + scan.reason));
    else if (known != state_.growing.end() && scan.end != LogEnd::whole)
      // RocksDB syncs several groups at once, so one may be there and the one before it not: behind
      // what is known to be synced, nothing was promised.
      findings_.torn_manifest = TornTail{.file = folder_ + "/" + name,
                                         .name = name,
                                         .whole_bytes = scan.whole_bytes,
                                         .fault_at = scan.fault_at};
    else if (scan.end == LogEnd::rotten)
      add(name, scan.fault_at, scan.reason);
    return ok_status();
  }

  bool is_last_log(std::set<std::string>::const_iterator name) const {
    const bool more_there = std::any_of(std::next(name), names_.end(), is_log);
    const bool more_known = std::any_of(state_.growing.upper_bound(*name), state_.growing.end(),
                                        [](const auto& file) { return is_log(file.first); });
    return !more_there && !more_known;
  }

  Status check_log(const std::string& name, bool is_last) {
    CAIRN_TRY(const LogScan scan, scan_log(files_, folder_ + "/" + name, LogKind::writes));
    const auto found = state_.growing.find(name);
    const bool known = found != state_.growing.end();
    if (scan.end == LogEnd::rotten) {
      add(name, scan.fault_at, scan.reason);
    } else if (known && scan.file_bytes < found->second.least_bytes) {
      add(name, scan.file_bytes,
          "the file ends here and had at least " + std::to_string(found->second.least_bytes) +
              " bytes");
    } else if (known && found->second.closed && scan.whole_bytes < found->second.least_bytes) {
      add(name, scan.whole_bytes,
          "it is whole up to here and was up to " + std::to_string(found->second.least_bytes));
    } else if (known && !found->second.closed &&
               scan.file_bytes < LogFile::filled_end(scan.before_last)) {
      // Zeros stand ahead of all that was synced.
      add(name, scan.file_bytes,
          "the file ends here and had at least " +
              std::to_string(LogFile::filled_end(scan.before_last)) + " bytes");
    } else if (scan.end == LogEnd::torn && !is_last) {
      // A log is left for the next one when all of it is on the disk.
      add(name, scan.fault_at, scan.reason + ", and there is a later log");
    } else if (scan.end == LogEnd::torn) {
      findings_.torn = TornTail{.file = folder_ + "/" + name,
                                .name = name,
                                .whole_bytes = scan.whole_bytes,
                                .fault_at = scan.fault_at};
    }
    return ok_status();
  }

  os::Files& files_;
  const std::string& folder_;
  const bool known_;
  MetadataState state_;
  std::set<std::string> names_;
  std::set<std::string> told_;
  MetadataFindings findings_;
};

}  // namespace

Result<MetadataFindings> check_metadata(os::Files& files, const std::string& metadata,
                                        const std::optional<MetadataState>& state) {
  return MetadataCheck(files, metadata, state).run();
}

Error error_of(const FileFault& fault) {
  return {.kind = ErrorKind::corrupt,
          .message = "[" + fault.file + "] is damaged at offset " + std::to_string(fault.offset) +
                     ": " + fault.reason + ". Nothing was changed; " + fault.advice};
}

namespace {

Status note(os::Files& files, const std::string& metadata, bool clean, MetadataState& state) {
  CAIRN_TRY(const auto names, files.list(metadata));
  state.clean = clean;
  state.fixed.clear();
  state.tables.clear();
  for (const std::string& name : names) {
    const std::string path = metadata + "/" + name;
    if (clean && name.ends_with(".sst")) {
      CAIRN_TRY(const auto info, files.info(path));
      state.tables[name] = info.size_bytes;
    }
    const bool fixed = is_options(name) || name == "IDENTITY";
    const bool stopped = is_log(name) || is_manifest(name) || name == "CURRENT";
    if (!fixed && !(clean && stopped)) continue;
    CAIRN_TRY(const std::string bytes, os::read_file(files, path, small_file_bytes_max));
    // What is noted must be what a power failure leaves: the end of a log was cut without a sync.
    CAIRN_TRY(const auto file, files.open(path, os::OpenMode::read_write));
    CAIRN_CHECK(file->sync_all());
    state.fixed.emplace(name, sum_of(bytes));
  }
  return files.sync_directory(metadata);
}

}  // namespace

Status note_files(os::Files& files, const std::string& metadata, MetadataState& state) {
  return note(files, metadata, true, state);
}

Status note_fixed_files(os::Files& files, const std::string& metadata, MetadataState& state) {
  return note(files, metadata, false, state);
}

}  // namespace cairn::objectstore
