// SPDX-License-Identifier: Apache-2.0
#include "cli/add/upload.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/encode.h"
#include "cli/add/status_line.h"
#include "cli/search/search_request.h"
#include "format/time.h"
#include "os/host.h"

namespace cairn::cli {
namespace {

constexpr std::size_t batch_documents = 128;
constexpr std::size_t batch_bytes = 2u << 20;
constexpr int page_size = 1000;
constexpr int attempts_max = 8;
constexpr std::int64_t first_wait_ms = 250;
constexpr std::int64_t bulk_wait_ms = 300'000;

Error refusal(const Answer& answer) {
  ErrorKind kind = ErrorKind::unavailable;
  if (answer.status == 401 || answer.status == 403) kind = ErrorKind::permission_denied;
  return {.kind = kind, .message = reason_of(answer)};
}

/// What the index has of a file. Its first document is sent last, so that a file of which a cut
/// upload sent a part is sent again.
struct Indexed {
  std::uint64_t size_bytes = 0;
  std::string modified;
  std::vector<std::string> ids;
  bool of_one_time = true;  // all its documents say the same size and date

  bool is_as(const LocalFile& file) const {
    return of_one_time && size_bytes == file.size_bytes &&
           modified == format_iso8601(file.modified_ms) &&
           std::find(ids.begin(), ids.end(), file.first_id) != ids.end();
  }
};
using IndexedFiles = std::map<std::string, Indexed>;  // by path

}  // namespace

class FolderUpload::Upload {
 public:
  Upload(Connection& connection, const UploadParams& params)
      : connection_(connection), params_(params) {}

  Result<UploadResult> run(const os::Deadline& deadline, bool shows_bar) {
    deadline_ = deadline;
    if (shows_bar) line_.emplace();
    auto out = run_once();
    line_.reset();
    if (out.ok()) return out;
    is_known_ = false;
    forget_batch();
    return out;
  }

  /// The one that has the path now. One that is gone would look as if it were empty.
  Result<LocalFolder*> folder() {
    struct stat now {};
    if (::stat(params_.folder.c_str(), &now) != 0 || !S_ISDIR(now.st_mode))
      return Error{.kind = ErrorKind::not_found, .message = params_.folder + " is gone"};
    if (folder_ && (now.st_dev != device_ || now.st_ino != inode_)) {
      folder_.reset();
      is_another_ = true;
    }
    if (!folder_) {
      CAIRN_TRY(folder_, params_.parts.open_folder(params_.folder));
      device_ = now.st_dev;
      inode_ = now.st_ino;
    }
    return folder_.get();
  }
  /// Whether another folder took its place since this was asked last.
  bool is_another() { return std::exchange(is_another_, false); }
  const LocalFolder* opened() const { return folder_.get(); }

 private:
  Result<UploadResult> run_once() {
    result_ = {};
    CAIRN_TRY(LocalFolder* const folder, this->folder());
    CAIRN_CHECK(make_index());
    if (!is_known_) {
      CAIRN_TRY(indexed_, read_indexed());
      is_known_ = true;
    }
    CAIRN_TRY(const LocalListing listing, folder->list(deadline_));
    result_.files = listing.files.size();
    result_.skipped = listing.skipped;
    result_.problems = listing.problems;
    std::uint64_t all = 0, done = 0, files = 0;
    for (const auto& file : listing.files) all += file.size_bytes;
    for (const auto& file : listing.files) {
      CAIRN_CHECK(deadline_.check("sending the folder"));
      CAIRN_CHECK(take(*folder, file));
      done += file.size_bytes;
      ++files;
      if (line_) line_->show(files, listing.files.size(), done, all);
    }
    // Of a folder that could not be listed nothing is known: its documents stay.
    if (listing.problems.empty()) CAIRN_CHECK(remove_vanished(listing));
    CAIRN_CHECK(flush());
    CAIRN_TRY(const Answer shown,
              connection_.ask("POST", index_path({params_.index}, "/_refresh")));
    if (shown.status != 200) return refusal(shown);
    return std::move(result_);
  }

  /// One that is made now is empty, whatever another one held.
  Status make_index() {
    Json mappings = params_.parts.mappings;
    mappings.set(
        "_meta",
        Json::object({{std::string(folder_member), uploaded_folder_name(params_.folder)}}));
    const Json body = Json::object({{"mappings", std::move(mappings)}});
    CAIRN_TRY(const Answer made, connection_.ask("PUT", index_path({params_.index}, ""), &body));
    const Json* type = made.body.find_path("error.type");
    const bool was_there = type != nullptr && *type == Json("resource_already_exists_exception");
    if (made.status == 200) is_known_ = false;
    return made.status == 200 || was_there ? ok_status() : refusal(made);
  }

  Result<IndexedFiles> read_indexed() {
    const Json first = Json::object({{"size", page_size},
                                     {"sort", Json::array({"_doc"})},
                                     {"_source", Json::array({"path", "size", "modified"})}});
    CAIRN_TRY(Answer page,
              connection_.ask("POST", index_path({params_.index}, "/_search?scroll=2m"), &first));
    IndexedFiles out;
    while (true) {
      if (page.status != 200) return refusal(page);
      const Json* hits = page.body.find_path("hits.hits");
      if (hits == nullptr || hits->as_array().empty()) break;
      for (const Json& hit : hits->as_array()) {
        const Json* source = hit.find("_source");
        if (source == nullptr) continue;
        Indexed& file = out[source->string_or("path")];
        const auto size = static_cast<std::uint64_t>(source->int_or("size"));
        const std::string modified = source->string_or("modified");
        if (!file.ids.empty() && (file.size_bytes != size || file.modified != modified))
          file.of_one_time = false;
        file.size_bytes = size;
        file.modified = modified;
        file.ids.push_back(hit.string_or("_id"));
      }
      const Json next =
          Json::object({{"scroll", "2m"}, {"scroll_id", page.body.string_or("_scroll_id")}});
      CAIRN_TRY(page, connection_.ask("POST", "/_search/scroll", &next));
    }
    const Json ended = Json::object({{"scroll_id", page.body.string_or("_scroll_id")}});
    CAIRN_CHECK(connection_.ask("DELETE", "/_search/scroll", &ended));
    return out;
  }

  Status take(LocalFolder& folder, const LocalFile& file) {
    const auto before = indexed_.find(file.path);
    if (before != indexed_.end() && before->second.is_as(file)) {
      ++result_.unchanged;
      return ok_status();
    }
    if (const auto bad = unreadable_.find(file.path);
        bad != unreadable_.end() && bad->second == version_of(file))
      return ok_status();
    const auto documents = folder.read(file, deadline_);
    if (!documents.ok()) {
      CAIRN_CHECK(deadline_.check("reading a file"));
      result_.problems.push_back(documents.error().message);
      unreadable_[file.path] = version_of(file);
      return ok_status();
    }
    unreadable_.erase(file.path);
    std::set<std::string> ids;
    for (const auto& document : *documents) ids.insert(document.id);
    if (before != indexed_.end())
      for (const auto& id : before->second.ids)
        if (ids.count(id) == 0) CAIRN_CHECK(remove(id, file.path));
    for (std::size_t i = 1; i < documents->size(); ++i) CAIRN_CHECK(add((*documents)[i], file));
    if (documents->size() > 1) CAIRN_CHECK(flush());  // before the first one, which says: it is all
    Indexed& now = indexed_[file.path];
    now = {.size_bytes = file.size_bytes,
           .modified = format_iso8601(file.modified_ms),
           .ids = {ids.begin(), ids.end()}};
    return documents->empty() ? ok_status() : add(documents->front(), file);
  }

  static std::string version_of(const LocalFile& file) {
    return std::to_string(file.modified_ms) + ":" + std::to_string(file.size_bytes);
  }

  Status add(const LocalDocument& document, const LocalFile& file) {
    add_line(Json::object({{"index", Json::object({{"_id", document.id}})}}), document.source,
             document.part.empty() ? file.path : file.path + ": " + document.part);
    return count_ >= batch_documents || body_.size() >= batch_bytes ? flush() : ok_status();
  }

  Status remove(const std::string& id, const std::string& path) {
    ++result_.removed;
    add_line(Json::object({{"delete", Json::object({{"_id", id}})}}), {}, path);
    return count_ >= batch_documents ? flush() : ok_status();
  }

  Status remove_vanished(const LocalListing& listing) {
    for (auto one = indexed_.begin(); one != indexed_.end();) {
      const std::string& path = one->first;
      const auto at = std::lower_bound(
          listing.files.begin(), listing.files.end(), path,
          [](const LocalFile& one, const std::string& wanted) { return one.path < wanted; });
      if (at != listing.files.end() && at->path == path) {
        ++one;
        continue;
      }
      for (const auto& id : one->second.ids) CAIRN_CHECK(remove(id, path));
      one = indexed_.erase(one);
    }
    return ok_status();
  }

  void forget_batch() {
    lines_.clear();
    body_.clear();
    count_ = 0;
  }

  void add_line(const Json& action, std::string_view source, const std::string& path) {
    body_ += action.dump() + "\n";
    if (!source.empty()) body_ += std::string(source) + "\n";
    lines_.push_back({action, std::string(source), path});
    ++count_;
  }

  /// Sends the batch; documents that the server had no room for at the moment are sent again.
  Status flush() {
    std::int64_t wait_ms = first_wait_ms;
    for (int attempt = 0; !lines_.empty(); ++attempt, wait_ms *= 2) {
      if (attempt == attempts_max)
        return Error{.kind = ErrorKind::unavailable,
                     .message = "the server has no room for documents: " + last_reason_ +
                                "; run the same command later, it goes on where it was"};
      if (attempt > 0) os::sleep_ms(wait_ms, deadline_);
      CAIRN_CHECK(send());
    }
    return ok_status();
  }

  Status send() {
    auto answer = connection_.send("POST", index_path({params_.index}, "/_bulk"), body_,
                                   "application/x-ndjson", bulk_wait_ms);
    if (!answer.ok()) return std::move(answer).error();
    if (answer->status == 429 || answer->status == 503) {
      last_reason_ = reason_of(*answer);
      return ok_status();
    }
    if (answer->status != 200) return refusal(*answer);
    const Json* items = answer->body.find("items");
    if (items == nullptr || items->as_array().size() != lines_.size())
      return Error{.kind = ErrorKind::corrupt, .message = "the answer of _bulk has other items"};
    std::vector<Line> again;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Json& item = items->as_array()[i].as_object().front().second;
      settle(std::move(lines_[i]), item, again);
    }
    forget_batch();
    for (const auto& line : again) add_line(line.action, line.source, line.path);
    return ok_status();
  }

  struct Line {
    Json action;
    std::string source, path;
  };

  void settle(Line line, const Json& item, std::vector<Line>& again) {
    const std::int64_t status = item.int_or("status");
    if (status < 300 || (status == 404 && line.source.empty())) {
      result_.sent += line.source.empty() ? 0 : 1;
      return;
    }
    const Json* reason = item.find_path("error.reason");
    last_reason_ =
        reason != nullptr && reason->is_string() ? reason->as_string() : std::to_string(status);
    if (status == 429 || status == 503)
      again.push_back(std::move(line));
    else
      result_.problems.push_back(line.path + ": " + last_reason_);
  }

  Connection& connection_;
  const UploadParams params_;
  os::Deadline deadline_ = os::Deadline::never();
  std::optional<StatusLine> line_;
  std::unique_ptr<LocalFolder> folder_;
  dev_t device_ = 0;  // of folder_, as the inode
  ino_t inode_ = 0;
  bool is_another_ = false;
  IndexedFiles indexed_;
  bool is_known_ = false;                          // what the index holds
  std::map<std::string, std::string> unreadable_;  // files, with what they were then
  UploadResult result_;
  std::string body_, last_reason_;
  std::vector<Line> lines_;
  std::size_t count_ = 0;
};

std::string uploaded_from(const Json& index_mapping) {
  const Json* meta = index_mapping.find_path("mappings._meta");
  return meta == nullptr ? std::string() : meta->string_or(folder_member);
}

std::string uploaded_folder_name(const std::string& folder) {
  return os::host_name() + ":" + folder;
}

FolderUpload::FolderUpload(Connection& connection, const UploadParams& params)
    : upload_(std::make_unique<Upload>(connection, params)) {}

FolderUpload::~FolderUpload() = default;

Result<UploadResult> FolderUpload::run(const os::Deadline& deadline, bool shows_bar) {
  return upload_->run(deadline, shows_bar);
}

Result<bool> FolderUpload::changed(const os::Deadline& deadline) {
  CAIRN_TRY(LocalFolder* const folder, upload_->folder());
  CAIRN_TRY(const bool changed, folder->changed(deadline));
  return upload_->is_another() || changed;
}

std::string FolderUpload::watch_limit() const {
  return upload_->opened() == nullptr ? std::string() : upload_->opened()->watch_limit();
}

}  // namespace cairn::cli
