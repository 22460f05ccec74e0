// SPDX-License-Identifier: Apache-2.0
#include "remotestore/listing.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "objectclient/token_watch.h"
#include "remotestore/names.h"

namespace cairn::remotestore {
namespace {

using store::ListPage;
using store::ListParams;

/// A key, or a prefix that the cluster has folded.
struct Entry {
  std::string key;
  bool folded = false;
  RemoteInfo info = {};
};

/// Names below a prefix of the cluster, in order, page by page.
class NamePages {
 public:
  NamePages(Wire& wire, ListParams params, const os::Deadline& deadline)
      : wire_(wire), params_(std::move(params)), deadline_(deadline) {}

  /// The next entry, whose `key` is the whole name; nothing at the end.
  Result<std::optional<Entry>> next() {
    while (ready_.empty()) {
      if (at_end_) return std::optional<Entry>();
      CAIRN_CHECK(fetch());
    }
    Entry entry = std::move(ready_.front());
    ready_.pop_front();
    return std::optional(std::move(entry));
  }

 private:
  Status fetch() {
    CAIRN_TRY(RemotePage page, wire_.list(params_, token_, deadline_));
    token_ = page.next_token;
    at_end_ = token_.empty();
    if (!at_end_) CAIRN_CHECK(watch_.see(token_));
    for (std::string& prefix : page.prefixes)
      ready_.push_back({.key = std::move(prefix), .folded = true});
    for (RemoteInfo& info : page.objects) {
      std::string name = info.name;
      ready_.push_back({.key = std::move(name), .info = std::move(info)});
    }
    std::sort(ready_.begin(), ready_.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
    return ok_status();
  }

  Wire& wire_;
  const ListParams params_;
  const os::Deadline& deadline_;
  std::deque<Entry> ready_;
  std::string token_;
  objectclient::TokenWatch watch_;
  bool at_end_ = false;
};

/// How many names are asked for to fill a page: those to skip at its beginning, and the one after.
std::size_t ask_for(std::size_t limit) { return std::min<std::size_t>(limit + 2, 1000); }

/// Keys that are their own names.
class PlainKeys {
 public:
  PlainKeys(const ListingParams& where, const ListParams& params, const os::Deadline& deadline)
      : base_(where.prefix.size()),
        asked_(asked(where, params)),
        pages_(where.wire, asked_, deadline) {
    if (asked_.delimiter.empty() || asked_.start_after.size() <= asked_.prefix.size()) return;
    const auto at = asked_.start_after.find('/', asked_.prefix.size());
    if (at != std::string::npos) begun_fold_ = asked_.start_after.substr(0, at + 1);
  }

  Result<std::optional<Entry>> next() {
    for (;;) {
      CAIRN_TRY(auto entry, pages_.next());
      if (!entry) return entry;
      // A page that starts below a folded prefix is past it; clusters differ in what they say.
      if (entry->folded && entry->key == begun_fold_) continue;
      entry->key.erase(0, base_);
      // What lies in the store's own area is no key; nor is what other programs put here.
      if (entry->key.starts_with(own_area)) continue;
      if (entry->folded ? entry->key.empty() : !is_plain_key(entry->key, base_)) continue;
      return entry;
    }
  }

 private:
  static ListParams asked(const ListingParams& where, const ListParams& params) {
    const auto sendable = [](const std::string& text) {
      return text.substr(0, sendable_bytes(text));
    };
    const std::string prefix = sendable(params.prefix);
    const std::string start = sendable(params.start_after);
    ListParams out{.prefix = where.prefix + prefix, .limit = ask_for(params.limit)};
    if (!start.empty()) out.start_after = where.prefix + start;
    // Folding is the cluster's work where both mean the same by it.
    if (params.delimiter == "/" && prefix == params.prefix) out.delimiter = "/";
    return out;
  }

  const std::size_t base_;
  const ListParams asked_;
  std::string begun_fold_;  // the folded prefix that the page starts in
  NamePages pages_;
};

/// Keys that are not: of their names, or of the metadata of objects with long keys.
class AsideKeys {
 public:
  AsideKeys(const ListingParams& where, const ListParams& params, const os::Deadline& deadline)
      : wire_(where.wire),
        area_(where.prefix + std::string(aside_area)),
        deadline_(deadline),
        pages_(where.wire, asked(area_, params), deadline) {}

  Result<std::optional<Entry>> next() {
    if (group_.empty()) CAIRN_CHECK(gather());
    if (group_.empty()) return std::optional<Entry>();
    Entry entry = std::move(group_.front());
    group_.pop_front();
    return std::optional(std::move(entry));
  }

 private:
  static ListParams asked(const std::string& area, const ListParams& params) {
    ListParams out{.prefix = area + aside_prefix(params.prefix), .limit = ask_for(params.limit)};
    const std::string_view start = std::string_view(params.start_after).substr(0, aside_head_bytes);
    // Names of keys with this very beginning come after it, and are looked at one by one.
    if (!start.empty()) out.start_after = area + aside_prefix(start);
    return out;
  }

  /// The next key, or all keys that share the beginning that their names show.
  Status gather() {
    std::string head;
    for (;;) {
      if (!ahead_) {
        CAIRN_TRY(ahead_, pages_.next());
      }
      if (!ahead_) break;
      const auto parsed = parse_aside_name(std::string_view(ahead_->key).substr(area_.size()));
      if (!parsed) {
        ahead_.reset();
        continue;
      }
      if (!group_.empty() && (parsed->is_whole || parsed->head != head)) break;
      CAIRN_CHECK(add(*parsed));
      head = parsed->head;
      ahead_.reset();
      if (parsed->is_whole) break;
    }
    std::sort(group_.begin(), group_.end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
    return ok_status();
  }

  Status add(const AsideName& name) {
    Entry entry{.key = name.head, .info = ahead_->info};
    if (!name.is_whole) {
      CAIRN_TRY(const auto found, wire_.head(ahead_->key, deadline_));
      if (!found) return ok_status();  // it went meanwhile
      entry.key = found->key;
    }
    group_.push_back(std::move(entry));
    return ok_status();
  }

  Wire& wire_;
  const std::string area_;
  const os::Deadline& deadline_;
  NamePages pages_;
  std::optional<Entry> ahead_;
  std::deque<Entry> group_;
};

/// A source with its next entry in sight.
template <class Keys>
struct Ahead {
  Keys keys;
  std::optional<Entry> entry = {};
  bool at_end = false;

  Status look() {
    if (entry || at_end) return ok_status();
    CAIRN_TRY(entry, keys.next());
    at_end = !entry.has_value();
    return ok_status();
  }
};

/// Folds, skips what the page starts after, and stops when it is full.
class PageMaker {
 public:
  PageMaker(const ListingParams& where, const ListParams& params)
      : where_(where), params_(params) {}

  /// False where the page has no room for the entry: more is to come.
  bool take(Entry entry) {
    if (!entry.key.starts_with(params_.prefix)) return true;
    if (!entry.folded && !params_.delimiter.empty()) {
      const auto at = entry.key.find(params_.delimiter, params_.prefix.size());
      if (at != std::string::npos) {
        entry.key.resize(at + params_.delimiter.size());
        entry.folded = true;
      }
    }
    if (entry.folded && !page_.prefixes.empty() && page_.prefixes.back() == entry.key) return true;
    if (entry.key <= params_.start_after) return true;
    const std::size_t room = std::max<std::size_t>(params_.limit, 1);
    if (page_.objects.size() + page_.prefixes.size() == room) {
      page_.next_start_after = last_;
      return false;
    }
    last_ = entry.key;
    if (entry.folded)
      page_.prefixes.push_back(std::move(entry.key));
    else
      page_.objects.push_back(where_.shown(std::move(entry.key), entry.info));
    return true;
  }

  ListPage finish() { return std::move(page_); }

 private:
  const ListingParams& where_;
  const ListParams& params_;
  ListPage page_;
  std::string last_;
};

}  // namespace

Result<ListPage> list_page(const ListingParams& where, const ListParams& params,
                           const os::Deadline& deadline) {
  CAIRN_CHECK(deadline.check("list objects"));
  PageMaker page(where, params);
  if (params.start_after > params.prefix && !params.start_after.starts_with(params.prefix))
    return page.finish();  // past all of the prefix
  Ahead<PlainKeys> plain{.keys = PlainKeys(where, params, deadline)};
  Ahead<AsideKeys> aside{.keys = AsideKeys(where, params, deadline), .at_end = where.plain_keys};
  for (;;) {
    CAIRN_CHECK(plain.look());
    CAIRN_CHECK(aside.look());
    if (plain.at_end && aside.at_end) return page.finish();
    const bool from_plain = aside.at_end || (!plain.at_end && plain.entry->key < aside.entry->key);
    std::optional<Entry>& next = from_plain ? plain.entry : aside.entry;
    Entry entry = std::move(*next);
    next.reset();
    if (!page.take(std::move(entry))) return page.finish();
  }
}

}  // namespace cairn::remotestore
