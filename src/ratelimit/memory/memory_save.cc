// SPDX-License-Identifier: Apache-2.0
// Counters as bytes, to survive a restart.
//
//   "cairn-limits-1" key of the table (2 x u64)
//   records: key u64 (0: a shared one, its number behind the others follows as u32), kind u8,
//            core used u32, reset u32, n u8, n cells (id, when, a, b: u32 each),
//            m u8, m contents (id, minute, current, previous, slot: u32 each; 13 x u16)
//   u64 of ones, XXH3 of everything before
// Points, CPU time and requests under way are not in it: they are over in a minute.
#include <mutex>

#include "base/bytes.h"
#include "base/hash.h"
#include "ratelimit/memory/memory_cells.h"
#include "ratelimit/memory/memory_state.h"

namespace cairn::ratelimit {
namespace {

constexpr std::string_view magic = "cairn-limits-1";
constexpr std::uint64_t end_mark = ~std::uint64_t{0};
constexpr std::size_t cells_max = 64;

struct Saved {
  std::uint64_t key = 0;
  std::uint32_t shared = 0;
  std::uint32_t kind = 0;
  std::uint32_t core_used = 0, core_reset = 0;
  std::vector<Cell> cells = {};
  std::vector<Content> contents = {};
};

void put_saved(std::string& out, const Saved& saved) {
  put_u64le(out, saved.key);
  if (saved.key == 0) put_u32le(out, saved.shared);
  put_u8(out, static_cast<std::uint8_t>(saved.kind));
  put_u32le(out, saved.core_used);
  put_u32le(out, saved.core_reset);
  put_u8(out, static_cast<std::uint8_t>(saved.cells.size()));
  for (const Cell& cell : saved.cells)
    for (const std::uint32_t word : {cell.id, cell.when, cell.a, cell.b}) put_u32le(out, word);
  put_u8(out, static_cast<std::uint8_t>(saved.contents.size()));
  for (const Content& content : saved.contents) {
    for (const std::uint32_t word :
         {content.id, content.minute, content.current, content.previous, content.hour.slot})
      put_u32le(out, word);
    for (const std::uint16_t count : content.hour.counts) put_u16le(out, count);
  }
}

// False at the end mark or where bytes are missing (`in` has failed then).
bool read_saved(ByteReader& in, Saved& saved) {
  saved = {};
  saved.key = in.u64le().value_or(end_mark);
  if (saved.key == end_mark) return false;
  if (saved.key == 0) saved.shared = in.u32le().value_or(0);
  saved.kind = in.u8().value_or(0);
  saved.core_used = in.u32le().value_or(0);
  saved.core_reset = in.u32le().value_or(0);
  saved.cells.resize(in.u8().value_or(0));
  for (Cell& cell : saved.cells) {
    cell.id = in.u32le().value_or(0);
    cell.when = in.u32le().value_or(0);
    cell.a = in.u32le().value_or(0);
    cell.b = in.u32le().value_or(0);
  }
  saved.contents.resize(in.u8().value_or(0));
  for (Content& content : saved.contents) {
    content.id = in.u32le().value_or(0);
    content.minute = in.u32le().value_or(0);
    content.current = in.u32le().value_or(0);
    content.previous = in.u32le().value_or(0);
    content.hour.slot = in.u32le().value_or(0);
    for (std::uint16_t& count : content.hour.counts) count = in.u16le().value_or(0);
  }
  return !in.failed();
}

// What of a record lasts; nothing where all of it is over.
bool collect(const MemoryTable& table, const Slot& slot, const Moment& now, const BanTimes& bans,
             Saved& saved) {
  const RecordBody& record = slot.record;
  saved.kind = record.kind;
  const bool core = record.core_used != 0 && !now.over(record.core_reset);
  saved.core_used = core ? record.core_used : 0;
  saved.core_reset = core ? record.core_reset : 0;
  first_cell(table, slot, [&](const Cell& cell) {
    const bool lasts = cell_id::is_resource(cell.id) || cell.id == cell_id::ban;
    if (lasts && !cell_over(cell, now, bans)) saved.cells.push_back(cell);
    return saved.cells.size() == cells_max;
  });
  first_content(table, slot, [&](const Content& content) {
    if (!content_over(content, now)) saved.contents.push_back(content);
    return saved.contents.size() == cells_max;
  });
  return core || !saved.cells.empty() || !saved.contents.empty();
}

// A clock that was set back must not make a window or a ban last longer than it may.
std::uint32_t cut(std::uint32_t at_s, std::uint32_t longest_s, const Moment& now) {
  const std::uint64_t latest = std::uint64_t{now.next_second()} + longest_s;
  return at_s <= latest ? at_s : static_cast<std::uint32_t>(latest);
}

std::uint32_t window_length(const Rules& rules, std::uint32_t cell) {
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < rules.cells.size(); ++i) {
    const std::uint32_t length = rules.policy->resources[i].window_s;
    if (rules.cells[i] == cell) return length;
    longest = std::max(longest, length);
  }
  return longest;
}

void restore_into(MemoryTable& table, Slot& slot, const Saved& saved, const Rules& rules,
                  const Moment& now) {
  if (!now.over(saved.core_reset)) {
    slot.record.core_used = saved.core_used;
    slot.record.core_reset = cut(saved.core_reset, window_length(rules, cell_id::none), now);
  }
  for (Cell cell : saved.cells) {
    if (cell_over(cell, now, rules.bans)) continue;
    const bool ban = cell.id == cell_id::ban;
    if (!ban && !cell_id::is_resource(cell.id)) continue;
    cell.when =
        cut(cell.when, ban ? rules.policy->ban.longest_s : window_length(rules, cell.id), now);
    if (ban) cell.a = cut(cell.a, 0, now);
    if (Cell* const into = claim_cell(table, slot, cell.id, now, rules.bans)) *into = cell;
  }
  for (const Content& content : saved.contents) {
    if (content.id == 0 || content_over(content, now)) continue;
    if (Content* const into = claim_content(table, slot, content.id, now)) *into = content;
  }
}

Error damaged() { return {ErrorKind::corrupt, {}, "the saved rate-limit counters do not verify"}; }

}  // namespace

std::string MemoryLimiter::save() const {
  const Rules& rules = this->rules();
  const Moment now = moment();
  std::string out(magic);
  put_u64le(out, sip_.low);
  put_u64le(out, sip_.high);
  Saved saved;
  const auto put = [&](std::uint32_t number, bool shared) {
    Slot& slot = table_.at(number);
    saved = {};
    slot.lock.lock();
    saved.key = slot.key.load(std::memory_order_relaxed);
    const bool is_record = shared ? slot.record.kind != 0 : saved.key != 0;
    const bool lasts = is_record && collect(table_, slot, now, rules.bans, saved);
    slot.lock.unlock();
    if (shared) saved.shared = number - table_.shared_begin();
    if (lasts) put_saved(out, saved);
  };
  const std::uint32_t end = table_.used_end();
  for (std::uint32_t i = 0; i < end; ++i)
    if (table_.at(i).key.load(std::memory_order_relaxed) != 0) put(i, false);
  if (table_.any_shared())
    for (std::uint32_t i = table_.shared_begin(); i < table_.shared_end(); ++i) put(i, true);
  put_u64le(out, end_mark);
  put_u64le(out, fast_hash(out));
  return out;
}

Status MemoryLimiter::restore(std::string_view bytes) {
  if (bytes.size() < magic.size() + 32 || bytes.substr(0, magic.size()) != magic) return damaged();
  const std::string_view body = bytes.substr(0, bytes.size() - 8);
  if (ByteReader(bytes.substr(body.size())).u64le() != fast_hash(body)) return damaged();
  ByteReader check(body.substr(magic.size() + 16));
  Saved saved;
  while (read_saved(check, saved)) {
  }
  if (!check.at_end()) return damaged();

  ByteReader in(body.substr(magic.size()));
  sip_ = {in.u64le().value_or(0), in.u64le().value_or(0)};
  owner_ = next_owner();  // notes of the old keys hold no more
  table_.clear();
  set_policy(policy());  // exempt accounts have other keys
  const Rules& rules = this->rules();
  const Moment now = moment();
  while (read_saved(in, saved)) {
    if (saved.kind != of_address && saved.kind != of_caller) continue;
    Slot* const slot = saved.key == 0 ? table_.shared_at(saved.shared, saved.kind)
                                      : table_.find_or_add(saved.key, saved.kind, now, rules.bans);
    if (slot == nullptr) continue;
    const std::lock_guard locked(slot->lock, std::adopt_lock);
    restore_into(table_, *slot, saved, rules, now);
  }
  return ok_status();
}

}  // namespace cairn::ratelimit
