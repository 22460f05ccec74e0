// SPDX-License-Identifier: Apache-2.0
#include "connectors/sync_run.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t named_files_max = 20;
constexpr int write_attempts_max = 6;
constexpr std::int64_t first_wait_ms = 100;

std::string document_json(const SourceItem& item, const SourceDocument& document) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("title").string(document.title);
  json.key("body").string(document.body);
  json.key("path").string(item.path);
  json.key("size").unsigned_integer(item.size_bytes);
  json.key("modified").string(format_iso8601(item.modified_ms));
  json.end_object();
  return out;
}

bool lies_beneath(std::string_view path, std::string_view folder) {
  return folder.empty() || path == folder ||
         (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

class SyncRun {
 public:
  SyncRun(SyncRunParams& params, const os::Deadline& deadline)
      : params_(params), deadline_(deadline) {}

  Result<SyncOutcome> run() {
    CAIRN_TRY(identity_, params_.target.identity(params_.index, params_.language, deadline_));
    CAIRN_TRY(before_, params_.state.finished(identity_, deadline_));
    CAIRN_TRY(done_, params_.state.done(identity_, deadline_));
    resume_counters();
    CAIRN_TRY(const SourceListing listing, params_.source.list(deadline_));
    progress_.total_document_count = static_cast<std::int64_t>(listing.items.size());
    skipped_ = listing.skipped;
    for (const auto& item : listing.unreadable) note_unreadable(item.reason);
    CAIRN_TRY(bool go_on, report());
    for (const SourceItem& item : listing.items) {
      if (!go_on) return SyncOutcome::canceled;
      if (deadline_.passed()) return SyncOutcome::suspended;
      take(item);
      if (batch_is_full()) {
        CAIRN_TRY(go_on, flush());
      }
    }
    if (go_on) {
      CAIRN_TRY(go_on, flush());
    }
    if (!go_on) return SyncOutcome::canceled;
    CAIRN_CHECK(remove_vanished(listing));
    CAIRN_CHECK(params_.target.refresh(params_.index, deadline_));
    CAIRN_CHECK(report());
    for (auto& [path, item] : done_) item.indexed = false;
    CAIRN_CHECK(params_.state.finish(identity_, done_, deadline_));
    return SyncOutcome::completed;
  }

 private:
  // Figures come from what was recorded as done, so a crash never counts a document twice.
  void resume_counters() {
    for (const auto& [path, item] : done_) {
      if (!item.indexed) continue;
      ++progress_.indexed_document_count;
      progress_.indexed_bytes += static_cast<std::int64_t>(item.bytes);
    }
  }

  void take(const SourceItem& item) {
    if (const auto found = done_.find(item.path);
        found != done_.end() && found->second.version == item.version) {
      ++resumed_;
      return;
    }
    const auto old = before_.find(item.path);
    if (params_.incremental && old != before_.end() && old->second.version == item.version) {
      ++unchanged_;
      return keep(item.path, old->second);
    }
    ++read_;
    auto document = params_.source.read(item, deadline_);
    if (!document.ok()) {
      note_unreadable(document.error().message);
      if (old != before_.end()) keep(item.path, old->second);
      return;
    }
    if (params_.incremental && old != before_.end() &&
        old->second.content_hash == document->content_hash) {
      ++unchanged_;
      return keep(item.path, {item.version, document->content_hash});
    }
    std::string json = document_json(item, *document);
    batch_bytes_ += json.size();
    items_[item.path] = {item.version, document->content_hash, true, json.size()};
    documents_.push_back({document_id(item.path), std::move(json)});
    paths_.push_back(item.path);
  }

  void keep(const std::string& path, SyncedItem item) {
    item.indexed = false;
    items_[path] = std::move(item);
  }

  bool batch_is_full() const {
    return documents_.size() >= params_.options.batch_documents ||
           batch_bytes_ >= params_.options.batch_bytes ||
           items_.size() >= 64 * params_.options.batch_documents;
  }

  /// False where the job was asked to end.
  Result<bool> flush() {
    if (!documents_.empty()) CAIRN_CHECK(write_documents());
    if (!items_.empty()) {
      CAIRN_CHECK(params_.state.append(identity_, items_, deadline_));
      done_.merge(items_);
      for (auto& [path, item] : items_) done_[path] = std::move(item);
    }
    items_.clear();
    documents_.clear();
    paths_.clear();
    batch_bytes_ = 0;
    return report();
  }

  Status write_documents() {
    std::int64_t wait_ms = first_wait_ms;
    for (int attempt = 0; !documents_.empty(); ++attempt, wait_ms *= 2) {
      if (attempt > 0 && !os::sleep_ms(wait_ms, deadline_)) return deadline_.check("writing");
      CAIRN_TRY(const auto results, params_.target.write(params_.index, documents_, deadline_));
      std::optional<Error> passing;
      std::vector<TargetDocument> again;
      std::vector<std::string> again_paths;
      for (std::size_t i = 0; i < documents_.size(); ++i) {
        const Error* error = i < results.size() && results[i] ? &*results[i] : nullptr;
        if (error != nullptr && passes(*error)) {
          passing = *error;
          again.push_back(std::move(documents_[i]));
          again_paths.push_back(std::move(paths_[i]));
        } else {
          settle(i, error);
        }
      }
      documents_ = std::move(again);
      paths_ = std::move(again_paths);
      if (passing && attempt + 1 == write_attempts_max) return *passing;
    }
    return ok_status();
  }

  /// Errors of the moment: the same document may be taken a little later.
  static bool passes(const Error& error) {
    return error.kind == ErrorKind::rate_limited || error.kind == ErrorKind::unavailable ||
           error.kind == ErrorKind::timeout || error.kind == ErrorKind::storage_full;
  }

  void settle(std::size_t i, const Error* error) {
    if (error != nullptr) {
      ++refused_;
      name_file(paths_[i] + ": " + error->message);
      items_.erase(paths_[i]);
      return;
    }
    ++progress_.indexed_document_count;
    progress_.indexed_bytes += static_cast<std::int64_t>(documents_[i].source.size());
  }

  Status remove_vanished(const SourceListing& listing) {
    std::vector<std::string> ids;
    const auto present = [&](const std::string& path) {
      const auto at = std::lower_bound(
          listing.items.begin(), listing.items.end(), path,
          [](const SourceItem& item, const std::string& p) { return item.path < p; });
      if (at != listing.items.end() && at->path == path) return true;
      return std::any_of(listing.unreadable.begin(), listing.unreadable.end(),
                         [&](const auto& item) { return lies_beneath(path, item.path); });
    };
    // An item of an unreadable folder keeps its entry, or the next run would forget its document.
    for (const auto* items : {&before_, &done_})
      for (const auto& [path, item] : *items)
        if (!present(path)) ids.push_back(document_id(path));
    for (const auto& [path, item] : before_)
      if (present(path)) done_.try_emplace(path, item);
    std::erase_if(done_, [&](const auto& entry) { return !present(entry.first); });
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    const std::size_t step = params_.options.batch_documents;
    for (std::size_t i = 0; i < ids.size(); i += step) {
      const std::span<const std::string> some(ids.data() + i, std::min(step, ids.size() - i));
      CAIRN_CHECK(params_.target.remove(params_.index, some, deadline_));
      progress_.deleted_document_count += static_cast<std::int64_t>(some.size());
    }
    return ok_status();
  }

  void note_unreadable(const std::string& reason) {
    ++unreadable_;
    name_file(reason);
  }

  void name_file(const std::string& text) {
    if (named_.size() < named_files_max) named_.push_back(text);
  }

  Result<bool> report() {
    const auto number = [](std::size_t n) { return Json(static_cast<std::int64_t>(n)); };
    progress_.metadata = Json::object({{"files_read", number(read_)},
                                       {"files_unchanged", number(unchanged_)},
                                       {"files_resumed", number(resumed_)},
                                       {"files_skipped", number(skipped_)},
                                       {"files_unreadable", number(unreadable_)},
                                       {"documents_refused", number(refused_)},
                                       {"problems", Json::array_of(named_)}});
    CAIRN_TRY(const std::string status, params_.jobs.report(params_.job_id, progress_, deadline_));
    return status == "in_progress";
  }

  SyncRunParams& params_;
  const os::Deadline& deadline_;
  std::string identity_;
  SyncedItems before_;  // of the last finished run
  SyncedItems done_;    // of this job, durable
  SyncedItems items_;   // of the batch at hand
  std::vector<TargetDocument> documents_;
  std::vector<std::string> paths_;  // of documents_
  std::size_t batch_bytes_ = 0;
  SyncProgress progress_;
  std::size_t read_ = 0, unchanged_ = 0, resumed_ = 0, skipped_ = 0, unreadable_ = 0, refused_ = 0;
  std::vector<std::string> named_;
};

}  // namespace

Result<SyncOutcome> run_sync(SyncRunParams params, const os::Deadline& deadline) {
  auto outcome = SyncRun(params, deadline).run();
  // A stop shows itself as an error of whichever call it met.
  if (!outcome.ok() && deadline.stopped()) return SyncOutcome::suspended;
  return outcome;
}

std::string document_id(std::string_view path) {
  return to_base64url(std::string_view(sha256(path)).substr(0, 15));
}

}  // namespace cairn::connectors
