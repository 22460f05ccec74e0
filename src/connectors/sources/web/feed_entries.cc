// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/feed_entries.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "connectors/extract/mime.h"
#include "format/time.h"
#include "format/xml.h"
#include "format/xml_walk.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t feed_entries_max = 100'000;

/// Elements whose text is HTML in RSS; in Atom their type says so.
bool is_content(std::string_view name) {
  return name == "content" || name == "encoded" || name == "description" || name == "summary";
}

std::string escaped(std::string_view text) {
  std::string out;
  append_xml_escaped(out, text);
  return out;
}

class FeedReader final : public XmlVisitor {
 public:
  bool open(const XmlTag& tag) override {
    const std::string_view name = tag.name();
    if (depth_ == 0) {
      if (name == "feed" || name == "rss" || name == "RDF") is_feed = true;
      if (name == "item" || name == "entry") begin_entry();
      return true;
    }
    ++depth_;
    if (depth_ == 2) {
      begin_field(tag);
    } else if (is_content(field_)) {
      texts_[field_] += "<" + std::string(name) + ">";
    }
    return true;
  }

  void text(std::string_view text) override {
    if (depth_ < 2) return;
    // Markup within is written out again, and so is text that is no markup.
    if (is_content(field_) && (depth_ > 2 || is_plain_)) {
      texts_[field_] += escaped(text);
    } else {
      texts_[field_] += text;
    }
  }

  void close(std::string_view name) override {
    if (depth_ == 0) return;
    if (depth_ > 2 && is_content(field_)) texts_[field_] += "</" + std::string(name) + ">";
    if (depth_ == 2) end_field();
    if (--depth_ == 0) end_entry();
  }

  std::vector<FeedEntry> entries;
  bool is_feed = false;
  bool is_too_long = false;

 private:
  void begin_entry() {
    depth_ = 1;
    texts_.clear();
    entry_ = {};
  }

  void begin_field(const XmlTag& tag) {
    field_ = tag.name();
    const std::string_view type = tag.attribute("type");
    is_plain_ = (field_ == "content" || field_ == "summary") && type != "html" && type != "xhtml" &&
                type != "text/html";
    if (field_ == "category") {
      // Atom has it in an attribute, RSS as text.
      texts_.erase(field_);
      if (const auto term = tag.attribute("term"); !term.empty()) texts_[field_] = term;
    }
    if (field_ != "link") return;
    const std::string_view relation = tag.attribute("rel");
    if (relation.empty() || relation == "alternate")
      if (const auto target = tag.attribute("href"); !target.empty()) entry_.link = target;
  }

  void end_field() {
    if (field_ == "category")
      if (const auto text = trim(texts_[field_]); !text.empty())
        entry_.categories.emplace_back(text);
    field_.clear();
  }

  std::string taken(std::string_view name) {
    const auto found = texts_.find(name);
    return found == texts_.end() ? std::string() : std::string(trim(found->second));
  }

  std::string first_of(std::initializer_list<std::string_view> names) {
    for (const auto name : names)
      if (std::string text = taken(name); !text.empty()) return text;
    return {};
  }

  void end_entry() {
    if (entries.size() == feed_entries_max) {
      is_too_long = true;
      return;
    }
    entry_.title = taken("title");
    if (entry_.link.empty()) entry_.link = taken("link");
    entry_.author = first_of({"author", "creator"});
    entry_.content = first_of({"encoded", "content", "description", "summary"});
    entry_.modified_ms =
        feed_date_ms(first_of({"updated", "modified", "pubDate", "date", "published"}));
    entry_.id = first_of({"id", "guid"});
    if (entry_.id.empty()) entry_.id = entry_.link;
    if (entry_.id.empty())
      entry_.id = to_hex(sha256(entry_.title + '\0' + entry_.content)).substr(0, 32);
    entries.push_back(std::move(entry_));
  }

  std::size_t depth_ = 0;  // within an entry, which is 1
  std::string field_;
  bool is_plain_ = false;
  std::map<std::string, std::string, std::less<>> texts_;
  FeedEntry entry_;
};

}  // namespace

std::int64_t feed_date_ms(std::string_view text) {
  text = trim(text);
  if (const auto ms = parse_iso8601(text)) return *ms;
  if (const auto ms = parse_http_date(text)) return *ms;
  return message_date_ms(text);
}

Result<std::vector<FeedEntry>> read_feed(std::string text) {
  FeedReader reader;
  CAIRN_CHECK(walk_xml(std::move(text), reader));
  if (!reader.is_feed)
    return Error{.kind = ErrorKind::invalid_argument, .message = "it is neither RSS nor Atom"};
  if (reader.is_too_long)
    return Error{.kind = ErrorKind::too_large,
                 .message = "it has more than " + std::to_string(feed_entries_max) + " entries"};
  return std::move(reader.entries);
}

}  // namespace cairn::connectors
