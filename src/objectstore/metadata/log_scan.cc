// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/log_scan.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "objectstore/metadata/log_record.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t sector_bytes = 512;
constexpr std::size_t group_head_bytes = 12;  // sequence number and count of a group of writes

bool is_blank(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

/// Whether a sector that these bytes touch is zeros as far as they reach into it.
bool lacks_sector(std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const auto take = std::min<std::size_t>(bytes.size(), sector_bytes - at % sector_bytes);
    if (is_blank(bytes.substr(0, take))) return true;
    bytes.remove_prefix(take);
    at += take;
  }
  return false;
}

class LogScanner {
 public:
  LogScanner(std::unique_ptr<os::File> file, LogKind kind)
      : file_(std::move(file)), kind_(kind), memory_(log_block_bytes, '\0') {}

  Result<LogScan> run() {
    CAIRN_TRY(found_.file_bytes, file_->size());
    CAIRN_TRY(const bool fault, read_groups());
    if (fault)
      CAIRN_CHECK(judge());
    else if (in_group_)
      set(LogEnd::torn, found_.file_bytes, "the file ends within a group");
    return std::move(found_);
  }

 private:
  void set(LogEnd end, std::uint64_t at, std::string reason) {
    found_.end = end;
    found_.fault_at = at;
    found_.reason = std::move(reason);
  }

  /// Makes `block_` the block that `at` lies in. False at the end of the file.
  Result<bool> load(std::uint64_t at) {
    block_at_ = at - at % log_block_bytes;
    if (block_at_ >= found_.file_bytes) {
      block_ = {};
      return false;
    }
    CAIRN_TRY(const std::size_t got, file_->read_at(block_at_, memory_.data(), log_block_bytes));
    block_ = std::string_view(memory_).substr(0, got);
    return got > 0;
  }
  std::string_view rest(std::uint64_t at) const {
    const auto skip = static_cast<std::size_t>(at - block_at_);
    return skip < block_.size() ? block_.substr(skip) : std::string_view();
  }

  /// True at the first record that does not verify, which is at `at_`.
  Result<bool> read_groups() {
    for (at_ = 0;;) {
      if (at_ % log_block_bytes == 0) {
        CAIRN_TRY(const bool more, load(at_));
        if (!more) return false;
      }
      const std::string_view bytes = rest(at_);
      if (block_at_ + log_block_bytes - at_ < log_header_bytes) {  // too short for a header
        if (!is_blank(bytes)) return true;
        at_ = block_at_ + log_block_bytes;
        continue;
      }
      if (bytes.empty()) return false;
      const auto record = log_record_at(bytes);
      if (!record || record->begins_group() == in_group_) return true;
      if (record->begins_group()) begin_group();
      take(*record);
      at_ += record->size();
      if (record->ends_group() && !end_group()) return true;
    }
  }

  void begin_group() {
    in_group_ = true;
    group_at_ = at_;
    head_.clear();
  }
  void take(const LogRecord& record) {
    if (head_.size() < group_head_bytes)
      head_.append(record.bytes.substr(0, group_head_bytes - head_.size()));
  }
  /// False where the group is not the one that must follow.
  bool end_group() {
    in_group_ = false;
    if (kind_ == LogKind::writes && !follows()) {
      gap_ = true;
      at_ = group_at_;
      return false;
    }
    ++found_.groups;
    found_.before_last = group_at_;
    found_.whole_bytes = at_;
    return true;
  }
  bool follows() {
    ByteReader reader(head_);
    const auto sequence = reader.u64le();
    const auto count = reader.u32le();
    if (!sequence || !count) return false;
    if (*count == 0) return true;  // RocksDB's own note of where a log begins
    if (next_sequence_ && *sequence != *next_sequence_) return false;
    next_sequence_ = *sequence + *count;
    return true;
  }

  /// What the record at `at_` means.
  Status judge() {
    if (gap_) {
      set(LogEnd::rotten, at_, "changes are missing before this group");
      return ok_status();
    }
    const std::string_view bytes = rest(at_);
    const bool in_group = in_group_;
    const bool header =
        bytes.size() >= log_header_bytes && !is_blank(bytes.substr(0, log_header_bytes));
    const std::size_t claimed = header ? claimed_record_bytes(bytes) : 0;
    const bool complete =
        header && claimed <= bytes.size() && !lacks_sector(bytes.substr(0, claimed), at_);
    // A record that verifies stands in the wrong place.
    const bool misplaced = log_record_at(bytes).has_value();
    const bool one_bit = header && is_one_bit_off(bytes);
    const std::uint64_t at = at_;
    if (complete || misplaced || one_bit) {
      set(LogEnd::rotten, at, "a record that was written to its end does not verify");
      return ok_status();
    }
    CAIRN_TRY(const auto later, find_later_group());
    if (later) {
      set(LogEnd::rotten, at,
          "a record does not verify, and a whole group stands behind it, at offset " +
              std::to_string(*later));
    } else if (in_group || !blank_from_fault_) {
      set(LogEnd::torn, at, "the last group was not written to its end");
    }
    return ok_status();
  }

  /// The beginning of a whole group behind the fault: who wrote it knew that the one at the fault
  /// was on the disk.
  Result<std::optional<std::uint64_t>> find_later_group() {
    std::uint64_t at = at_;
    blank_from_fault_ = true;
    do {
      const std::string_view block = rest(at);
      if (!is_blank(block)) {
        blank_from_fault_ = false;
        // Where records begin is known at the beginning of a block alone: elsewhere all offsets
        // are tried.
        for (std::size_t skip = 0; skip + log_header_bytes < block.size();) {
          const auto record = log_record_at(block.substr(skip));
          if (record && is_later_group(*record)) return std::optional(at + skip);
          skip += record ? record->size() : 1;
        }
      }
      at = block_at_ + log_block_bytes;
      CAIRN_TRY(const bool more, load(at));
      if (!more) break;
    } while (true);
    return std::optional<std::uint64_t>();
  }

  bool is_later_group(const LogRecord& record) const {
    if (!record.begins_group()) return false;
    if (kind_ == LogKind::manifest) return true;
    const auto sequence = ByteReader(record.bytes).u64le();
    // What a body carries must not be taken for a group: its number would have to be one that
    // comes soon.
    const std::uint64_t least = next_sequence_.value_or(0);
    return sequence && *sequence > least &&
           (!next_sequence_ || *sequence - least <= found_.file_bytes);
  }

  std::unique_ptr<os::File> file_;
  const LogKind kind_;
  std::string memory_;
  std::string_view block_;
  std::uint64_t block_at_ = 0;
  LogScan found_;
  std::uint64_t at_ = 0;
  bool in_group_ = false;
  bool gap_ = false;
  bool blank_from_fault_ = true;
  std::uint64_t group_at_ = 0;
  std::string head_;
  std::optional<std::uint64_t> next_sequence_;
};

}  // namespace

Result<LogScan> scan_log(os::Files& files, const std::string& path, LogKind kind) {
  CAIRN_TRY(auto file, files.open(path, os::OpenMode::read));
  return LogScanner(std::move(file), kind).run();
}

}  // namespace cairn::objectstore
