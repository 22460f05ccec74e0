// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/feeds.h"

#include <map>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/sources/web/feed_entries.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t feed_bytes_max = 32u << 20;
constexpr std::size_t feeds_max = 1000;
constexpr int redirects_max = 5;
constexpr std::int64_t feed_wait_ms = 60'000;

struct FeedsValues {
  std::vector<std::string> urls = {};
  bool keep = true;
};

/// What a feed said of its last answer.
struct Validators {
  std::string etag = {};
  std::string modified = {};
};

/// "/x" and "x" at the host of the address that sent them.
std::string resolved(const net::Url& from, const std::string& location) {
  if (location.find("://") != std::string::npos) return location;
  const std::string host = from.scheme + "://" + from.authority();
  if (location.starts_with("//")) return from.scheme + ":" + location;
  if (location.starts_with('/')) return host + location;
  return host + from.target.substr(0, from.target.rfind('/') + 1) + location;
}

class Feeds final : public Source {
 public:
  Feeds(FeedsValues values, Outreach outreach)
      : values_(std::move(values)),
        outreach_(std::move(outreach)),
        client_(outreach_.client_options()) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor,
                                     const os::Deadline& deadline) override;

  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline&) override {
    const auto found = entries_.find(item.path);
    if (found == entries_.end())
      return Error{.kind = ErrorKind::not_found, .message = item.path + " is in no feed"};
    const FeedEntry& entry = found->second;
    Json fields = Json::object({{"feed", item.path.substr(0, item.path.rfind('/'))},
                                {"url", entry.link},
                                {"author", entry.author},
                                {"categories", Json::array_of(entry.categories)}});
    if (!sink.wants(sha256(entry.title + '\0' + entry.content + '\0' + fields.dump())))
      return ok_status();
    std::string body;
    if (!entry.content.empty()) {
      auto text = sink.extract("entry.html", entry.content, {});
      if (!text.ok()) return with_context(std::move(text).error(), item.path);
      body = std::move(text->body);
    }
    return sink.add({.title = entry.title, .body = std::move(body), .fields = std::move(fields)});
  }

  Result<Json> check(const os::Deadline& deadline) override {
    std::int64_t count = 0;
    for (const auto& url : values_.urls) {
      Validators validators;
      auto answer = fetch(url, validators, deadline);
      if (!answer.ok()) return with_context(std::move(answer).error(), url);
      auto entries = read_feed(answer->value_or(std::string()));
      if (!entries.ok()) return with_context(std::move(entries).error(), url);
      count += static_cast<std::int64_t>(entries->size());
    }
    return Json::object({{"entries", count}});
  }

  /// Adds the entries of a feed. Errors: of this feed alone.
  Status add_feed(const std::string& url, Validators& validators, SourcePage& page,
                  const os::Deadline& deadline) {
    CAIRN_TRY(const auto text, fetch(url, validators, deadline));
    if (!text || values_.keep) page.kept.push_back(url);
    if (!text) return ok_status();
    CAIRN_TRY(auto entries, read_feed(*text));
    for (FeedEntry& entry : entries) {
      // An id may have strokes, and any length.
      std::string path = url + "/" + to_hex(sha256(entry.id)).substr(0, 24);
      SourceItem item{.path = path, .version = {}, .size_bytes = entry.content.size()};
      item.modified_ms = entry.modified_ms;
      if (entries_.insert_or_assign(path, std::move(entry)).second)
        page.items.push_back(std::move(item));
    }
    return ok_status();
  }

  const FeedsValues& values() const { return values_; }
  Status tell() { return beat({}); }
  void forget_entries() { entries_.clear(); }

 private:
  /// The text; nothing where it is as it was. `validators` are those of the answer then.
  Result<std::optional<std::string>> fetch(const std::string& url, Validators& validators,
                                           const os::Deadline& deadline) {
    std::string at = url;
    for (int redirects = 0; redirects <= redirects_max; ++redirects) {
      CAIRN_TRY(const net::Url target, outreach_.check_url("urls", at));
      net::ClientRequest request{.method = "GET", .url = target, .headers = {}};
      request.headers.set("User-Agent", "cairn");
      request.headers.set("Accept", "application/atom+xml, application/rss+xml, application/xml");
      if (!validators.etag.empty()) request.headers.set("If-None-Match", validators.etag);
      if (!validators.modified.empty())
        request.headers.set("If-Modified-Since", validators.modified);
      CAIRN_TRY(net::ClientReply reply,
                client_.send(request, deadline.sooner_ms(feed_wait_ms), feed_bytes_max));
      if (reply.status == 304) return std::optional<std::string>();
      if (reply.status == 200) {
        validators = {.etag = std::string(reply.headers.find("ETag").value_or("")),
                      .modified = std::string(reply.headers.find("Last-Modified").value_or(""))};
        return std::optional(std::move(reply.body));
      }
      const std::string location(reply.headers.find("Location").value_or(""));
      if (reply.status < 300 || reply.status >= 400 || location.empty())
        return Error{.kind = ErrorKind::unavailable,
                     .message = "answered with status " + std::to_string(reply.status)};
      at = resolved(target, location);
    }
    return Error{.kind = ErrorKind::unavailable, .message = "leads in a circle"};
  }

  const FeedsValues values_;
  const Outreach outreach_;
  net::Client client_;
  std::map<std::string, FeedEntry> entries_;  // of the walk at hand
};

/// A feed a page. What cannot be fetched keeps its documents; where none can be, that is an error.
class FeedsWalk final : public Walk {
 public:
  FeedsWalk(Feeds& feeds, const std::string& cursor) : feeds_(feeds) {
    const auto json = parse_json(cursor);
    if (!json.ok() || !json->is_object()) return;
    for (const auto& [url, marks] : json->as_object())
      validators_[url] = {.etag = marks.string_or("etag"), .modified = marks.string_or("modified")};
  }

  Result<SourcePage> next(const os::Deadline& deadline) override {
    SourcePage page;
    CAIRN_CHECK(feeds_.tell());
    feeds_.forget_entries();
    const std::string& url = feeds_.values().urls[at_++];
    page.last = at_ == feeds_.values().urls.size();
    Validators& validators = validators_[url];
    const Status added = feeds_.add_feed(url, validators, page, deadline);
    if (!added.ok()) {
      CAIRN_CHECK(deadline.check("reading feeds"));
      ++failed_;
      if (failed_ == feeds_.values().urls.size()) return with_context(added.error(), url);
      page.items.clear();
      page.unreadable.push_back({url, url + ": " + added.error().message});
      validators = {};
    }
    return page;
  }

  std::string cursor() const override {
    Json out = Json::object();
    for (const auto& url : feeds_.values().urls)
      if (const auto found = validators_.find(url); found != validators_.end())
        out.set(url,
                Json::object({{"etag", found->second.etag}, {"modified", found->second.modified}}));
    return out.dump();
  }

 private:
  Feeds& feeds_;
  std::map<std::string, Validators> validators_;
  std::size_t at_ = 0, failed_ = 0;
};

Result<std::unique_ptr<Walk>> Feeds::walk(const std::string& cursor, const os::Deadline&) {
  return std::unique_ptr<Walk>(std::make_unique<FeedsWalk>(*this, cursor));
}

class FeedsType final : public SourceType {
 public:
  explicit FeedsType(Outreach outreach) : outreach_(std::move(outreach)) {}

  Json configuration_schema() const override {
    return Json::object(
        {{"urls", configuration_entry({.label = "URLs of feeds",
                                       .type = "list",
                                       .tooltip = "RSS or Atom",
                                       .order = 1,
                                       .required = true})},
         {"keep", configuration_entry({.label = "Keep old entries",
                                       .type = "bool",
                                       .tooltip = "Also those that a feed no longer names",
                                       .value = true,
                                       .order = 2})},
         {std::string(error_budget_field), error_budget_entry(3)}});
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(values_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(FeedsValues values, values_of(configuration));
    return std::unique_ptr<Source>(std::make_unique<Feeds>(std::move(values), outreach_));
  }

 private:
  Result<FeedsValues> values_of(const Json& configuration) const {
    FeedsValues out;
    CAIRN_TRY(out.urls, configured_list(configuration, "urls"));
    if (out.urls.empty() || out.urls.size() > feeds_max)
      return invalid("[urls] must name one to " + std::to_string(feeds_max) + " feeds");
    for (const auto& url : out.urls) CAIRN_CHECK(outreach_.check_url("urls", url));
    CAIRN_TRY(out.keep, configured_flag(configuration, "keep", true));
    return out;
  }

  const Outreach outreach_;
};

}  // namespace

std::unique_ptr<const SourceType> feeds_source(Outreach outreach) {
  return std::make_unique<FeedsType>(std::move(outreach));
}

}  // namespace cairn::connectors
