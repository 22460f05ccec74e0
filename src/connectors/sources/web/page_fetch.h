// SPDX-License-Identifier: Apache-2.0
// Requests for web pages, as a host wants to be asked: by its robots.txt, one at a time, with a
// pause between two, and no more after it asked to wait.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "connectors/outreach.h"
#include "connectors/sources/web/page_links.h"
#include "connectors/sources/web/robots_rules.h"
#include "net/client/client.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::connectors {

/// The crawler's name in robots.txt and in pages.
inline constexpr std::string_view crawler_name = "cairn";

/// What a page said of an answer of it; empty: nothing.
struct PageMarks {
  std::string etag = {};
  std::string modified = {};
};

struct PageAnswer {
  enum class Kind {
    page,
    unchanged,  // since the marks that were given
    moved,      // to `location`, as it is written
    gone,       // 404, 410
    closed,     // by robots.txt, or larger than is wanted: what is there is not read
    failed,     // now
  };
  Kind kind = Kind::failed;
  std::string reason = {};  // of gone, closed and failed
  std::string location = {};
  std::string media_type = {};  // in lower case, without parameters
  std::string charset = {};     // that it is said to be in; empty: it is not
  CrawlWishes wishes = {};      // of its X-Robots-Tag
  PageMarks marks = {};
  std::string body = {};
};

/// How requests are sent and time passes; tests have others.
struct PageFetchMeans {
  const os::Clock* clock = &os::system_clock();
  std::function<bool(std::int64_t ms, const os::Deadline&)> sleep = os::sleep_ms;
  /// Null: over the network.
  std::function<Result<net::ClientReply>(const net::ClientRequest&, const os::Deadline&,
                                         std::size_t bytes_max)>
      send = {};
};

struct PageFetchParams {
  Outreach outreach = {};
  std::int64_t delay_ms = 0;  // between two requests of a host, which may want more
  /// Told at least each second while a request waits. Errors end the waiting.
  std::function<Status(std::string_view doing)> beat = {};
  PageFetchMeans means = {};
};

/// One thread. A host that fails ten times in a row is not asked again.
class PageFetch {
 public:
  explicit PageFetch(PageFetchParams params);

  /// GET of a normal address; follows no redirect. Errors: those of `beat` and of the deadline.
  Result<PageAnswer> get(std::string_view url, const PageMarks& marks, std::size_t bytes_max,
                         const os::Deadline& deadline);
  /// The rules of the host of a normal address, asked for once. Errors: as above.
  Result<const RobotsRules*> rules(std::string_view url, const os::Deadline& deadline);

 private:
  struct Host {
    bool is_known = false;  // the rules are
    RobotsRules rules = {};
    std::string closed = {};  // why it is not asked; empty: it is
    std::int64_t free_at_ms = 0;
    int failures = 0;  // in a row
  };
  Host& host_of(std::string_view url);
  Status learn(Host& host, std::string_view origin, const os::Deadline& deadline);
  Result<PageAnswer> exchange(Host& host, std::string_view url, const PageMarks& marks,
                              std::size_t bytes_max, const os::Deadline& deadline);
  Status pause(std::int64_t ms, const os::Deadline& deadline);
  std::int64_t steady_ms() const { return params_.means.clock->steady_ns() / 1'000'000; }
  std::int64_t wait_of(const net::ClientReply& reply, std::int64_t fallback_ms) const;
  Result<net::ClientReply> send(const net::ClientRequest& request, std::size_t bytes_max,
                                const os::Deadline& deadline);

  const PageFetchParams params_;
  net::Client client_;
  std::map<std::string, Host, std::less<>> hosts_;  // by scheme, host and port
};

}  // namespace cairn::connectors
