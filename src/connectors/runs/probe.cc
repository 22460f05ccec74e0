// SPDX-License-Identifier: Apache-2.0
#include "connectors/runs/probe.h"

#include <utility>
#include <vector>

#include "connectors/runs/path_cover.h"
#include "connectors/source_document.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t problems_max = 20;
constexpr std::size_t text_bytes_max = 2000;

/// Cut between two characters.
void shorten(std::string& text) {
  if (text.size() <= text_bytes_max) return;
  std::size_t end = text_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  text += "…";
}

void shorten_texts(Json& value) {
  if (value.is_string()) {
    std::string text = value.as_string();
    shorten(text);
    value = Json(std::move(text));
  } else if (value.is_object()) {
    for (auto& [name, member] : value.as_object()) shorten_texts(member);
  } else if (value.is_array()) {
    for (Json& element : value.as_array()) shorten_texts(element);
  }
}

void name_problem(Json& problems, const std::string& path, const std::string& reason) {
  if (problems.as_array().size() < problems_max)
    problems.push(Json::object({{"path", path}, {"reason", reason}}));
}

/// Takes documents until there are enough; then it ends the reading with an error of its own.
class PreviewSink final : public DocumentSink {
 public:
  PreviewSink(const Source& source, const SourceItem& item, const PreviewParams& params,
              Json& documents, const os::Deadline& deadline)
      : source_(source), item_(item), params_(params), documents_(documents), deadline_(deadline) {}

  bool wants(const std::string&) override { return true; }
  Status add(SourceDocument document) override {
    shorten(document.body);
    CAIRN_TRY(Json content, parse_json(document_json(item_, document)));
    shorten_texts(content);
    documents_.push(Json::object(
        {{"_id", document_id(source_, item_.path, added_++)}, {"_source", std::move(content)}}));
    if (!is_full()) return ok_status();
    return Error{.kind = ErrorKind::cancelled, .message = "there are enough documents"};
  }
  Result<ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                std::string_view charset) override {
    return params_.extractor.extract(name, bytes, {params_.rows, std::string(charset)}, deadline_);
  }
  bool is_full() const { return documents_.as_array().size() >= params_.count; }

 private:
  const Source& source_;
  const SourceItem& item_;
  const PreviewParams& params_;
  Json& documents_;
  const os::Deadline& deadline_;
  std::size_t added_ = 0;
};

Status give_all(SourceContent& content, PreviewSink& sink) {
  for (auto& document : content.documents) CAIRN_CHECK(sink.add(std::move(document)));
  return ok_status();
}

struct Counts {
  std::uint64_t items = 0, fresh = 0, changed = 0, unchanged = 0, skipped = 0, unreadable = 0,
                bytes = 0;
};

void count_item(const SourceItem& item, SyncedTable& before, Counts& counts) {
  ++counts.items;
  counts.bytes += item.size_bytes;
  const SyncedItem* old = before.find(item.path);
  before.mark(item.path);
  if (old == nullptr) {
    ++counts.fresh;
    return;
  }
  const std::uint64_t version = fingerprint(item.version);
  const std::uint64_t content = item.content ? fingerprint(item.content->content_hash) : 0;
  const bool same =
      (version != 0 && version == old->version) || (content != 0 && content == old->content);
  ++(same ? counts.unchanged : counts.changed);
}

}  // namespace

Result<Json> preview_documents(Source& source, const PreviewParams& params,
                               const os::Deadline& deadline) {
  Json documents = Json::array(), problems = Json::array();
  CAIRN_TRY(const auto walk, source.walk("", deadline));
  bool more = params.count > 0;
  while (more) {
    CAIRN_TRY(SourcePage page, walk->next(deadline));
    for (const auto& item : page.unreadable) name_problem(problems, item.path, item.reason);
    for (auto& item : page.items) {
      CAIRN_CHECK(deadline.check("looking at the source"));
      PreviewSink sink(source, item, params, documents, deadline);
      const Status given =
          item.content ? give_all(*item.content, sink) : source.read(item, sink, deadline);
      if (sink.is_full()) break;
      if (!given.ok()) name_problem(problems, item.path, given.error().message);
    }
    more = !page.last && documents.as_array().size() < params.count;
  }
  return Json::object({{"documents", std::move(documents)}, {"problems", std::move(problems)}});
}

Result<Json> dry_run(Source& source, const SyncState& state, const std::string& identity,
                     const os::Deadline& deadline) {
  SyncedTable before;
  CAIRN_CHECK(state.finished(
      identity,
      [&](SyncedRow&& row) {
        before.add(row.path, row.item);
        return ok_status();
      },
      deadline));
  before.settle();
  Counts counts;
  PathCover staying;
  Json problems = Json::array();
  CAIRN_TRY(const auto walk, source.walk("", deadline));
  for (bool more = true; more;) {
    CAIRN_TRY(const SourcePage page, walk->next(deadline));
    CAIRN_CHECK(deadline.check("counting the items"));
    for (const auto& item : page.unreadable) name_problem(problems, item.path, item.reason);
    for (const auto& item : page.items) count_item(item, before, counts);
    for (const auto& item : page.unreadable) staying.add(item.path);
    for (const auto& folder : page.kept) staying.add(folder);
    counts.unreadable += page.unreadable.size();
    counts.skipped += page.skipped;
    more = !page.last;
  }
  std::uint64_t vanished = before.unmarked();
  if (vanished > 0 && !staying.is_empty())
    CAIRN_CHECK(state.finished(
        identity,
        [&](SyncedRow&& row) {
          if (staying.covers(row.path) && before.mark(row.path)) --vanished;
          return ok_status();
        },
        deadline));
  return Json::object({{"items", counts.items},
                       {"new", counts.fresh},
                       {"changed", counts.changed},
                       {"unchanged", counts.unchanged},
                       {"vanished", vanished},
                       {"skipped", counts.skipped},
                       {"unreadable", counts.unreadable},
                       {"bytes", counts.bytes},
                       {"problems", std::move(problems)}});
}

}  // namespace cairn::connectors
