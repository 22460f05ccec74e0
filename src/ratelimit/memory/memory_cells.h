// SPDX-License-Identifier: Apache-2.0
// The counters of one locked record beyond those that every record has.
#pragma once

#include <bit>

#include "ratelimit/memory/memory_table.h"

namespace cairn::ratelimit {

/// The first cell of the record and its blocks for which `is_it` says true; null: there is none.
/// `table` and `slot` are both const, or neither.
template <class Table, class Record, class Is>
auto first_cell(Table& table, Record& slot, const Is& is_it) -> decltype(&slot.record.cells[0]) {
  for (auto& cell : slot.record.cells)
    if (is_it(cell)) return &cell;
  for (std::uint32_t at = slot.next; at != 0; at = table.at(link::number(at)).next) {
    if (link::is_content(at)) continue;
    for (auto& cell : table.at(link::number(at)).more.cells)
      if (is_it(cell)) return &cell;
  }
  return nullptr;
}
template <class Table, class Record, class Is>
auto first_content(Table& table, Record& slot, const Is& is_it)
    -> decltype(&slot.content.contents[0]) {
  for (std::uint32_t at = slot.next; at != 0; at = table.at(link::number(at)).next) {
    if (!link::is_content(at)) continue;
    for (auto& content : table.at(link::number(at)).content.contents)
      if (is_it(content)) return &content;
  }
  return nullptr;
}

/// Null where there is none.
const Cell* find_cell(const MemoryTable& table, const Slot& slot, std::uint32_t id);
inline Cell* find_cell(MemoryTable& table, Slot& slot, std::uint32_t id) {
  // All four are compared, since no processor can foretell which it is.
  const Cell* const cells = slot.record.cells;
  const unsigned same = (cells[0].id == id ? 1u : 0u) | (cells[1].id == id ? 2u : 0u) |
                        (cells[2].id == id ? 4u : 0u) | (cells[3].id == id ? 8u : 0u);
  if (same != 0) return &slot.record.cells[std::countr_zero(same)];
  if (slot.next == 0) return nullptr;
  return const_cast<Cell*>(find_cell(static_cast<const MemoryTable&>(table), slot, id));
}
/// The cell, made if need be, in the place of one that is over or in a new block. Where there is no
/// room, endpoints share one cell, which is the stricter for them. Null where even that does not
/// help.
Cell* claim_cell(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now,
                 const BanTimes& bans);
/// The same for an endpoint: its own cell, or the one that endpoints without room share.
Cell* claim_endpoint(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now,
                     const BanTimes& bans);

const Content* find_content(const MemoryTable& table, const Slot& slot, std::uint32_t id);
Content* claim_content(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now);
constexpr std::uint32_t all_content = 1;  // Content::id of what is counted over all endpoints

}  // namespace cairn::ratelimit
