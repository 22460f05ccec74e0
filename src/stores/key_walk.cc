// SPDX-License-Identifier: Apache-2.0
#include "stores/key_walk.h"

#include <algorithm>

#include "stores/key_names.h"

namespace cairn::stores {

void KeyWalk::seek(std::string_view key) {
  levels_.clear();
  bound_ = key;
  enter(root_, "");
  settle();
}

void KeyWalk::next() { settle(); }

void KeyWalk::enter(std::string path, std::string key) {
  Level level{.path = std::move(path), .key = std::move(key), .entries = {}};
  auto names = files_.list(level.path);
  if (!names.ok()) {
    // A directory that became empty is removed; that is no error of the walk.
    if (names.error().kind != ErrorKind::not_found) status_ = std::move(names).error();
    return;
  }
  for (std::string& name : *names) {
    auto found = key_of_name(name);
    if (!found) continue;
    level.entries.push_back(
        {.text = std::move(found->text), .name = std::move(name), .is_file = found->is_file});
  }
  std::sort(level.entries.begin(), level.entries.end(),
            [](const Entry& a, const Entry& b) { return a.text < b.text; });
  levels_.push_back(std::move(level));
}

/// Goes on to the next file whose key is not below the bound.
void KeyWalk::settle() {
  valid_ = false;
  while (status_.ok() && !levels_.empty()) {
    Level& level = levels_.back();
    if (level.at == level.entries.size()) {
      levels_.pop_back();
      continue;
    }
    const Entry& entry = level.entries[level.at++];
    std::string key = level.key + entry.text;
    std::string path = level.path + "/" + entry.name;
    if (!entry.is_file) {
      if (key >= bound_ || bound_.starts_with(key)) enter(std::move(path), std::move(key));
      continue;
    }
    if (key < bound_) continue;
    const auto info = files_.info(path);
    if (!info.ok() && info.error().kind == ErrorKind::not_found) continue;
    if (!info.ok()) {
      status_ = info.error();
      return;
    }
    if (info->is_directory) continue;
    info_ = *info;
    key_ = std::move(key);
    valid_ = true;
    return;
  }
}

}  // namespace cairn::stores
