// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/web_pages.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"
#include "connectors/sources/web/page_url.h"
#include "connectors/sources/web/web_walk.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t starts_max = 1000;
constexpr std::size_t page_excludes_max = 1000;
constexpr std::int64_t page_bytes_default = 10 << 20;
constexpr std::int64_t page_bytes_most = 256 << 20;
constexpr std::int64_t pages_default = 10'000;
constexpr std::int64_t pages_most = 100'000;
constexpr std::int64_t depth_default = 10;
constexpr std::int64_t delay_default_ms = 500;
constexpr std::int64_t delay_most_ms = 600'000;

class WebPages final : public Source {
 public:
  WebPages(WebValues values, Outreach outreach)
      : values_(std::move(values)), outreach_(std::move(outreach)) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor, const os::Deadline&) override {
    return std::unique_ptr<Walk>(std::make_unique<WebWalk>(values_, fetch_params(), held_, cursor));
  }

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

 private:
  PageFetchParams fetch_params() {
    return {.outreach = outreach_,
            .delay_ms = values_.delay_ms,
            .beat = [this](std::string_view doing) { return beat(doing); }};
  }

  const WebValues values_;
  const Outreach outreach_;
  HeldPage held_;
};

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
