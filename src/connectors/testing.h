// SPDX-License-Identifier: Apache-2.0
// A source's items and documents, and the index that they come to, in memory, for tests.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "connectors/isolation/extractor_for_tests.h"
#include "connectors/source.h"
#include "connectors/target.h"

namespace cairn::connectors {

/// All pages of a walk in one.
inline SourcePage all_pages(Source& source, const std::string& cursor = {}) {
  const os::Deadline deadline = os::Deadline::in_ms(60'000);
  SourcePage all;
  const auto walk = source.walk(cursor, deadline);
  REQUIRE_MESSAGE(walk.ok(), (walk.ok() ? std::string() : walk.error().message));
  while (!all.last) {
    auto page = (*walk)->next(deadline);
    REQUIRE_MESSAGE(page.ok(), (page.ok() ? std::string() : page.error().message));
    for (auto& item : page->items) all.items.push_back(std::move(item));
    for (auto& path : page->removed) all.removed.push_back(std::move(path));
    for (auto& item : page->unreadable) all.unreadable.push_back(std::move(item));
    all.skipped += page->skipped;
    for (auto& item : page->left_out) all.left_out.push_back(std::move(item));
    all.last = page->last;
  }
  return all;
}

/// Keeps what an item gives.
class KeptDocuments final : public DocumentSink {
 public:
  bool wants(const std::string& content_hash) override {
    hash = content_hash;
    return true;
  }
  Status add(SourceDocument document) override {
    documents.push_back(std::move(document));
    return ok_status();
  }
  Result<ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                std::string_view charset) override {
    return extractor_of_tests().extract(name, bytes, {rows, std::string(charset)},
                                        os::Deadline::in_ms(60'000));
  }

  bool rows = false;  // of tables are documents
  std::string hash;
  std::vector<SourceDocument> documents;
};

/// The documents of an item, also of one whose content the listing holds.
inline Result<std::vector<SourceDocument>> documents_of(Source& source, const SourceItem& item) {
  if (item.content) return item.content->documents;
  KeptDocuments kept;
  CAIRN_CHECK(source.read(item, kept, os::Deadline::in_ms(60'000)));
  return std::move(kept.documents);
}

/// An index in memory. Refuses documents with the title "refuse me".
class MemoryTarget final : public Target {
 public:
  Result<std::string> identity(const std::string&, const NewIndex& new_index,
                               const os::Deadline&) override {
    wanted = new_index;
    return name;
  }
  Result<std::string> identity_if_there(const std::string&, const os::Deadline&) override {
    return name;
  }
  Result<std::vector<std::optional<Error>>> write(const std::string&,
                                                  std::span<const TargetDocument> some,
                                                  const os::Deadline&) override {
    std::vector<std::optional<Error>> out;
    for (const auto& document : some) {
      const Json json = *parse_json(document.source);
      if (busy > 0) {
        --busy;
        out.emplace_back(Error{.kind = ErrorKind::rate_limited, .message = "busy"});
        continue;
      }
      if (json.string_or("title") == "refuse me") {
        out.emplace_back(Error{.kind = ErrorKind::invalid_argument, .message = "refused"});
        continue;
      }
      ++writes;
      documents[document.id] = json;
      out.emplace_back();
    }
    return out;
  }
  Status remove(const std::string&, std::span<const std::string> ids,
                const os::Deadline&) override {
    for (const auto& id : ids) documents.erase(id);
    ++removals;
    return ok_status();
  }
  Status refresh(const std::string&, const os::Deadline&) override { return ok_status(); }

  std::string name = "uuid-1";
  NewIndex wanted = {};  // that was asked for last
  std::map<std::string, Json> documents;
  int writes = 0, removals = 0;
  int busy = 0;  // documents to refuse for the moment
};

}  // namespace cairn::connectors
