// SPDX-License-Identifier: Apache-2.0
// Finding and making room for the counters of one record.
#include "ratelimit/memory/memory_cells.h"

namespace cairn::ratelimit {
namespace {

// All endpoints become one, and leave their cells. Null where there is none.
Cell* merge_endpoints(MemoryTable& table, Slot& slot, const Moment& now) {
  Cell* into = nullptr;
  first_cell(table, slot, [&](Cell& cell) {
    if (!cell_id::is_endpoint(cell.id) && cell.id != cell_id::other_endpoints) return false;
    roll_points(cell, now);
    if (into == nullptr) {
      into = &cell;
      into->id = cell_id::other_endpoints;
      return false;
    }
    into->a = saturating_add(into->a, cell.a);
    into->b = saturating_add(into->b, cell.b);
    cell = {};
    return false;
  });
  return into;
}

}  // namespace

const Cell* find_cell(const MemoryTable& table, const Slot& slot, std::uint32_t id) {
  return first_cell(table, slot, [id](const Cell& cell) { return cell.id == id; });
}

Cell* claim_cell(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now,
                 const BanTimes& bans) {
  if (Cell* const cell = find_cell(table, slot, id)) return cell;
  const auto is_over = [&](const Cell& cell) { return cell_over(cell, now, bans); };
  Cell* cell = first_cell(table, slot, is_over);
  if (cell == nullptr)
    if (Slot* const block = table.add_block(slot, false)) cell = &block->more.cells[0];
  if (cell == nullptr && merge_endpoints(table, slot, now) != nullptr)
    cell = first_cell(table, slot, is_over);
  if (cell != nullptr) *cell = {.id = id, .when = 0, .a = 0, .b = 0};
  return cell;
}

Cell* claim_endpoint(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now,
                     const BanTimes& bans) {
  if (Cell* const cell = find_cell(table, slot, id)) return cell;
  Cell* const shared = find_cell(table, slot, cell_id::other_endpoints);
  if (shared != nullptr && !cell_over(*shared, now, bans)) return shared;
  if (Cell* const cell = claim_cell(table, slot, id, now, bans)) return cell;
  return merge_endpoints(table, slot, now);
}

const Content* find_content(const MemoryTable& table, const Slot& slot, std::uint32_t id) {
  return first_content(table, slot, [id](const Content& content) { return content.id == id; });
}

Content* claim_content(MemoryTable& table, Slot& slot, std::uint32_t id, const Moment& now) {
  if (const Content* const content = find_content(table, slot, id))
    return const_cast<Content*>(content);
  Content* content =
      first_content(table, slot, [&](const Content& each) { return content_over(each, now); });
  if (content == nullptr)
    if (Slot* const block = table.add_block(slot, true)) content = &block->content.contents[0];
  if (content == nullptr) return nullptr;
  *content = {};
  content->id = id;
  content->hour.slot = now.ring.slot;
  content->minute = now.minute.slot;
  return content;
}

}  // namespace cairn::ratelimit
