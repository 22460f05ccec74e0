// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/cluster.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/runs/synced_table.h"
#include "connectors/sources/told_waits.h"
#include "remotesearch/hit_pages.h"
#include "remotesearch/remote_scroll.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t page_size_default = 500;
constexpr std::int64_t page_size_max = 10'000;  // what such clusters give at most, by default
// A page may wait for its embeddings, and for a write that is told to come back later.
constexpr std::int64_t scroll_kept_ms = 30 * 60'000;
constexpr std::int64_t cluster_silence_ms = 60'000;
constexpr std::size_t credential_bytes_max = 4096;

struct ClusterValues {
  remotesearch::RemoteSource server = {};
  std::string indices = {};
  std::size_t page_size = 0;
};

Status read_at_once(const std::function<void()>& body) {
  body();
  return ok_status();
}

/// Ends with what it was made with, and where the run is to end while something is waited for.
class Stoppable {
 public:
  explicit Stoppable(ToldWaits& waits, const os::Deadline& outer)
      : waits_(waits),
        outer_(outer),
        callback_(outer.stop(), [stop = stop_]() mutable { stop.request_stop(); }) {
    waits_.begin(stop_);
  }
  os::Deadline deadline() const {
    return outer_.is_never() ? os::Deadline::never(stop_.get_token())
                             : os::Deadline::in_ms(outer_.remaining_ms(), stop_.get_token());
  }
  /// The error of whoever ended it comes first.
  template <class Done>
  Status ended(const Done& done) {
    if (auto fault = waits_.take_fault()) return *std::move(fault);
    CAIRN_CHECK(outer_.check("reading from another cluster"));
    return done.ok() ? ok_status() : Status(done.error());
  }

 private:
  ToldWaits& waits_;
  const os::Deadline& outer_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> callback_;
};

class Cluster final : public Source {
 public:
  Cluster(ClusterValues values, remotesearch::RemoteAccess access)
      : values_(std::move(values)), access_(std::move(access)) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor,
                                     const os::Deadline& deadline) override;

  Status read(const SourceItem& item, DocumentSink&, const os::Deadline&) override {
    return Error{.kind = ErrorKind::internal, .message = item.path + " came without its document"};
  }

  Result<Json> check(const os::Deadline& deadline) override {
    Stoppable until(waits_, deadline);
    const auto scroll = new_scroll();
    const auto self = scroll->self(until.deadline());
    CAIRN_CHECK(until.ended(self));
    const auto told = parse_json(*self);
    const Json* version = told.ok() ? told->find("version") : nullptr;
    if (version == nullptr || !version->is_object())
      return scroll->worded({.kind = ErrorKind::corrupt,
                             .message = "does not say which version it has: it is no cluster"});
    const auto counted = scroll->count(until.deadline());
    CAIRN_CHECK(until.ended(counted));
    const auto count = parse_json(*counted);
    if (!count.ok() || count->int_or("count", -1) < 0)
      return scroll->worded(
          {.kind = ErrorKind::corrupt, .message = "does not say how many documents it has"});
    return Json::object({{"name", told->string_or("name")},
                         {"cluster_name", told->string_or("cluster_name")},
                         {"version", version->string_or("number")},
                         {"distribution", version->string_or("distribution", "elasticsearch")},
                         {"documents", count->int_or("count")}});
  }

  bool paths_are_ids() const override { return true; }

  std::unique_ptr<remotesearch::RemoteScroll> new_scroll() {
    return std::make_unique<remotesearch::RemoteScroll>(
        values_.server,
        remotesearch::RemoteSearch{.indices = values_.indices, .size = values_.page_size}, access_,
        os::system_clock(), std::function<void()>(), &waits_);
  }
  ToldWaits& waits() { return waits_; }
  std::size_t page_size() const { return values_.page_size; }
  Status tell() { return beat("reading from the cluster"); }

 private:
  const ClusterValues values_;
  const remotesearch::RemoteAccess access_;
  ToldWaits waits_{os::system_clock(), nullptr,
                   [this](std::string_view doing) { return beat(doing); }};
};

/// A page of the scroll a page of the walk. All pages are of one moment, whatever changes there.
class ClusterWalk final : public Walk {
 public:
  ClusterWalk(Cluster& cluster, std::unique_ptr<remotesearch::HitPages> pages)
      : cluster_(cluster), pages_(std::move(pages)) {}

  Result<SourcePage> next(const os::Deadline& deadline) override {
    if (begun_) CAIRN_CHECK(go_on(deadline));
    begun_ = true;
    SourcePage page;
    page.total = pages_->total();
    page.items.reserve(pages_->page().hits.size());
    for (auto& hit : pages_->page().hits) add(hit, page);
    page.last = pages_->is_last();
    if (page.last) pages_.reset();  // ends the scroll; the run may go on for long
    return page;
  }

 private:
  Status go_on(const os::Deadline& deadline) {
    CAIRN_CHECK(cluster_.tell());
    Stoppable until(cluster_.waits(), deadline);
    return until.ended(pages_->next(read_at_once, until.deadline()));
  }

  void add(remotesearch::RemoteHit& hit, SourcePage& page) {
    // Of two documents with one id one would be lost, and nobody would know.
    if (!seen_.insert(fingerprint(hit.id)).second) {
      page.unreadable.push_back(
          {hit.id, hit.id + " is the id of more than one document that [index] names; the first "
                            "one counts. Give each index a connector of its own"});
      return;
    }
    SourceItem item{.path = std::move(hit.id), .version = {}, .size_bytes = hit.source.size()};
    item.content =
        SourceContent{.content_hash = sha256(hit.routing + '\0' + hit.source), .documents = {}};
    item.content->documents.push_back(
        {.whole = std::move(hit.source), .routing = std::move(hit.routing)});
    page.items.push_back(std::move(item));
  }

  Cluster& cluster_;
  std::unique_ptr<remotesearch::HitPages> pages_;
  std::unordered_set<std::uint64_t> seen_;
  bool begun_ = false;
};

Result<std::unique_ptr<Walk>> Cluster::walk(const std::string&, const os::Deadline& deadline) {
  CAIRN_CHECK(tell());
  Stoppable until(waits_, deadline);
  auto pages = remotesearch::HitPages::open(
      new_scroll(), values_.page_size, [] { return scroll_kept_ms; }, read_at_once,
      until.deadline());
  CAIRN_CHECK(until.ended(pages));
  return std::unique_ptr<Walk>(std::make_unique<ClusterWalk>(*this, *std::move(pages)));
}

class ClusterType final : public SourceType {
 public:
  explicit ClusterType(ClusterParams params) : params_(std::move(params)) {}

  Json configuration_schema() const override {
    return Json::object(
        {{"url",
          configuration_entry({.label = "URL of the cluster", .order = 1, .required = true})},
         {"index", configuration_entry({.label = "Index",
                                        .tooltip = "Names, aliases and patterns, with commas",
                                        .order = 2,
                                        .required = true})},
         {"query", configuration_entry(
                       {.label = "Query", .tooltip = "JSON; empty: all documents", .order = 3})},
         {"user", configuration_entry({.label = "User", .order = 4})},
         {"password", configuration_entry({.label = "Password", .order = 5, .sensitive = true})},
         {"api_key", configuration_entry({.label = "API key",
                                          .tooltip = "As the cluster gave it encoded",
                                          .order = 6,
                                          .sensitive = true})},
         {"page_size", configuration_entry({.label = "Documents a page",
                                            .type = "int",
                                            .value = page_size_default,
                                            .order = 7})},
         {std::string(error_budget_field), error_budget_entry(8)}});
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(values_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(ClusterValues values, values_of(configuration));
    remotesearch::RemoteAccess access({.rules = params_.outreach.rules(),
                                       .setting = "connectors.allowed_hosts",
                                       .size_name = "page_size",
                                       .ca_file = params_.ca_file});
    return std::unique_ptr<Source>(std::make_unique<Cluster>(std::move(values), std::move(access)));
  }

 private:
  Result<ClusterValues> values_of(const Json& configuration) const {
    ClusterValues out;
    CAIRN_TRY(out.server, server_of(configuration));
    CAIRN_TRY(out.indices, required_text(configuration, "index", "an index, or a pattern of some"));
    if (out.indices.find_first_of("/?#\\ ") != std::string::npos)
      return invalid("[index] must be names and patterns with commas between them");
    CAIRN_TRY(const std::string query, configured_text(configuration, "query"));
    if (!query.empty()) {
      auto read = parse_json(query);
      if (!read.ok() || !read->is_object())
        return invalid("[query] must be a query as JSON, such as {\"term\": {\"year\": 2026}}");
      out.server.query = *std::move(read);
    }
    CAIRN_TRY(const std::int64_t size,
              configured_number(configuration, "page_size", page_size_default, 1, page_size_max));
    out.page_size = static_cast<std::size_t>(size);
    CAIRN_TRY(const std::string authorization, authorization_of(configuration));
    if (!authorization.empty()) out.server.headers.emplace_back("Authorization", authorization);
    return out;
  }

  Result<remotesearch::RemoteSource> server_of(const Json& configuration) const {
    CAIRN_TRY(const std::string text, required_text(configuration, "url", "a cluster"));
    CAIRN_TRY(net::Url url, params_.outreach.check_url("url", text));
    if (text.find_first_of("?#\\") != std::string::npos)
      return invalid("[url] must be an address without a query, such as https://search.lan:9200");
    while (url.target.ends_with('/')) url.target.pop_back();
    return remotesearch::RemoteSource{.scheme = std::move(url.scheme),
                                      .host = std::move(url.host),
                                      .port = url.port,
                                      .path_prefix = std::move(url.target),
                                      .socket_timeout_ms = cluster_silence_ms};
  }

  /// The value of the header; empty: none.
  static Result<std::string> authorization_of(const Json& configuration) {
    CAIRN_TRY(const std::string user, configured_text(configuration, "user"));
    CAIRN_TRY(const std::string password, configured_text(configuration, "password"));
    CAIRN_TRY(const std::string api_key, configured_text(configuration, "api_key"));
    if (user.empty() && !password.empty()) return invalid("[password] needs a [user]");
    if (!user.empty() && !api_key.empty())
      return invalid("only one of [user] and [api_key] can be given");
    if (user.find(':') != std::string::npos) return invalid("[user] must not have a colon");
    const bool plain =
        std::all_of(api_key.begin(), api_key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
    if (!plain || std::max({user.size(), password.size(), api_key.size()}) > credential_bytes_max)
      return invalid("[user], [password] and [api_key] must be as the cluster gave them");
    if (!api_key.empty()) return "ApiKey " + api_key;
    return user.empty() ? std::string() : "Basic " + to_base64(user + ":" + password);
  }

  const ClusterParams params_;
};

}  // namespace

std::unique_ptr<const SourceType> cluster_source(ClusterParams params) {
  return std::make_unique<ClusterType>(std::move(params));
}

}  // namespace cairn::connectors
