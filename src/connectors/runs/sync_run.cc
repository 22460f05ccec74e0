// SPDX-License-Identifier: Apache-2.0
#include "connectors/runs/sync_run.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/strings.h"
#include "connectors/runs/path_cover.h"
#include "connectors/source_document.h"
#include "os/log.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t named_files_max = 20;
constexpr int write_attempts_max = 6;
constexpr std::int64_t first_wait_ms = 100;
constexpr std::size_t walks_over_changes_max = 31;  // between two walks over everything
constexpr std::size_t told_walks_max = 128;         // likewise, of items that somebody named

class SyncRun final : public Pulse {
 public:
  SyncRun(SyncRunParams& params, const os::Deadline& deadline)
      : params_(params), deadline_(deadline) {
    params_.source.set_pulse(this);
  }
  ~SyncRun() override { params_.source.set_pulse(nullptr); }
  SyncRun(const SyncRun&) = delete;
  SyncRun& operator=(const SyncRun&) = delete;

  Status beat(std::string_view doing) override {
    if (doing == doing_ && !next_report_.passed()) return ok_status();
    doing_ = doing;
    CAIRN_CHECK(report());
    if (!canceled_) return ok_status();
    return Error{.kind = ErrorKind::cancelled, .message = "the sync job was cancelled"};
  }

  Result<SyncOutcome> run() {
    auto outcome = run_to_the_end();
    // What was in the way of a run that failed is told too.
    if (!outcome.ok() && !canceled_ && !deadline_.stopped()) (void)problem_log_.finish(deadline_);
    return !outcome.ok() && canceled_ ? SyncOutcome::canceled : std::move(outcome);
  }

 private:
  Result<SyncOutcome> run_to_the_end() {
    CAIRN_TRY(identity_, params_.target.identity(params_.index, params_.wanted, deadline_));
    CAIRN_TRY(const FinishedRun last, load());
    if (params_.incremental) CAIRN_CHECK(load_known_problems());
    CAIRN_TRY(const auto walk, begin_walk(last));
    CAIRN_CHECK(go_on(*walk));
    CAIRN_TRY(const SyncOutcome outcome, take_all(*walk));
    if (outcome != SyncOutcome::completed) return outcome;
    if (!walk->is_whole()) CAIRN_CHECK(keep_other_problems());
    if (walk->is_whole()) CAIRN_CHECK(remove_vanished());
    CAIRN_CHECK(flush());
    if (canceled_) return SyncOutcome::canceled;
    CAIRN_CHECK(params_.target.refresh(params_.index, deadline_));
    CAIRN_CHECK(report());
    CAIRN_CHECK(params_.state.finish(identity_, walk->is_whole(),
                                     of_told_ ? last.cursor : marked(walk->cursor()), deadline_));
    CAIRN_CHECK(problem_log_.finish(deadline_));
    return SyncOutcome::completed;
  }

  /// Over the items that somebody named, where a run before knows the others; else over what
  /// changed, or everything.
  Result<std::unique_ptr<Walk>> begin_walk(const FinishedRun& last) {
    if (!params_.told.empty() && last.is_there && last.walks_over_changes < told_walks_max) {
      CAIRN_TRY(auto walk, params_.source.walk_told(params_.told, deadline_));
      of_told_ = walk != nullptr;
      if (of_told_) return walk;
    }
    cursor_ = cursor_after(last);
    return params_.source.walk(cursor_, deadline_);
  }

  /// An item whose documents are on their way.
  struct Pending {
    SyncedRow row;
    bool refused = false;  // one of its documents was
    bool open = false;     // more of them come
  };

  /// Whose a document is.
  struct Owner {
    std::size_t item = 0;  // in pending_
    std::string part;      // which of its documents, for people
  };

  class Sink final : public DocumentSink {
   public:
    Sink(SyncRun& run, const SourceItem& item) : run_(run), item_(item) {}
    bool wants(const std::string& content_hash) override {
      wanted_ = run_.begin_item(item_, content_hash);
      return wanted_;
    }
    Status add(SourceDocument document) override {
      auto added = run_.add_document(item_, document);
      if (!added.ok()) fault_ = added.error();
      return added;
    }
    Result<ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                  std::string_view charset) override {
      return run_.params_.extractor.extract(name, bytes, {run_.params_.rows, std::string(charset)},
                                            run_.deadline_);
    }
    bool wanted() const { return wanted_; }
    const std::optional<Error>& fault() const { return fault_; }

   private:
    SyncRun& run_;
    const SourceItem& item_;
    bool wanted_ = false;
    std::optional<Error> fault_;
  };

  // Figures come from what was recorded as done, so a crash never counts a document twice.
  Result<FinishedRun> load() {
    const auto into = [](SyncedTable& table) {
      return [&table](SyncedRow&& row) {
        table.add(row.path, row.item);
        return ok_status();
      };
    };
    CAIRN_TRY(FinishedRun last, params_.state.finished(identity_, into(before_), deadline_));
    CAIRN_CHECK(params_.state.done(identity_, into(done_), deadline_));
    before_.settle();
    done_.settle();
    done_.for_each([&](const SyncedItem& item) {
      if (!item.indexed) return;
      progress_.indexed_document_count += item.documents;
      progress_.indexed_bytes += static_cast<std::int64_t>(item.bytes);
    });
    return last;
  }

  /// A cursor is good for the configuration that it was made with.
  std::string marked(const std::string& cursor) const {
    return cursor.empty() ? cursor : params_.configuration_mark + ":" + cursor;
  }

  /// Empty: over everything.
  std::string cursor_after(const FinishedRun& last) const {
    const std::string mark = params_.configuration_mark + ":";
    if (!params_.incremental || last.walks_over_changes >= walks_over_changes_max ||
        !last.cursor.starts_with(mark))
      return {};
    return last.cursor.substr(mark.size());
  }

  /// Where a run of this job was cut off.
  Status go_on(Walk& walk) {
    CAIRN_TRY(const std::string place, params_.state.place(identity_, cursor_, deadline_));
    if (place.empty()) return ok_status();
    walk.resume_at(place, [this](const SourceItem& item) {
      const SyncedItem* done = done_.find(item.path);
      return done != nullptr && done->version == fingerprint(item.version);
    });
    return ok_status();
  }

  /// What the walk gave is recorded first. A long place is kept less often: writing it costs.
  Status keep_place(const Walk& walk) {
    const std::string place = walk.place();
    next_place_ = os::Deadline::in_ms(params_.options.place_ms +
                                      static_cast<std::int64_t>(place.size() / 100));
    if (place.empty()) return ok_status();
    CAIRN_CHECK(flush());
    return params_.state.keep_place(identity_, cursor_, place, deadline_);
  }

  Result<SyncOutcome> take_all(Walk& walk) {
    for (bool first = true;; first = false) {
      CAIRN_TRY(SourcePage page, walk.next(deadline_));
      doing_.clear();
      items_ += page.items.size();
      progress_.total_document_count =
          static_cast<std::int64_t>(std::max<std::uint64_t>(page.total, items_));
      skipped_ += page.skipped - std::min(page.skipped, page.left_out.size());
      for (auto& item : page.left_out)
        CAIRN_CHECK(note({.path = std::move(item.path),
                          .kind = ProblemKind::skipped,
                          .reason = std::move(item.reason)}));
      for (const auto& item : page.items) item_bytes_ += item.size_bytes;
      bytes_found_ = std::max(page.total_bytes, item_bytes_);
      for (auto& item : page.unreadable) {
        CAIRN_CHECK(note({.path = item.path, .reason = std::move(item.reason)}));
        staying_.add(std::move(item.path));
      }
      for (auto& folder : page.kept) staying_.add(std::move(folder));
      if (first) CAIRN_CHECK(report());
      for (SourceItem& item : page.items) {
        if (canceled_) return SyncOutcome::canceled;
        if (deadline_.passed()) return SyncOutcome::suspended;
        CAIRN_CHECK(take(item));
        ++looked_at_;
        bytes_looked_at_ += item.size_bytes;
        if (batch_is_full()) CAIRN_CHECK(flush());
        if (next_report_.passed()) CAIRN_CHECK(report());
      }
      for (const std::string& path : page.removed) CAIRN_CHECK(take_removed(path));
      if (page.last) break;
      if (next_place_.passed()) CAIRN_CHECK(keep_place(walk));
      // Pages may have no item at all.
      if (next_report_.passed()) CAIRN_CHECK(report());
      if (canceled_) return SyncOutcome::canceled;
    }
    CAIRN_CHECK(flush());
    return canceled_ ? SyncOutcome::canceled : SyncOutcome::completed;
  }

  Status take(SourceItem& item) {
    before_.mark(item.path);
    done_.mark(item.path);
    const std::uint64_t version = fingerprint(item.version);
    const SyncedItem* done = done_.find(item.path);
    if (done != nullptr && version != 0 && done->version == version) {
      ++resumed_;
      return ok_status();
    }
    const SyncedItem* old = before_.find(item.path);
    if (params_.incremental && old != nullptr && version != 0 && old->version == version) {
      ++unchanged_;
      keep(item.path, *old);
      return ok_status();
    }
    if (const Problem* known = known_problem(item.path, version); known && !item.content) {
      ++unchanged_;
      if (old != nullptr) keep(item.path, *old);
      return note(*known);
    }
    if (!item.content) ++read_;
    Sink sink(*this, item);
    const Status given =
        item.content ? give(*item.content, sink) : params_.source.read(item, sink, deadline_);
    if (sink.fault()) return *sink.fault();
    if (sink.wanted()) end_item(given.ok(), old);
    if (given.ok()) return ok_status();
    // A stop shows itself as an error of whichever call it met.
    CAIRN_CHECK(deadline_.check("reading an item"));
    if (!sink.wanted() && old != nullptr) keep(item.path, *old);
    return note_fault(item.path, version, given.error());
  }

  Status give(SourceContent& content, Sink& sink) {
    if (!sink.wants(content.content_hash)) return ok_status();
    for (auto& document : content.documents) CAIRN_CHECK(sink.add(std::move(document)));
    return ok_status();
  }

  /// False where the index has this content already, for the same readers.
  bool begin_item(const SourceItem& item, const std::string& content_hash) {
    const std::uint64_t content =
        fingerprint(item.readers ? content_hash + '\0' + join(*item.readers, ",") : content_hash);
    const SyncedItem* done = done_.find(item.path);
    if (done != nullptr && content != 0 && done->content == content) {
      ++resumed_;
      return false;
    }
    const SyncedItem* old = before_.find(item.path);
    const std::uint64_t version = fingerprint(item.version);
    if (params_.incremental && old != nullptr && content != 0 && old->content == content) {
      ++unchanged_;
      SyncedItem kept = *old;
      kept.version = version;
      keep(item.path, kept);
      return false;
    }
    pending_.push_back({.row = {.path = item.path,
                                .item = {.version = version, .content = content, .indexed = true}},
                        .open = true});
    return true;
  }

  Status add_document(const SourceItem& item, const SourceDocument& document) {
    SyncedItem& row = pending_.back().row.item;
    std::string json = document_json(item, document);
    if (!params_.rules.take_everything()) {
      const auto read = parse_json(json);
      if (read.ok() && !params_.rules.take(*read)) {
        ++left_out_;
        return ok_status();
      }
    }
    batch_bytes_ += json.size();
    row.bytes += json.size();
    documents_.push_back({document_id(params_.source, item.path, row.documents++), std::move(json),
                          document.routing});
    owners_.push_back({pending_.size() - 1, document.part});
    if (!batch_is_full()) return ok_status();
    CAIRN_CHECK(flush());
    if (!canceled_) return ok_status();
    return Error{.kind = ErrorKind::cancelled, .message = "the sync job was cancelled"};
  }

  /// An item that broke off keeps what it had, and is read again by the next run.
  void end_item(bool complete, const SyncedItem* old) {
    Pending& item = pending_.back();
    item.open = false;
    const SyncedItem* done = done_.find(item.row.path);
    const std::uint32_t had =
        std::max(old == nullptr ? 0 : old->documents, done == nullptr ? 0 : done->documents);
    if (!complete) {
      item.refused = true;
      item.row.item.documents = std::max(item.row.item.documents, had);
      return;
    }
    remove_documents(item.row.path, item.row.item.documents, had);
  }

  void keep(const std::string& path, SyncedItem item) {
    item.indexed = false;
    item.bytes = 0;
    pending_.push_back({.row = {.path = path, .item = item}});
  }

  Status take_removed(const std::string& path) {
    visited_problems_.insert(path);
    const SyncedItem* old = before_.find(path);
    const SyncedItem* done = done_.find(path);
    const std::uint32_t had =
        std::max(old == nullptr ? 0 : old->documents, done == nullptr ? 0 : done->documents);
    if (had == 0) return ok_status();
    remove_documents(path, 0, had);
    pending_.push_back({.row = {.path = path, .item = {}}});
    return batch_is_full() ? flush() : ok_status();
  }

  void remove_documents(const std::string& path, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t n = from; n < to; ++n)
      vanished_.push_back(document_id(params_.source, path, n));
  }

  bool batch_is_full() const {
    return documents_.size() >= params_.options.batch_documents ||
           batch_bytes_ >= params_.options.batch_bytes ||
           pending_.size() >= 8 * params_.options.batch_documents ||
           vanished_.size() >= 8 * params_.options.batch_documents;
  }

  /// Documents, then what of them is too many, then the record of both: a cut between two of these
  /// does them again.
  Status flush() {
    if (!documents_.empty()) CAIRN_CHECK(write_documents());
    CAIRN_CHECK(remove_from_index());
    std::vector<SyncedRow> rows;
    std::vector<Pending> open;
    for (Pending& item : pending_) {
      if (item.open) {
        open.push_back(std::move(item));
        continue;
      }
      if (item.refused) item.row.item.version = item.row.item.content = 0;
      rows.push_back(std::move(item.row));
    }
    if (!rows.empty()) CAIRN_CHECK(params_.state.append(identity_, rows, deadline_));
    pending_ = std::move(open);
    documents_.clear();
    owners_.clear();
    batch_bytes_ = 0;
    return report();
  }

  Status remove_from_index() {
    const std::size_t step = params_.options.batch_documents;
    for (std::size_t i = 0; i < vanished_.size(); i += step) {
      const std::span<const std::string> some(vanished_.data() + i,
                                              std::min(step, vanished_.size() - i));
      CAIRN_CHECK(params_.target.remove(params_.index, some, deadline_));
      progress_.deleted_document_count += static_cast<std::int64_t>(some.size());
    }
    vanished_.clear();
    return ok_status();
  }

  Status write_documents() {
    std::int64_t wait_ms = first_wait_ms;
    for (int attempt = 0; !documents_.empty(); ++attempt, wait_ms *= 2) {
      if (attempt > 0 && !os::sleep_ms(wait_ms, deadline_)) return deadline_.check("writing");
      CAIRN_TRY(const auto results, params_.target.write(params_.index, documents_, deadline_));
      std::optional<Error> passing;
      std::vector<TargetDocument> again;
      std::vector<Owner> again_owners;
      for (std::size_t i = 0; i < documents_.size(); ++i) {
        const Error* error = i < results.size() && results[i] ? &*results[i] : nullptr;
        if (error != nullptr && passes(*error)) {
          passing = *error;
          again.push_back(std::move(documents_[i]));
          again_owners.push_back(std::move(owners_[i]));
        } else {
          CAIRN_CHECK(settle(i, error));
        }
      }
      documents_ = std::move(again);
      owners_ = std::move(again_owners);
      if (passing && attempt + 1 == write_attempts_max) return *passing;
    }
    return ok_status();
  }

  /// Errors of the moment: the same document may be taken a little later.
  static bool passes(const Error& error) {
    return error.kind == ErrorKind::rate_limited || error.kind == ErrorKind::unavailable ||
           error.kind == ErrorKind::timeout || error.kind == ErrorKind::storage_full;
  }

  Status settle(std::size_t i, const Error* error) {
    Pending& item = pending_[owners_[i].item];
    if (error == nullptr) {
      ++progress_.indexed_document_count;
      progress_.indexed_bytes += static_cast<std::int64_t>(documents_[i].source.size());
      return ok_status();
    }
    const std::string& part = owners_[i].part;
    const std::string reason =
        item.row.path + ": " + (part.empty() ? part : part + ": ") + error->message;
    CAIRN_CHECK(note({.path = item.row.path, .kind = ProblemKind::refused, .reason = reason}));
    return std::exchange(item.refused, true) ? ok_status() : note_failed(reason);
  }

  /// What lies in a folder that cannot be read now keeps its documents.
  bool may_be_there(std::string_view path) const { return staying_.covers(path); }

  Status remove_vanished() {
    if (before_.unmarked() > 0) {
      CAIRN_CHECK(params_.state.finished(
          identity_,
          [&](SyncedRow&& row) -> Status {
            const SyncedItem* item = before_.find(row.path);
            if (item == nullptr || !before_.mark(row.path)) return ok_status();
            if (!may_be_there(row.path)) {
              remove_documents(row.path, 0, item->documents);
            } else if (done_.find(row.path) == nullptr) {
              keep(row.path, *item);
            }
            return batch_is_full() ? flush() : ok_status();
          },
          deadline_));
    }
    if (done_.unmarked() == 0) return ok_status();
    std::vector<std::string> gone;  // of a walk that a crash cut off
    CAIRN_CHECK(params_.state.done(
        identity_,
        [&](SyncedRow&& row) -> Status {
          if (done_.mark(row.path) && !may_be_there(row.path)) gone.push_back(std::move(row.path));
          return ok_status();
        },
        deadline_));
    for (const std::string& path : gone) CAIRN_CHECK(take_removed(path));
    return ok_status();
  }

  /// What cannot be read because of what it is says so each time, until it is another version.
  Status note_fault(const std::string& path, std::uint64_t version, const Error& error) {
    const bool skipped = error.kind == ErrorKind::unsupported;
    const bool settled = error.code.empty() && (skipped || error.kind == ErrorKind::too_large ||
                                                error.kind == ErrorKind::invalid_argument);
    CAIRN_CHECK(note({.path = path,
                      .kind = skipped ? ProblemKind::skipped : ProblemKind::unreadable,
                      .reason = error.message,
                      .version = settled ? version : 0}));
    const bool by_nature = skipped || error.kind == ErrorKind::too_large;
    return by_nature ? ok_status() : note_failed(error.message);
  }

  /// Counts it, names it, and keeps it for who asks.
  Status note(Problem problem) {
    ++(problem.kind == ProblemKind::skipped      ? skipped_
       : problem.kind == ProblemKind::unreadable ? unreadable_
                                                 : refused_);
    const std::string prefix = problem.path + ": ";
    if (problem.reason.starts_with(prefix)) problem.reason.erase(0, prefix.size());
    if (problem.kind != ProblemKind::skipped || problem.version != 0) name_file(problem);
    return problem_log_.add(std::move(problem), deadline_);
  }

  void name_file(const Problem& problem) {
    if (named_.size() >= named_files_max) return;
    const bool told = problem.reason.find(problem.path) != std::string::npos;
    named_.push_back(told ? problem.reason : problem.path + ": " + problem.reason);
    os::log(os::LogLevel::info, "connectors", "an item was not read",
            {{"job", params_.job_id}, {"path", problem.path}, {"reason", problem.reason}});
  }

  Status load_known_problems() {
    CAIRN_TRY(auto earlier, problem_log_.earlier(deadline_));
    for (Problem& one : earlier) {
      std::string path = one.path;
      known_problems_[std::move(path)] = std::move(one);
    }
    return ok_status();
  }

  const Problem* known_problem(const std::string& path, std::uint64_t version) {
    const auto found = known_problems_.find(path);
    if (found == known_problems_.end()) return nullptr;
    visited_problems_.insert(path);
    return version != 0 && found->second.version == version ? &found->second : nullptr;
  }

  /// A walk over changes does not come to what had not changed.
  Status keep_other_problems() {
    for (const auto& [path, problem] : known_problems_)
      if (visited_problems_.count(path) == 0) CAIRN_CHECK(note(problem));
    return ok_status();
  }

  /// Errors: unavailable where that was one too many.
  Status note_failed(const std::string& reason) {
    if (static_cast<std::int64_t>(++failed_) <= params_.error_budget) return ok_status();
    return Error{.kind = ErrorKind::unavailable,
                 .message = std::to_string(failed_) + " items failed, and [error_budget] is " +
                            std::to_string(params_.error_budget) + ". The last one: " + reason};
  }

  Status report() {
    const auto number = [](std::size_t n) { return Json(static_cast<std::int64_t>(n)); };
    progress_.metadata = Json::object({{"files_looked_at", number(looked_at_)},
                                       {"bytes_found", number(bytes_found_)},
                                       {"bytes_looked_at", number(bytes_looked_at_)},
                                       {"files_read", number(read_)},
                                       {"files_unchanged", number(unchanged_)},
                                       {"files_resumed", number(resumed_)},
                                       {"files_skipped", number(skipped_)},
                                       {"files_unreadable", number(unreadable_)},
                                       {"documents_refused", number(refused_)},
                                       {"documents_left_out", number(left_out_)},
                                       {"problems", Json::array_of(named_)}});
    if (!doing_.empty()) progress_.metadata.set("doing", doing_);
    CAIRN_TRY(const std::string status, params_.jobs.report(params_.job_id, progress_, deadline_));
    canceled_ = status != "in_progress";
    next_report_ = os::Deadline::in_ms(params_.options.silence_ms);
    return ok_status();
  }

  SyncRunParams& params_;
  const os::Deadline& deadline_;
  std::string identity_;
  std::string cursor_;            // after which the walk goes; empty: over everything
  bool of_told_ = false;          // the walk is over items that somebody named
  SyncedTable before_;            // of the runs that count
  SyncedTable done_;              // of this job, durable
  std::vector<Pending> pending_;  // of the batch at hand
  std::vector<TargetDocument> documents_;
  std::vector<Owner> owners_;          // of documents_
  std::vector<std::string> vanished_;  // ids to remove
  std::size_t batch_bytes_ = 0;
  PathCover staying_;  // what cannot be read now, and what the source keeps
  bool canceled_ = false;
  os::Deadline next_report_ = os::Deadline::in_ms(params_.options.silence_ms);
  os::Deadline next_place_ = os::Deadline::in_ms(params_.options.place_ms);
  SyncProgress progress_;
  std::string doing_;  // what the source said last
  std::uint64_t items_ = 0, looked_at_ = 0;
  std::uint64_t item_bytes_ = 0, bytes_looked_at_ = 0;  // of items, as the walk says
  std::uint64_t bytes_found_ = 0;                       // of all items, as far as the walk knows
  std::size_t read_ = 0, unchanged_ = 0, resumed_ = 0, skipped_ = 0, unreadable_ = 0, refused_ = 0;
  std::size_t failed_ = 0, left_out_ = 0;
  std::vector<std::string> named_;
  ProblemLog problem_log_ = params_.state.problem_log();
  std::map<std::string, Problem> known_problems_;  // of the last run that ended
  std::set<std::string> visited_problems_;         // of those, that this run came to
};

}  // namespace

Result<SyncOutcome> run_sync(SyncRunParams params, const os::Deadline& deadline) {
  auto outcome = SyncRun(params, deadline).run();
  // A stop shows itself as an error of whichever call it met.
  if (!outcome.ok() && deadline.stopped()) return SyncOutcome::suspended;
  return outcome;
}

}  // namespace cairn::connectors
