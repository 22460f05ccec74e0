// SPDX-License-Identifier: Apache-2.0
// A walk over web pages: one page of the web a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "connectors/source.h"
#include "connectors/sources/web/page_fetch.h"
#include "connectors/sources/web/page_frontier.h"
#include "connectors/sources/web/walk_place.h"

namespace cairn::connectors {

/// What a connector's configuration says.
struct WebValues {
  std::vector<std::string> urls = {};      // normal
  std::vector<std::string> sitemaps = {};  // normal
  PageBounds bounds = {};
  bool follow = true;
  bool robots_sitemaps = true;
  std::size_t page_bytes_max = 0;
  std::int64_t delay_ms = 0;
};

inline constexpr std::size_t sitemap_bytes_max = 32u << 20;

/// The page that a walk gave last, and what a name says of it.
struct HeldPage {
  std::string url = {}, name = {}, media_type = {}, charset = {}, body = {};
};

/// After a cursor the pages that are known are asked whether they changed, and where changed ones
/// lead is followed. `held` has the content of the item that was given last; both references
/// outlive the walk. One thread.
class WebWalk final : public Walk {
 public:
  WebWalk(const WebValues& values, PageFetchParams fetch, HeldPage& held,
          const std::string& cursor);

  Result<SourcePage> next(const os::Deadline& deadline) override;
  bool is_whole() const override { return is_whole_; }
  std::string cursor() const override;
  std::string place() const override;
  void resume_at(const std::string& place,
                 const std::function<bool(const SourceItem&)>& is_recorded) override;

 private:
  using Kind = PageAnswer::Kind;

  void take_known(const std::string& cursor);
  void give_again(SourcePage& page);
  Status tell_sometimes();
  Status find_sitemaps(const os::Deadline& deadline);
  void add_sitemap(std::string_view base, std::string_view reference);
  Status take_sitemap(std::string url, SourcePage& page, const os::Deadline& deadline);
  void note_failure(const std::string& url, const std::string& reason, SourcePage& page);
  void tell_failure(const PageFailure& failure, SourcePage& page) const;
  void leave_out(PageEntry& entry, std::string reason, SourcePage& page);
  void tell_left_out(const PageEntry& entry, SourcePage& page) const;
  Status visit(PageEntry& entry, SourcePage& page, const os::Deadline& deadline);
  void take_move(PageEntry& entry, const std::string& location, SourcePage& page);
  void take_page(PageEntry& entry, PageAnswer answer, SourcePage& page);
  void follow(const PageEntry& from, const std::string& base,
              const std::vector<std::string>& links);
  std::string canonical_of(const PageEntry& entry, const std::string& base,
                           const std::string& written);
  void give(PageEntry& entry, std::string name, PageAnswer answer, SourcePage& page);
  Status finish(SourcePage& page);

  const WebValues& values_;
  HeldPage& held_;
  std::unique_ptr<PageFrontier> frontier_;
  const std::function<Status(std::string_view)> tell_;
  PageFetch fetch_;
  const bool is_whole_;
  WalkPlace at_;                                           // besides the frontier
  std::size_t again_at_ = 0, again_end_ = 0;               // entries that are given again
  std::unordered_map<std::string, std::string> contents_;  // which page had which version first
  std::int64_t next_beat_ms_ = 0;
};

}  // namespace cairn::connectors
