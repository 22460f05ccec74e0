// SPDX-License-Identifier: Apache-2.0
// The tree is a map from a page's parent and tokens to the page.
#include "inference/generation/prefix_cache.h"

#include <algorithm>
#include <functional>

namespace cairn::inference {

std::size_t PrefixCache::Hash::operator()(const Key& key) const {
  const auto* const bytes = reinterpret_cast<const char*>(key.ids.data());
  const std::size_t of_ids =
      std::hash<std::string_view>()({bytes, key.ids.size() * sizeof(std::uint32_t)});
  const std::size_t of_scope = std::hash<std::string>()(key.scope);
  constexpr std::size_t spread = 0x9E3779B97F4A7C15ULL;
  return of_ids ^ (key.parent * spread) ^ (of_scope * spread >> 1U);
}

PrefixCache::Key PrefixCache::key_of(std::string_view scope, std::uint64_t parent,
                                     std::span<const std::uint32_t> ids, std::size_t page) {
  Key key{.scope = page == 0 ? std::string(scope) : std::string(), .parent = parent, .ids = {}};
  std::copy_n(ids.begin() + static_cast<std::ptrdiff_t>(page * kernels::page_tokens),
              kernels::page_tokens, key.ids.begin());
  return key;
}

std::vector<PrefixCache::Entries::iterator> PrefixCache::path_of(
    std::string_view scope, std::span<const std::uint32_t> ids) {
  std::vector<Entries::iterator> path;
  const std::size_t whole = ids.size() / kernels::page_tokens;
  while (path.size() < whole) {
    const std::uint64_t parent = path.empty() ? 0 : path.back()->number;
    const auto found = by_key_.find(key_of(scope, parent, ids, path.size()));
    if (found == by_key_.end()) break;
    path.push_back(found->second);
  }
  return path;
}

/// The deepest first, so that those go first that others do not build on.
void PrefixCache::touch(const std::vector<Entries::iterator>& path) {
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry)
    entries_.splice(entries_.begin(), entries_, *entry);
}

std::vector<std::shared_ptr<KvPage>> PrefixCache::find(std::string_view scope,
                                                       std::span<const std::uint32_t> ids) {
  const auto path = path_of(scope, ids);
  touch(path);
  std::vector<std::shared_ptr<KvPage>> pages;
  pages.reserve(path.size());
  for (const auto& entry : path) pages.push_back(entry->page);
  return pages;
}

void PrefixCache::keep(std::string_view scope, std::span<const std::uint32_t> ids,
                       std::span<const std::shared_ptr<KvPage>> pages) {
  const std::size_t whole =
      std::min({ids.size() / kernels::page_tokens, pages.size(), most_pages_});
  auto path = path_of(scope, ids.first(whole * kernels::page_tokens));
  while (path.size() < whole) {
    const std::uint64_t parent = path.empty() ? 0 : path.back()->number;
    Key key = key_of(scope, parent, ids, path.size());
    entries_.push_front({.key = key, .number = ++numbers_, .page = pages[path.size()]});
    by_key_.emplace(std::move(key), entries_.begin());
    if (!path.empty()) {
      entries_.front().parent = path.back();
      ++path.back()->children;
    }
    path.push_back(entries_.begin());
  }
  touch(path);
  // Pages that sequences still have cost nothing until those end.
  if (entries_.size() > most_pages_) drop(entries_.size() - most_pages_);
}

/// From the end on: a page comes after all that build on it.
std::size_t PrefixCache::drop(std::size_t count) {
  std::size_t dropped = 0;
  for (auto entry = entries_.end(); dropped < count && entry != entries_.begin();) {
    --entry;
    if (entry->children > 0 || entry->page.use_count() > 1) continue;
    const auto gone = entry++;
    remove(gone);
    ++dropped;
  }
  return dropped;
}

std::size_t PrefixCache::spare_pages() const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [](const Entry& entry) { return entry.page.use_count() == 1; }));
}

void PrefixCache::remove(Entries::iterator entry) {
  if (entry->parent) --(*entry->parent)->children;
  by_key_.erase(entry->key);
  entries_.erase(entry);
}

}  // namespace cairn::inference
