// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web_pages.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"
#include "connectors/sources/page_fetch.h"
#include "connectors/sources/page_frontier.h"
#include "connectors/sources/page_links.h"
#include "connectors/sources/page_url.h"
#include "connectors/sources/sitemap.h"
#include "format/time.h"
#include "os/clock.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t starts_max = 1000;
constexpr std::size_t page_excludes_max = 1000;
constexpr std::size_t sitemaps_of_walk_max = 1000;
constexpr std::size_t sitemap_bytes_max = 32u << 20;
constexpr std::int64_t page_bytes_default = 10 << 20;
constexpr std::int64_t page_bytes_most = 256 << 20;
constexpr std::int64_t pages_default = 10'000;
constexpr std::int64_t pages_most = 100'000;
constexpr std::int64_t depth_default = 10;
constexpr std::int64_t delay_default_ms = 500;
constexpr std::int64_t delay_most_ms = 600'000;
constexpr std::uint32_t page_hops_max = 5;
constexpr std::int64_t crawl_beat_ms = 5'000;

struct WebValues {
  std::vector<std::string> urls = {};      // normal
  std::vector<std::string> sitemaps = {};  // normal
  PageBounds bounds = {};
  bool follow = true;
  bool robots_sitemaps = true;
  std::size_t page_bytes_max = 0;
  std::int64_t delay_ms = 0;
};

/// The end of a file's name that stands for a media type.
struct NameOfType {
  std::string_view type, end;
};

constexpr NameOfType names_of_types[] = {
    {"text/html", "html"},
    {"application/xhtml+xml", "html"},
    {"application/pdf", "pdf"},
    {"text/plain", "txt"},
    {"text/markdown", "md"},
    {"text/csv", "csv"},
    {"text/rtf", "rtf"},
    {"application/rtf", "rtf"},
    {"text/xml", "xml"},
    {"application/xml", "xml"},
    {"application/json", "json"},
    {"application/x-ndjson", "ndjson"},
    {"application/epub+zip", "epub"},
    {"application/vnd.oasis.opendocument.text", "odt"},
    {"application/vnd.oasis.opendocument.spreadsheet", "ods"},
    {"application/vnd.oasis.opendocument.presentation", "odp"},
    {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"},
    {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"},
    {"application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"},
};

std::string_view path_of(std::string_view url) {
  const std::string_view target = page_target(url);
  return target.substr(0, target.find('?'));
}

/// A name that tells what the answer is; empty: it holds no text.
std::string file_name_of(std::string_view url, std::string_view media_type) {
  for (const auto& known : names_of_types)
    if (media_type == known.type) {
      // Programs and settings come as plain text too.
      const std::string name(path_of(url));
      if (known.end == "txt" && name.find('.') != std::string::npos && may_hold_text(name))
        return name;
      return "page." + std::string(known.end);
    }
  for (const std::string_view kind : {"image/", "audio/", "video/", "font/", "text/css"})
    if (media_type.starts_with(kind)) return {};
  if (media_type.find("javascript") != std::string_view::npos) return {};
  std::string name(path_of(url));
  if (!may_hold_text(name)) return {};
  return name.ends_with('/') ? name + "page" : name;
}

/// What a walk holds of the page at hand.
struct HeldPage {
  std::string url = {}, name = {}, media_type = {}, charset = {}, body = {};
};

class WebPages final : public Source {
 public:
  WebPages(WebValues values, Outreach outreach)
      : values_(std::move(values)), outreach_(std::move(outreach)) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor, const os::Deadline&) override;

  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline&) override {
    if (held_.url != item.path)
      return Error{.kind = ErrorKind::not_found, .message = item.path + " is not at hand"};
    if (!sink.wants(item.version)) return ok_status();
    auto text = sink.extract(held_.name, held_.body, held_.charset);
    if (!text.ok()) return with_context(std::move(text).error(), item.path);
    std::string title = text->title.empty() ? item.path : text->title;
    return sink.add({.title = std::move(title),
                     .body = whole_text(*std::move(text)),
                     .fields = Json::object({{"url", item.path},
                                             {"host", page_host(item.path)},
                                             {"content_type", held_.media_type}})});
  }

  /// Asks for the robots.txt and the answer of each start.
  Result<Json> check(const os::Deadline& deadline) override {
    PageFetch fetch(fetch_params());
    std::int64_t count = 0;
    for (const auto* list : {&values_.urls, &values_.sitemaps})
      for (const std::string& url : *list) {
        CAIRN_TRY(
            const PageAnswer answer,
            fetch.get(url, {}, list == &values_.urls ? values_.page_bytes_max : sitemap_bytes_max,
                      deadline));
        using Kind = PageAnswer::Kind;
        if (answer.kind == Kind::gone || answer.kind == Kind::closed || answer.kind == Kind::failed)
          return Error{.kind = ErrorKind::unavailable, .message = url + ": " + answer.reason};
        ++count;
      }
    return Json::object({{"starts", count}});
  }

  const WebValues& values() const { return values_; }
  void hold(HeldPage page) { held_ = std::move(page); }
  Status tell(std::string_view doing) { return beat(doing); }
  PageFetchParams fetch_params() {
    return {.outreach = outreach_,
            .delay_ms = values_.delay_ms,
            .beat = [this](std::string_view doing) { return beat(doing); }};
  }

 private:
  const WebValues values_;
  const Outreach outreach_;
  HeldPage held_;
};

/// A page of the web a page. After a cursor: the pages that are known are asked whether they
/// changed, and where changed ones lead is followed.
class WebWalk final : public Walk {
 public:
  WebWalk(WebPages& source, const std::string& cursor)
      : source_(source),
        values_(source.values()),
        frontier_(values_.bounds),
        fetch_(source.fetch_params()),
        is_whole_(cursor.empty()) {
    take_known(cursor);
    for (const auto& url : values_.urls) frontier_.admit(url, 0);
    sitemaps_ = values_.sitemaps;
  }

  Result<SourcePage> next(const os::Deadline& deadline) override {
    SourcePage page;
    source_.hold({});
    CAIRN_CHECK(tell_sometimes());
    if (!has_begun_) CAIRN_CHECK(find_sitemaps(deadline));
    if (sitemaps_done_ < sitemaps_.size()) {
      CAIRN_CHECK(take_sitemap(sitemaps_[sitemaps_done_++], page, deadline));
    } else if (PageEntry* entry = frontier_.next()) {
      CAIRN_CHECK(visit(*entry, page, deadline));
    } else {
      CAIRN_CHECK(finish(page));
    }
    page.total = frontier_.entries().size();
    return page;
  }

  bool is_whole() const override { return is_whole_; }

  std::string cursor() const override {
    Json out = Json::array();
    for (const PageEntry& entry : frontier_.entries()) {
      if (!entry.is_read) continue;
      Json row = Json::array();
      row.push(entry.url);
      row.push(std::int64_t{entry.depth});
      row.push((entry.is_item ? 1 : 0) + (entry.is_canonical ? 2 : 0));
      row.push(entry.version);
      row.push(entry.marks.etag);
      row.push(entry.marks.modified);
      out.push(std::move(row));
    }
    return out.dump();
  }

 private:
  using Kind = PageAnswer::Kind;

  void take_known(const std::string& cursor) {
    const auto json = parse_json(cursor);
    if (!json.ok() || !json->is_array()) return;
    for (const Json& row : json->as_array()) {
      if (!row.is_array() || row.as_array().size() != 6) continue;
      const auto& cells = row.as_array();
      PageEntry* entry =
          frontier_.admit(cells[0].as_string(), static_cast<std::uint32_t>(cells[1].as_int()));
      if (entry == nullptr) continue;
      entry->is_read = true;
      entry->is_item = (cells[2].as_int() & 1) != 0;
      entry->is_canonical = (cells[2].as_int() & 2) != 0;
      entry->version = cells[3].as_string();
      entry->marks = {.etag = cells[4].as_string(), .modified = cells[5].as_string()};
    }
  }

  /// A walk may ask for many addresses without an item among them.
  Status tell_sometimes() {
    const std::int64_t now = os::system_clock().steady_ns() / 1'000'000;
    if (now < next_beat_ms_) return ok_status();
    next_beat_ms_ = now + crawl_beat_ms;
    return source_.tell("asks for pages");
  }

  Status find_sitemaps(const os::Deadline& deadline) {
    has_begun_ = true;
    if (!values_.robots_sitemaps) return ok_status();
    for (const auto& url : values_.urls) {
      CAIRN_TRY(const RobotsRules* rules, fetch_.rules(url, deadline));
      for (const auto& sitemap : rules->sitemaps()) add_sitemap(url, sitemap);
    }
    return ok_status();
  }

  void add_sitemap(std::string_view base, std::string_view reference) {
    const auto url = normal_page_url(resolve_reference(base, reference));
    if (!url || !frontier_.is_in_scope(*url) || sitemaps_.size() >= sitemaps_of_walk_max ||
        std::find(sitemaps_.begin(), sitemaps_.end(), *url) != sitemaps_.end())
      return;
    sitemaps_.push_back(*url);
  }

  /// By value: the list may grow.
  Status take_sitemap(const std::string url, SourcePage& page, const os::Deadline& deadline) {
    CAIRN_TRY(PageAnswer answer, fetch_.get(url, {}, sitemap_bytes_max, deadline));
    if (answer.kind == Kind::moved) {
      add_sitemap(url, answer.location);
      return ok_status();
    }
    if (answer.kind != Kind::page) {
      note_failure(url, answer.reason, page);
      return ok_status();
    }
    if (answer.body.starts_with("\x1f\x8b")) {
      auto text = gunzip(answer.body, sitemap_bytes_max);
      if (!text.ok()) {
        note_failure(url, text.error().message, page);
        return ok_status();
      }
      answer.body = *std::move(text);
    }
    const auto sitemap = read_sitemap(answer.body);
    if (!sitemap.ok()) {
      note_failure(url, sitemap.error().message, page);
      return ok_status();
    }
    for (const auto& found : sitemap->urls) {
      if (sitemap->is_index) {
        add_sitemap(url, found);
      } else if (const auto normal = normal_page_url(resolve_reference(url, found))) {
        frontier_.admit(*normal, 0);
      }
    }
    return ok_status();
  }

  /// Where what cannot be read would have led is not known: all documents stay.
  void note_failure(const std::string& url, const std::string& reason, SourcePage& page) {
    if (first_failure_.empty()) first_failure_ = url + ": " + reason;
    page.unreadable.push_back({url, url + ": " + reason});
    for (const auto& host : values_.bounds.hosts)
      for (const auto* scheme : {"http://", "https://"}) page.kept.push_back(scheme + host);
  }

  /// It holds no documents, or none any more.
  void leave_out(PageEntry& entry, std::string reason, SourcePage& page) {
    entry.is_item = false;
    ++page.skipped;
    if (!reason.empty()) page.left_out.push_back({entry.url, entry.url + ": " + reason});
    if (!is_whole_) page.removed.push_back(entry.url);
  }

  Status visit(PageEntry& entry, SourcePage& page, const os::Deadline& deadline) {
    entry.is_visited = true;
    CAIRN_TRY(PageAnswer answer, fetch_.get(entry.url, is_whole_ ? PageMarks() : entry.marks,
                                            values_.page_bytes_max, deadline));
    switch (answer.kind) {
      case Kind::page:
        ++answered_;
        take_page(entry, std::move(answer), page);
        break;
      case Kind::unchanged:
        ++answered_;
        if (entry.is_item) contents_.emplace(entry.version, entry.url);
        break;
      case Kind::moved:
        ++answered_;
        entry.is_read = false;
        take_move(entry, answer.location, page);
        break;
      case Kind::gone:
      case Kind::closed:
        entry.is_read = false;
        if (first_failure_.empty()) first_failure_ = entry.url + ": " + answer.reason;
        leave_out(entry, answer.reason, page);
        break;
      case Kind::failed:
        note_failure(entry.url, answer.reason, page);
    }
    return ok_status();
  }

  void take_move(PageEntry& entry, const std::string& location, SourcePage& page) {
    const auto to = normal_page_url(resolve_reference(entry.url, location));
    if (!to || !frontier_.is_in_scope(*to)) {
      leave_out(entry, "leads to another host, which the connector does not name", page);
    } else if (entry.hops >= page_hops_max) {
      leave_out(entry, "leads from one redirect to the next, more than five times", page);
    } else {
      frontier_.admit(*to, entry.depth, entry.hops + 1);
      leave_out(entry, "", page);
    }
  }

  void take_page(PageEntry& entry, PageAnswer answer, SourcePage& page) {
    entry.is_read = true;
    entry.marks = std::move(answer.marks);
    std::string name = file_name_of(entry.url, answer.media_type);
    if (name.empty()) {
      leave_out(entry, "holds no text: " + answer.media_type, page);
      return;
    }
    CrawlWishes wishes = answer.wishes;
    std::string elsewhere;
    if (name == "page.html") {
      const PageLinks links = read_page_links(answer.body, crawler_name);
      wishes.noindex = wishes.noindex || links.wishes.noindex;
      wishes.nofollow = wishes.nofollow || links.wishes.nofollow;
      const std::string base =
          links.base.empty() ? entry.url : resolve_reference(entry.url, links.base);
      if (!wishes.nofollow) follow(entry, base, links.links);
      elsewhere = canonical_of(entry, base, links.canonical);
    }
    if (wishes.noindex) {
      leave_out(entry, "asks not to be indexed (noindex)", page);
      return;
    }
    if (!elsewhere.empty()) {
      leave_out(entry, "", page);
      return;
    }
    give(entry, std::move(name), std::move(answer), page);
  }

  void follow(const PageEntry& from, const std::string& base,
              const std::vector<std::string>& links) {
    if (!values_.follow || from.depth >= values_.bounds.depth_max) return;
    for (const auto& link : links)
      if (const auto url = normal_page_url(resolve_reference(base, link)))
        frontier_.admit(*url, from.depth + 1);
  }

  /// The address that has this page's content, where it is another one. Pages that name each other
  /// in a circle end with the first that was named.
  std::string canonical_of(const PageEntry& entry, const std::string& base,
                           const std::string& written) {
    if (written.empty() || entry.is_canonical) return {};
    const auto url = normal_page_url(resolve_reference(base, written));
    if (!url || *url == entry.url) return {};
    PageEntry* other = frontier_.admit(*url, entry.depth);
    if (other == nullptr || (other->is_visited && !other->is_item)) return {};
    other->is_canonical = true;
    return *url;
  }

  void give(PageEntry& entry, std::string name, PageAnswer answer, SourcePage& page) {
    entry.version = to_hex(sha256(name + '\0' + answer.charset + '\0' + answer.body)).substr(0, 32);
    const auto [same, is_new] = contents_.emplace(entry.version, entry.url);
    if (!is_new && same->second != entry.url) {
      leave_out(entry, "has the content of " + same->second, page);
      return;
    }
    entry.is_item = true;
    SourceItem item{.path = entry.url, .version = entry.version};
    item.size_bytes = answer.body.size();
    item.modified_ms = parse_http_date(entry.marks.modified).value_or(0);
    page.items.push_back(std::move(item));
    source_.hold({.url = entry.url,
                  .name = std::move(name),
                  .media_type = std::move(answer.media_type),
                  .charset = std::move(answer.charset),
                  .body = std::move(answer.body)});
  }

  Status finish(SourcePage& page) {
    page.last = true;
    if (answered_ == 0 && !first_failure_.empty())
      return Error{.kind = ErrorKind::unavailable, .message = first_failure_};
    if (frontier_.dropped() == 0) return ok_status();
    const std::string first = frontier_.entries().front().url;
    ++page.skipped;
    page.left_out.push_back(
        {first, "more than " + std::to_string(values_.bounds.pages_max) +
                    " addresses were found: raise [max_pages], or [exclude] some"});
    return ok_status();
  }

  WebPages& source_;
  const WebValues& values_;
  PageFrontier frontier_;
  PageFetch fetch_;
  const bool is_whole_;
  bool has_begun_ = false;
  std::vector<std::string> sitemaps_;
  std::size_t sitemaps_done_ = 0, answered_ = 0;
  std::unordered_map<std::string, std::string> contents_;  // which page had which version first
  std::string first_failure_;
  std::int64_t next_beat_ms_ = 0;
};

Result<std::unique_ptr<Walk>> WebPages::walk(const std::string& cursor, const os::Deadline&) {
  return std::unique_ptr<Walk>(std::make_unique<WebWalk>(*this, cursor));
}

class WebPagesType final : public SourceType {
 public:
  explicit WebPagesType(Outreach outreach) : outreach_(std::move(outreach)) {}

  Json configuration_schema() const override {
    const auto number = [](std::string_view label, std::string_view tooltip, std::int64_t value,
                           int order) {
      return configuration_entry(
          {.label = label, .type = "int", .tooltip = tooltip, .value = value, .order = order});
    };
    return Json::object(
        {{"urls", configuration_entry({.label = "Start addresses",
                                       .type = "list",
                                       .tooltip = "Pages from which links are followed",
                                       .order = 1})},
         {"sitemaps",
          configuration_entry({.label = "Addresses of sitemaps", .type = "list", .order = 2})},
         {"hosts", configuration_entry({.label = "Further hosts",
                                        .type = "list",
                                        .tooltip = "Besides those of the addresses above",
                                        .order = 3})},
         {"exclude", configuration_entry({.label = "Paths that are left out",
                                          .type = "list",
                                          .tooltip = "Patterns as in .gitignore",
                                          .order = 4})},
         {"follow_links", configuration_entry({.label = "Follow links",
                                               .type = "bool",
                                               .tooltip = "Within the hosts",
                                               .value = true,
                                               .order = 5})},
         {"robots_sitemaps", configuration_entry({.label = "Sitemaps that robots.txt names",
                                                  .type = "bool",
                                                  .value = true,
                                                  .order = 6})},
         {"max_pages", number("Most addresses", "That are asked for", pages_default, 7)},
         {"max_depth", number("Most links from a start", "0: the starts alone", depth_default, 8)},
         {"max_file_size", number("Largest page in bytes", "Larger ones are named, not read",
                                  page_bytes_default, 9)},
         {"delay_ms", number("Pause between two requests of a host, in ms",
                             "robots.txt may ask for more", delay_default_ms, 10)},
         {std::string(error_budget_field), error_budget_entry(11)}});
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(values_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(WebValues values, values_of(configuration));
    return std::unique_ptr<Source>(std::make_unique<WebPages>(std::move(values), outreach_));
  }

 private:
  Result<std::vector<std::string>> addresses(const Json& configuration, std::string_view field,
                                             std::vector<std::string>& hosts) const {
    CAIRN_TRY(const auto texts, configured_list(configuration, field));
    std::vector<std::string> out;
    for (const auto& text : texts) {
      CAIRN_CHECK(outreach_.check_url(field, text));
      const auto url = normal_page_url(text);
      if (!url)
        return invalid("[" + std::string(field) + "] has [" + text + "], which is no address");
      out.push_back(*url);
      add_host(hosts, page_host(*url));
    }
    return out;
  }

  static void add_host(std::vector<std::string>& hosts, std::string_view host) {
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.emplace_back(host);
  }

  /// "example.com" and "example.com:8080".
  Status add_further_host(const std::string& text, std::vector<std::string>& hosts) const {
    const auto url = normal_page_url("https://" + text + "/");
    if (!url || text.find_first_of("/?#@") != std::string::npos)
      return invalid("[hosts] has [" + text + "]: write a host, or host:port");
    CAIRN_CHECK(outreach_.check_url("hosts", *url));
    add_host(hosts, page_host(*url));
    return ok_status();
  }

  Result<WebValues> values_of(const Json& configuration) const {
    WebValues out;
    PageBounds& bounds = out.bounds;
    CAIRN_TRY(out.urls, addresses(configuration, "urls", bounds.hosts));
    CAIRN_TRY(out.sitemaps, addresses(configuration, "sitemaps", bounds.hosts));
    CAIRN_TRY(const auto further, configured_list(configuration, "hosts"));
    const std::size_t starts = out.urls.size() + out.sitemaps.size();
    if (starts == 0 || starts > starts_max || further.size() > starts_max)
      return invalid("[urls] and [sitemaps] must name one to " + std::to_string(starts_max) +
                     " addresses together, and [hosts] no more");
    for (const auto& host : further) CAIRN_CHECK(add_further_host(host, bounds.hosts));
    CAIRN_TRY(const auto excluded, configured_list(configuration, "exclude"));
    if (excluded.size() > page_excludes_max)
      return invalid("[exclude] must have at most " + std::to_string(page_excludes_max) +
                     " patterns");
    for (const auto& text : excluded) {
      auto pattern = PathPattern::parse(text);
      if (!pattern.ok()) return invalid("[exclude] " + pattern.error().message);
      bounds.excluded.push_back(*std::move(pattern));
    }
    CAIRN_TRY(out.follow, configured_flag(configuration, "follow_links", true));
    CAIRN_TRY(out.robots_sitemaps, configured_flag(configuration, "robots_sitemaps", true));
    CAIRN_TRY(const auto pages,
              configured_number(configuration, "max_pages", pages_default, 1, pages_most));
    CAIRN_TRY(const auto depth,
              configured_number(configuration, "max_depth", depth_default, 0, 1000));
    CAIRN_TRY(const auto bytes, configured_number(configuration, "max_file_size",
                                                  page_bytes_default, 1, page_bytes_most));
    CAIRN_TRY(out.delay_ms,
              configured_number(configuration, "delay_ms", delay_default_ms, 0, delay_most_ms));
    bounds.pages_max = static_cast<std::size_t>(pages);
    bounds.depth_max = static_cast<std::uint32_t>(depth);
    out.page_bytes_max = static_cast<std::size_t>(bytes);
    return out;
  }

  const Outreach outreach_;
};

}  // namespace

std::unique_ptr<const SourceType> web_pages_source(Outreach outreach) {
  return std::make_unique<WebPagesType>(std::move(outreach));
}

}  // namespace cairn::connectors
