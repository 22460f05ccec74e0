// SPDX-License-Identifier: Apache-2.0
#include "os/fake/fake_disk.h"

#include <algorithm>
#include <set>

#include "os/clock.h"

namespace cairn::os {
namespace {

constexpr std::size_t page = 4096;

void apply_change(FakeEntries& entries, const FakeNode::Change& change) {
  if (change.node)
    entries[change.name] = change.node;
  else
    entries.erase(change.name);
}

}  // namespace

std::vector<std::string> fake_path_names(const std::string& path) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = path.find('/', at);
    if (end == std::string::npos) end = path.size();
    if (end > at && path.compare(at, end - at, ".") != 0)
      names.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

Error fake_error(ErrorKind kind, std::string_view what, const std::string& path) {
  return {.kind = kind, .message = std::string(what) + " [" + path + "]"};
}

void FakeNode::mark_dirty(std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  if (!dirty.empty() && dirty.back().second == begin)
    dirty.back().second = end;
  else
    dirty.emplace_back(begin, end);
}

void FakeNode::persist() {
  durable.resize(std::max(durable.size(), data.size()));
  for (const auto& [begin, dirty_end] : dirty) {
    const std::size_t end = std::min(dirty_end, data.size());
    if (begin < end) durable.replace(begin, end - begin, data, begin, end - begin);
  }
  durable.resize(data.size());
  durable_modified_ns = modified_ns;
  dirty.clear();
}

std::int64_t FakeFiles::Disk::now_ns() {
  last_ns = std::max(last_ns + 1, system_clock().unix_ms() * 1'000'000);
  return last_ns;
}

Status FakeFiles::Disk::ask(std::string_view call, const std::string& path) const {
  std::function<Status(std::string_view, const std::string&)> asked;
  {
    const std::lock_guard lock(mutex);
    asked = fault;
  }
  return asked ? asked(call, path) : ok_status();
}

Status FakeFiles::Disk::step(bool changes, const std::string& path) {
  if (changes && !is_cut) {
    ++calls;
    if (cut != 0 && calls >= cut) is_cut = true;
  }
  if (is_cut) return fake_error(ErrorKind::internal, "the power has failed:", path);
  return ok_status();
}

FakeNodePointer FakeFiles::Disk::make_node(bool directory) {
  auto node = std::make_shared<FakeNode>();
  node->is_directory = directory;
  node->id = next_id++;
  node->modified_ns = node->durable_modified_ns = now_ns();
  return node;
}

FakeNodePointer FakeFiles::Disk::find(const std::string& path) const {
  FakeNodePointer node = root;
  for (const std::string& name : fake_path_names(path)) {
    const auto found = node->entries.find(name);
    if (found == node->entries.end()) return nullptr;
    node = found->second;
  }
  return node;
}

Result<FakeFiles::Disk::Spot> FakeFiles::Disk::spot(const std::string& path) const {
  const std::vector<std::string> names = fake_path_names(path);
  if (names.empty()) return fake_error(ErrorKind::invalid_argument, "no name in", path);
  Spot spot{.directory = root, .name = names.back()};
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const auto found = spot.directory->entries.find(names[i]);
    if (found == spot.directory->entries.end() || !found->second->is_directory)
      return fake_error(ErrorKind::not_found, "no such directory for", path);
    spot.directory = found->second;
  }
  return spot;
}

void FakeFiles::Disk::set_entry(const Spot& at, const FakeNodePointer& node) {
  const auto old = at.directory->entries.find(at.name);
  if (old != at.directory->entries.end()) {
    --old->second->links;
    settle(*old->second);
  }
  if (node) ++node->links;
  FakeNode::Change change{.name = at.name, .node = node};
  apply_change(at.directory->entries, change);
  at.directory->changes.push_back(std::move(change));
}

void FakeFiles::Disk::settle(FakeNode& node) {
  const bool alive = node.links > 0 || node.handles > 0;
  const std::uint64_t now = alive ? std::max<std::uint64_t>(node.data.size(), node.reserved) : 0;
  used += now - node.charged;
  node.charged = now;
}

Status FakeFiles::Disk::room_for(const FakeNode& node, std::uint64_t bytes,
                                 const std::string& path) const {
  const std::uint64_t now = std::max<std::uint64_t>(node.data.size(), node.reserved);
  if (bytes > now && used + (bytes - now) > capacity)
    return fake_error(ErrorKind::storage_full, "no space left to write", path);
  return ok_status();
}

void FakeFiles::Disk::forget(FakeNode& node, Random* random) {
  if (node.is_directory) return forget_entries(node, random);
  std::string kept = node.durable;
  if (random != nullptr) {
    const bool longer = node.data.size() > kept.size();
    if (random->below(2) == 0) kept.resize(node.data.size());
    for (const auto& [begin, end] : node.dirty) {
      for (std::size_t at = begin; at < end; at = at / page * page + page) {
        const std::size_t stop = std::min({end, at / page * page + page, node.data.size()});
        if (at >= stop || random->below(2) == 0) continue;
        if (kept.size() < stop && !longer) continue;
        if (kept.size() < stop) kept.resize(stop);
        kept.replace(at, stop - at, node.data, at, stop - at);
      }
    }
  }
  node.data = kept;
  node.durable = std::move(kept);
  node.modified_ns = node.durable_modified_ns;
  node.dirty.clear();
  node.reserved = 0;
}

void FakeFiles::Disk::forget_entries(FakeNode& node, Random* random) {
  const std::size_t keep = random == nullptr ? 0 : random->below(node.changes.size() + 1);
  for (std::size_t i = 0; i < keep; ++i) apply_change(node.durable_entries, node.changes[i]);
  node.changes.clear();
  node.entries = node.durable_entries;
}

void FakeFiles::Disk::crash(Random* random) {
  ++generation;
  used = 0;
  cut = 0;
  is_cut = false;
  calls = 0;
  std::set<FakeNode*> seen;
  std::vector<FakeNodePointer> todo = {root};
  while (!todo.empty()) {
    const FakeNodePointer node = todo.back();
    todo.pop_back();
    if (seen.insert(node.get()).second) {
      forget(*node, random);
      node->links = 0;
      node->handles = 0;
      node->charged = 0;
      node->locked = false;
      for (const auto& [name, child] : node->entries) todo.push_back(child);
    }
    ++node->links;
    settle(*node);
  }
}

}  // namespace cairn::os
