// SPDX-License-Identifier: Apache-2.0
// Pages of keys and values that sequences left behind, for others that begin with the same tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inference/decoder/kv_pages.h"

namespace cairn::inference {

/// A tree of pages by the tokens that lead to them. Scopes share nothing: how fast a prompt is
/// answered must not tell one caller what another one asked. One thread at a time.
class PrefixCache {
 public:
  /// Holds at most `most_pages`; those that were used longest ago go first.
  explicit PrefixCache(std::size_t most_pages) : most_pages_(most_pages) {}

  /// The pages of the longest known beginning of `ids`, whole pages only.
  std::vector<std::shared_ptr<KvPage>> find(std::string_view scope,
                                            std::span<const std::uint32_t> ids);
  /// Keeps the pages of a sequence of these tokens; each page of `pages` that has all of its tokens
  /// in `ids`. What is known already stays as it is.
  void keep(std::string_view scope, std::span<const std::uint32_t> ids,
            std::span<const std::shared_ptr<KvPage>> pages);
  /// Lets go of up to `count` pages, those that were used longest ago first, of those on which no
  /// other builds and which no sequence has. Gives how many there were.
  std::size_t drop(std::size_t count);
  /// How many drop() can let go of, about: pages that no sequence has.
  std::size_t spare_pages() const;

  std::size_t pages() const { return entries_.size(); }

 private:
  using Ids = std::array<std::uint32_t, kernels::page_tokens>;
  struct Key {
    std::string scope;         // of a first page
    std::uint64_t parent = 0;  // the number of the page before; 0: it is the first
    Ids ids = {};
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Entry;
  using Entries = std::list<Entry>;  // the most recently used first
  struct Entry {
    Key key;
    std::uint64_t number = 0;
    std::shared_ptr<KvPage> page;
    std::optional<Entries::iterator> parent = {};
    std::size_t children = 0;  // pages that build on this one
  };

  /// The entries of the known beginning of `ids`.
  std::vector<Entries::iterator> path_of(std::string_view scope,
                                         std::span<const std::uint32_t> ids);
  static Key key_of(std::string_view scope, std::uint64_t parent,
                    std::span<const std::uint32_t> ids, std::size_t page);
  void touch(const std::vector<Entries::iterator>& path);

  void remove(Entries::iterator entry);

  std::size_t most_pages_;
  std::uint64_t numbers_ = 0;
  Entries entries_;
  std::unordered_map<Key, Entries::iterator, Hash> by_key_;
};

}  // namespace cairn::inference
