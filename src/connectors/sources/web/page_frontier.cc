// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/page_frontier.h"

#include <algorithm>

#include "connectors/sources/web/page_url.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t frontier_bytes_max = 64u << 20;

}  // namespace

bool PageFrontier::is_in_scope(std::string_view url) const {
  return std::find(bounds_.hosts.begin(), bounds_.hosts.end(), page_host(url)) !=
         bounds_.hosts.end();
}

PageEntry* PageFrontier::find(std::string_view url) {
  const auto found = by_url_.find(url);
  return found == by_url_.end() ? nullptr : found->second;
}

PageEntry* PageFrontier::admit(std::string_view url, std::uint32_t depth, std::uint32_t hops) {
  if (PageEntry* known = find(url)) return known;
  if (!is_in_scope(url)) return nullptr;
  const std::string_view target = page_target(url);
  const std::string_view path = target.substr(1, target.find('?') - 1);
  for (const PathPattern& pattern : bounds_.excluded)
    if (pattern.matches(path, path.empty() || path.ends_with('/'))) return nullptr;
  if (entries_.size() >= bounds_.pages_max || bytes_ + url.size() > frontier_bytes_max) {
    ++dropped_;
    return nullptr;
  }
  bytes_ += url.size();
  PageEntry& entry =
      entries_.emplace_back(PageEntry{.url = std::string(url), .depth = depth, .hops = hops});
  by_url_.emplace(entry.url, &entry);
  return &entry;
}

PageEntry* PageFrontier::next() {
  while (at_ < entries_.size()) {
    PageEntry& entry = entries_[at_++];
    if (!entry.is_visited) return &entry;
  }
  return nullptr;
}

}  // namespace cairn::connectors
