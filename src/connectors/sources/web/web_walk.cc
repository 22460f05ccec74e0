// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/web_walk.h"

#include <algorithm>
#include <utility>

#include "base/compress.h"
#include "base/encode.h"
#include "base/hash.h"
#include "connectors/file_documents.h"
#include "connectors/sources/web/page_links.h"
#include "connectors/sources/web/page_url.h"
#include "connectors/sources/web/sitemap.h"
#include "format/json.h"
#include "format/time.h"
#include "os/clock.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t sitemaps_of_walk_max = 1000;
constexpr std::uint32_t page_hops_max = 5;
constexpr std::int64_t crawl_beat_ms = 5'000;
constexpr std::size_t given_again_at_once = 1000;

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

}  // namespace

WebWalk::WebWalk(const WebValues& values, PageFetchParams fetch, HeldPage& held,
                 const std::string& cursor)
    : values_(values),
      held_(held),
      frontier_(std::make_unique<PageFrontier>(values.bounds)),
      tell_(fetch.beat),
      fetch_(std::move(fetch)),
      is_whole_(cursor.empty()) {
  take_known(cursor);
  for (const auto& url : values_.urls) frontier_->admit(url, 0);
  at_.sitemaps = values_.sitemaps;
}

Result<SourcePage> WebWalk::next(const os::Deadline& deadline) {
  SourcePage page;
  held_ = {};
  CAIRN_CHECK(tell_sometimes());
  if (!at_.has_begun) CAIRN_CHECK(find_sitemaps(deadline));
  if (again_at_ < again_end_) {
    give_again(page);
  } else if (at_.sitemaps_done < at_.sitemaps.size()) {
    CAIRN_CHECK(take_sitemap(at_.sitemaps[at_.sitemaps_done++], page, deadline));
  } else if (PageEntry* entry = frontier_->next()) {
    CAIRN_CHECK(visit(*entry, page, deadline));
  } else {
    CAIRN_CHECK(finish(page));
  }
  page.total = frontier_->entries().size();
  return page;
}

std::string WebWalk::cursor() const {
  Json out = Json::array();
  for (const PageEntry& entry : frontier_->entries()) {
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

void WebWalk::take_known(const std::string& cursor) {
  const auto json = parse_json(cursor);
  if (!json.ok() || !json->is_array()) return;
  for (const Json& row : json->as_array()) {
    if (!row.is_array() || row.as_array().size() != 6) continue;
    const auto& cells = row.as_array();
    PageEntry* entry =
        frontier_->admit(cells[0].as_string(), static_cast<std::uint32_t>(cells[1].as_int()));
    if (entry == nullptr) continue;
    entry->is_read = true;
    entry->is_item = (cells[2].as_int() & 1) != 0;
    entry->is_canonical = (cells[2].as_int() & 2) != 0;
    entry->version = cells[3].as_string();
    entry->marks = {.etag = cells[4].as_string(), .modified = cells[5].as_string()};
  }
}

std::string WebWalk::place() const { return place_text(at_, *frontier_); }

void WebWalk::resume_at(const std::string& place,
                        const std::function<bool(const SourceItem&)>& is_recorded) {
  WalkPlace at;
  auto frontier = std::make_unique<PageFrontier>(values_.bounds);
  if (!read_place(place, at, *frontier)) return;
  for (PageEntry& entry : frontier->entries()) {
    if (!entry.is_visited) continue;
    if (entry.is_given && !is_recorded({.path = entry.url, .version = entry.version})) {
      entry.is_visited = entry.is_given = false;
      entry.marks = {};  // or the answer is that nothing changed
    } else if (entry.is_item) {
      contents_.emplace(entry.version, entry.url);
    }
  }
  at_ = std::move(at);
  frontier_ = std::move(frontier);
  again_end_ = frontier_->entries().size();
}

/// What the walk before gave, without a request.
void WebWalk::give_again(SourcePage& page) {
  const std::size_t end = std::min(again_end_, again_at_ + given_again_at_once);
  if (again_at_ == 0)
    for (const PageFailure& failure : at_.failures) tell_failure(failure, page);
  for (; again_at_ < end; ++again_at_) {
    const PageEntry& entry = frontier_->entries()[again_at_];
    if (entry.is_left_out) tell_left_out(entry, page);
    if (entry.is_given) page.items.push_back({.path = entry.url, .version = entry.version});
  }
}

/// A walk may ask for many addresses without an item among them.
Status WebWalk::tell_sometimes() {
  const std::int64_t now = os::system_clock().steady_ns() / 1'000'000;
  if (now < next_beat_ms_) return ok_status();
  next_beat_ms_ = now + crawl_beat_ms;
  return tell_("asks for pages");
}

Status WebWalk::find_sitemaps(const os::Deadline& deadline) {
  at_.has_begun = true;
  if (!values_.robots_sitemaps) return ok_status();
  for (const auto& url : values_.urls) {
    CAIRN_TRY(const RobotsRules* rules, fetch_.rules(url, deadline));
    for (const auto& sitemap : rules->sitemaps()) add_sitemap(url, sitemap);
  }
  return ok_status();
}

void WebWalk::add_sitemap(std::string_view base, std::string_view reference) {
  const auto url = normal_page_url(resolve_reference(base, reference));
  auto& all = at_.sitemaps;
  if (!url || !frontier_->is_in_scope(*url) || all.size() >= sitemaps_of_walk_max ||
      std::find(all.begin(), all.end(), *url) != all.end())
    return;
  all.push_back(*url);
}

/// By value: the list may grow.
Status WebWalk::take_sitemap(const std::string url, SourcePage& page,
                             const os::Deadline& deadline) {
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
      frontier_->admit(*normal, 0);
    }
  }
  return ok_status();
}

void WebWalk::note_failure(const std::string& url, const std::string& reason, SourcePage& page) {
  if (at_.first_failure.empty()) at_.first_failure = url + ": " + reason;
  at_.failures.push_back({url, reason});
  tell_failure(at_.failures.back(), page);
}

/// Where what cannot be read would have led is not known: all documents stay.
void WebWalk::tell_failure(const PageFailure& failure, SourcePage& page) const {
  page.unreadable.push_back({failure.url, failure.url + ": " + failure.reason});
  for (const auto& host : values_.bounds.hosts)
    for (const auto* scheme : {"http://", "https://"}) page.kept.push_back(scheme + host);
}

/// It holds no documents, or none any more.
void WebWalk::leave_out(PageEntry& entry, std::string reason, SourcePage& page) {
  entry.is_item = false;
  entry.is_left_out = true;
  entry.note = std::move(reason);
  tell_left_out(entry, page);
}

void WebWalk::tell_left_out(const PageEntry& entry, SourcePage& page) const {
  ++page.skipped;
  if (!entry.note.empty()) page.left_out.push_back({entry.url, entry.url + ": " + entry.note});
  if (!is_whole_) page.removed.push_back(entry.url);
}

Status WebWalk::visit(PageEntry& entry, SourcePage& page, const os::Deadline& deadline) {
  entry.is_visited = true;
  CAIRN_TRY(PageAnswer answer, fetch_.get(entry.url, is_whole_ ? PageMarks() : entry.marks,
                                          values_.page_bytes_max, deadline));
  switch (answer.kind) {
    case Kind::page:
      ++at_.answered;
      take_page(entry, std::move(answer), page);
      break;
    case Kind::unchanged:
      ++at_.answered;
      if (entry.is_item) contents_.emplace(entry.version, entry.url);
      break;
    case Kind::moved:
      ++at_.answered;
      entry.is_read = false;
      take_move(entry, answer.location, page);
      break;
    case Kind::gone:
    case Kind::closed:
      entry.is_read = false;
      if (at_.first_failure.empty()) at_.first_failure = entry.url + ": " + answer.reason;
      leave_out(entry, answer.reason, page);
      break;
    case Kind::failed:
      note_failure(entry.url, answer.reason, page);
  }
  return ok_status();
}

void WebWalk::take_move(PageEntry& entry, const std::string& location, SourcePage& page) {
  const auto to = normal_page_url(resolve_reference(entry.url, location));
  if (!to || !frontier_->is_in_scope(*to)) {
    leave_out(entry, "leads to another host, which the connector does not name", page);
  } else if (entry.hops >= page_hops_max) {
    leave_out(entry, "leads from one redirect to the next, more than five times", page);
  } else {
    frontier_->admit(*to, entry.depth, entry.hops + 1);
    leave_out(entry, "", page);
  }
}

void WebWalk::take_page(PageEntry& entry, PageAnswer answer, SourcePage& page) {
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

void WebWalk::follow(const PageEntry& from, const std::string& base,
                     const std::vector<std::string>& links) {
  if (!values_.follow || from.depth >= values_.bounds.depth_max) return;
  for (const auto& link : links)
    if (const auto url = normal_page_url(resolve_reference(base, link)))
      frontier_->admit(*url, from.depth + 1);
}

/// The address that has this page's content, where it is another one. Pages that name each other
/// in a circle end with the first that was named.
std::string WebWalk::canonical_of(const PageEntry& entry, const std::string& base,
                                  const std::string& written) {
  if (written.empty() || entry.is_canonical) return {};
  const auto url = normal_page_url(resolve_reference(base, written));
  if (!url || *url == entry.url) return {};
  PageEntry* other = frontier_->admit(*url, entry.depth);
  if (other == nullptr || (other->is_visited && !other->is_item)) return {};
  other->is_canonical = true;
  return *url;
}

void WebWalk::give(PageEntry& entry, std::string name, PageAnswer answer, SourcePage& page) {
  entry.version = to_hex(sha256(name + '\0' + answer.charset + '\0' + answer.body)).substr(0, 32);
  const auto [same, is_new] = contents_.emplace(entry.version, entry.url);
  if (!is_new && same->second != entry.url) {
    leave_out(entry, "has the content of " + same->second, page);
    return;
  }
  entry.is_item = entry.is_given = true;
  SourceItem item{.path = entry.url, .version = entry.version};
  item.size_bytes = answer.body.size();
  item.modified_ms = parse_http_date(entry.marks.modified).value_or(0);
  page.items.push_back(std::move(item));
  held_ = {.url = entry.url,
           .name = std::move(name),
           .media_type = std::move(answer.media_type),
           .charset = std::move(answer.charset),
           .body = std::move(answer.body)};
}

Status WebWalk::finish(SourcePage& page) {
  page.last = true;
  if (at_.answered == 0 && !at_.first_failure.empty())
    return Error{.kind = ErrorKind::unavailable, .message = at_.first_failure};
  if (frontier_->dropped() == 0) return ok_status();
  const std::string first = frontier_->entries().front().url;
  ++page.skipped;
  page.left_out.push_back(
      {first, "more than " + std::to_string(values_.bounds.pages_max) +
                  " addresses were found: raise [max_pages], or [exclude] some"});
  return ok_status();
}

}  // namespace cairn::connectors
