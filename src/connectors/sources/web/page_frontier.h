// SPDX-License-Identifier: Apache-2.0
// The addresses of a walk over web pages: which are known, and which comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "connectors/sources/files/path_rules.h"
#include "connectors/sources/web/page_fetch.h"

namespace cairn::connectors {

/// An address that was found.
struct PageEntry {
  std::string url = {};
  std::uint32_t depth = 0;    // links from a start
  std::uint32_t hops = 0;     // redirects that led here
  bool is_canonical = false;  // another page says that this is where its content belongs
  bool is_visited = false;
  bool is_item = false;      // it has documents
  bool is_read = false;      // it was a page when it was asked for last
  PageMarks marks = {};      // of that answer
  std::string version = {};  // of that content
  // What the walk at hand said of it.
  bool is_given = false;     // an item
  bool is_left_out = false;  // and why:
  std::string note = {};
};

struct PageBounds {
  std::vector<std::string> hosts = {};     // as page_host() has them
  std::vector<PathPattern> excluded = {};  // of paths, without the first slash
  std::size_t pages_max = 0;
  std::uint32_t depth_max = 0;
};

/// First in, first out; each address once. Holds at most `pages_max` addresses and 64 MiB of them.
/// One thread.
class PageFrontier {
 public:
  explicit PageFrontier(const PageBounds& bounds) : bounds_(bounds) {}

  /// True where a normal address is one of the connector's hosts.
  bool is_in_scope(std::string_view url) const;
  /// Takes a normal address. Null: it is out of scope or excluded, or there are too many. The entry
  /// stays where it is.
  PageEntry* admit(std::string_view url, std::uint32_t depth, std::uint32_t hops = 0);
  PageEntry* find(std::string_view url);
  /// The next one that was not visited; null at the end.
  PageEntry* next();

  const std::deque<PageEntry>& entries() const { return entries_; }
  std::deque<PageEntry>& entries() { return entries_; }
  std::size_t dropped() const { return dropped_; }  // since there were too many
  void set_dropped(std::size_t count) { dropped_ = count; }

 private:
  const PageBounds& bounds_;
  std::deque<PageEntry> entries_;
  std::unordered_map<std::string_view, PageEntry*> by_url_;  // views of the entries
  std::size_t at_ = 0, bytes_ = 0, dropped_ = 0;
};

}  // namespace cairn::connectors
