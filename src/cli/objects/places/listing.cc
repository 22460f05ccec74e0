// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/places/listing.h"

#include <memory>
#include <utility>

#include "format/time.h"
#include "objectclient/faults.h"
#include "objectclient/token_watch.h"

namespace cairn::cli {
namespace {

std::string text_member(const Value& value, std::string_view name) {
  const std::string* const text = value[name].text();
  return text != nullptr ? *text : std::string();
}

bool is_truncated(const Value& page) {
  const bool* const more = page["is_truncated"].boolean();
  return more != nullptr && *more;
}

/// Whether a listing goes on at the token. One that does and does not say where must not pass for
/// a whole one: a sync would delete what it does not name.
Result<bool> goes_on(const Value& page, const std::string& token, objectclient::TokenWatch& watch) {
  if (!is_truncated(page)) return false;
  if (token.empty())
    return objectclient::unexpected_reply("the listing says that it goes on, and not where");
  CAIRN_CHECK(watch.see(token));
  return true;
}

const Value::List& list_member(const Value& value, std::string_view name) {
  static const Value::List none;
  const auto* const elements = value[name].elements();
  return elements != nullptr ? *elements : none;
}

ListingPage page_of(const Value& result, const std::string& prefix) {
  ListingPage page;
  for (const Value& one : list_member(result, "common_prefixes"))
    page.prefixes.push_back(text_member(one, "prefix"));
  for (const Value& one : list_member(result, "contents")) {
    Entry entry{.place = text_member(one, "key"), .modified_ms = time_ms_of(one["last_modified"])};
    entry.name = entry.place.substr(std::min(prefix.size(), entry.place.size()));
    if (const auto* size = one["size"].integer()) entry.size = static_cast<std::uint64_t>(*size);
    page.objects.push_back(std::move(entry));
  }
  return page;
}

void set_param(Params& params, std::string_view name, const Value& value) {
  std::erase_if(params, [&](const auto& one) { return one.first == name; });
  if (!value.is_null()) params.emplace_back(std::string(name), value);
}

}  // namespace

std::int64_t time_ms_of(const Value& value) {
  if (const auto* time = value.time()) return time->unix_ms;
  const std::string* const text = value.text();
  return text != nullptr ? parse_iso8601(*text).value_or(0) : 0;
}

NextPage listing_pages(const Service& service, const std::string& bucket, const std::string& prefix,
                       const std::string& delimiter, const Params& more) {
  Params params = {{"bucket", bucket}, {"prefix", prefix}, {"encoding_type", "url"}};
  if (!delimiter.empty()) params.emplace_back("delimiter", delimiter);
  params.insert(params.end(), more.begin(), more.end());
  const auto left = std::make_shared<std::optional<Params>>(std::move(params));
  const auto watch = std::make_shared<objectclient::TokenWatch>();
  return [left, watch, service, prefix]() -> Result<std::optional<ListingPage>> {
    if (!*left) return std::optional<ListingPage>();
    CAIRN_TRY(const Value result, service.call("list_objects_v2", **left));
    const std::string token = text_member(result, "next_continuation_token");
    CAIRN_TRY(const bool goes_on_further, goes_on(result, token, *watch));
    if (goes_on_further)
      set_param(**left, "continuation_token", token);
    else
      left->reset();
    return std::optional(page_of(result, prefix));
  };
}

NextEntry listed_entries(const Service& service, const std::string& bucket,
                         const std::string& prefix, const Params& more) {
  struct Walk {
    NextPage pages;
    ListingPage page = {};
    std::size_t at = 0;
  };
  const auto walk =
      std::make_shared<Walk>(Walk{.pages = listing_pages(service, bucket, prefix, "", more)});
  return [walk]() -> Result<std::optional<Entry>> {
    while (walk->at == walk->page.objects.size()) {
      CAIRN_TRY(auto page, walk->pages());
      if (!page) return std::optional<Entry>();
      walk->page = *std::move(page);
      walk->at = 0;
    }
    return std::optional(std::move(walk->page.objects[walk->at++]));
  };
}

NextIdentifiers version_pages(const Service& service, const std::string& bucket,
                              const std::string& prefix) {
  const auto left = std::make_shared<std::optional<Params>>(
      Params{{"bucket", bucket}, {"prefix", prefix}, {"encoding_type", "url"}});
  const auto watch = std::make_shared<objectclient::TokenWatch>();
  return [left, watch, service]() -> Result<std::optional<Value::List>> {
    if (!*left) return std::optional<Value::List>();
    CAIRN_TRY(const Value result, service.call("list_object_versions", **left));
    Value::List identifiers;
    // Delete markers stand among them.
    for (const Value& one : list_member(result, "versions"))
      identifiers.push_back(Value::map({{"key", one["key"]}, {"version_id", one["version_id"]}}));
    std::string token = text_member(result, "next_key_marker");
    if (!token.empty()) token += '\0' + text_member(result, "next_version_id_marker");
    CAIRN_TRY(const bool more, goes_on(result, token, *watch));
    if (more) {
      set_param(**left, "key_marker", result["next_key_marker"]);
      set_param(**left, "version_id_marker", result["next_version_id_marker"]);
    } else {
      left->reset();
    }
    return std::optional(std::move(identifiers));
  };
}

}  // namespace cairn::cli
