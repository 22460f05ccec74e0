// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/git/git.h"

#include <utility>

#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"
#include "connectors/sources/git/git_repository.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t git_file_bytes_default = 10 << 20;
constexpr std::int64_t git_file_bytes_max = 1 << 30;
constexpr std::size_t git_page_items = 1000;
constexpr const char* commit_prefix = "commit:";

struct GitValues {
  GitPlace place = {};
  bool files = true;
  std::vector<std::string> paths = {};
  std::size_t file_bytes_max = 0;
};

SourceItem commit_item(GitCommit commit) {
  SourceItem item{.path = commit_prefix + commit.id,
                  .version = commit.id,
                  .size_bytes = commit.message.size(),
                  .modified_ms = commit.time_s * 1000};
  item.content = SourceContent{.content_hash = commit.id, .documents = {}};
  item.content->documents.push_back(
      {.title = std::move(commit.subject),
       .body = std::move(commit.message),
       .fields = Json::object({{"commit", commit.id}, {"author", commit.author}})});
  return item;
}

/// Programs one after another: of files or changes, of commits, of commits that are gone.
class GitWalk final : public Walk {
 public:
  GitWalk(GitRepository& repository, const GitValues& values, std::string from, std::string to)
      : repository_(repository), values_(values), from_(std::move(from)), to_(std::move(to)) {}

  Result<SourcePage> next(const os::Deadline& deadline) override {
    SourcePage page;
    while (page.items.size() + page.removed.size() < git_page_items && stage_ != Stage::end) {
      if (!child_) CAIRN_CHECK(start());
      if (!child_) {
        stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
        continue;
      }
      CAIRN_CHECK(take_fields(page));
      if (page.items.size() + page.removed.size() >= git_page_items) break;
      CAIRN_TRY(const std::string piece, child_->read(deadline));
      if (!piece.empty()) {
        fields_.add(piece);
        continue;
      }
      CAIRN_CHECK(child_->finish(deadline));
      child_.reset();
      fields_ = NulFields();
      record_.clear();
      stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
    }
    page.last = stage_ == Stage::end;
    return page;
  }
  bool is_whole() const override { return from_.empty(); }
  std::string cursor() const override { return to_; }

 private:
  enum class Stage { files, commits, lost_commits, end };

  /// No child where the stage has nothing to do.
  Status start() {
    if (stage_ == Stage::files && values_.files) {
      CAIRN_TRY(child_, from_.empty() ? repository_.files(to_, values_.paths)
                                      : repository_.changes(from_, to_, values_.paths));
    } else if (stage_ == Stage::commits && values_.place.history) {
      CAIRN_TRY(child_, repository_.commits(from_, to_, values_.paths));
    } else if (stage_ == Stage::lost_commits && values_.place.history && !from_.empty()) {
      CAIRN_TRY(child_, repository_.commits(to_, from_, values_.paths));
    }
    if (child_) child_->close_input();
    return ok_status();
  }

  std::size_t fields_of_a_record() const {
    if (stage_ != Stage::files) return 5;
    return from_.empty() ? 1 : 2;
  }

  Status take_fields(SourcePage& page) {
    while (page.items.size() + page.removed.size() < git_page_items) {
      auto field = fields_.next();
      if (!field) return ok_status();
      record_.push_back(std::move(*field));
      if (record_.size() < fields_of_a_record()) continue;
      CAIRN_CHECK(take_record(page));
      record_.clear();
    }
    return ok_status();
  }

  Status take_record(SourcePage& page) {
    if (stage_ == Stage::files) {
      CAIRN_TRY(GitEntry entry, from_.empty() ? read_tree_entry(record_[0])
                                              : read_diff_entry(record_[0], record_[1]));
      take_entry(std::move(entry), page);
      return ok_status();
    }
    CAIRN_TRY(GitCommit commit, read_commit(record_));
    if (stage_ == Stage::lost_commits) {
      page.removed.push_back(commit_prefix + commit.id);
    } else {
      page.items.push_back(commit_item(std::move(commit)));
    }
    return ok_status();
  }

  void take_entry(GitEntry entry, SourcePage& page) const {
    const bool is_text = entry.is_file && may_hold_text(entry.path);
    if (!from_.empty() && !is_text) {
      // It may have been a text before.
      page.removed.push_back(std::move(entry.path));
    } else if (!is_text) {
      ++page.skipped;
      std::string why = entry.is_file ? "it is " + std::string(why_skipped(entry.path))
                                      : "it is a link or another repository";
      page.left_out.push_back({std::move(entry.path), std::move(why)});
    } else {
      page.items.push_back({.path = std::move(entry.path),
                            .version = std::move(entry.blob),
                            .size_bytes = entry.size_bytes});
    }
  }

  GitRepository& repository_;
  const GitValues& values_;
  const std::string from_, to_;  // from_ is empty: everything
  Stage stage_ = Stage::files;
  std::unique_ptr<PipedProgram> child_;
  NulFields fields_;
  std::vector<std::string> record_;
};

class Git final : public Source {
 public:
  Git(GitValues values, std::string work_folder, Outreach outreach)
      : values_(std::move(values)),
        work_folder_(std::move(work_folder)),
        outreach_(std::move(outreach)) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor,
                                     const os::Deadline& deadline) override {
    CAIRN_CHECK(open(deadline));
    CAIRN_TRY(std::string commit,
              repository_->update([this] { return beat("fetching the repository"); }, deadline));
    std::string from;
    if (!cursor.empty() && repository_->has_commit(cursor, deadline)) from = cursor;
    return std::unique_ptr<Walk>(
        std::make_unique<GitWalk>(*repository_, values_, std::move(from), std::move(commit)));
  }

  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline& deadline) override {
    auto bytes = repository_->blob(item.version, values_.file_bytes_max, deadline);
    if (!bytes.ok()) return with_context(std::move(bytes).error(), item.path);
    return give_file(item.path, *std::move(bytes), values_.file_bytes_max, sink);
  }

  Result<Json> check(const os::Deadline& deadline) override {
    CAIRN_CHECK(open(deadline));
    CAIRN_TRY(const std::string commit, repository_->last_commit(deadline));
    return Json::object({{"commit", commit}});
  }

 private:
  Status open(const os::Deadline& deadline) {
    if (repository_) return ok_status();
    CAIRN_TRY(repository_, GitRepository::open(values_.place, work_folder_, outreach_, deadline));
    return ok_status();
  }

  const GitValues values_;
  const std::string work_folder_;
  const Outreach outreach_;
  std::unique_ptr<GitRepository> repository_;
};

/// git-check-ref-format(1), as far as a name could be taken for something else.
bool is_branch_name(const std::string& name) {
  if (name.starts_with('-') || name.starts_with('/') || name.ends_with('/') ||
      name.find("..") != std::string::npos || name.find("@{") != std::string::npos ||
      name.find("//") != std::string::npos)
    return false;
  for (const char c : name)
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f ||
        std::string_view("~^:?*[\\+").find(c) != std::string_view::npos)
      return false;
  return true;
}

class GitType final : public SourceType {
 public:
  explicit GitType(GitParams params) : params_(std::move(params)) {}

  Json configuration_schema() const override {
    return Json::object(
        {{"repository",
          configuration_entry(
              {.label = "Repository",
               .tooltip = "A folder beneath one of connectors.directory.roots, or an https:// URL",
               .order = 1,
               .required = true})},
         {"branch",
          configuration_entry(
              {.label = "Branch or tag", .tooltip = "Empty: the one that HEAD names", .order = 2})},
         {"files", configuration_entry({.label = "Files",
                                        .type = "bool",
                                        .tooltip = "A document for each file",
                                        .value = true,
                                        .order = 3})},
         {"history", configuration_entry({.label = "History",
                                          .type = "bool",
                                          .tooltip = "A document for the message of each commit",
                                          .value = false,
                                          .order = 4})},
         {"paths", configuration_entry({.label = "Files and folders",
                                        .type = "list",
                                        .tooltip = "Only these; empty: all",
                                        .order = 5})},
         {"max_file_size",
          configuration_entry({.label = "Largest file in bytes",
                               .type = "int",
                               .tooltip = "Larger files are counted and named, not read",
                               .value = git_file_bytes_default,
                               .order = 6})},
         {"user", configuration_entry({.label = "User name for the URL", .order = 7})},
         {"token", configuration_entry(
                       {.label = "Token or password for the URL", .order = 8, .sensitive = true})},
         {std::string(error_budget_field), error_budget_entry(9)}});
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(values_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(GitValues values, values_of(configuration));
    return std::unique_ptr<Source>(
        std::make_unique<Git>(std::move(values), params_.work_folder, params_.outreach));
  }

 private:
  Result<GitValues> values_of(const Json& configuration) const {
    GitValues out;
    CAIRN_TRY(const std::string repository,
              required_text(configuration, "repository", "a folder or a URL"));
    if (repository.starts_with('/')) {
      CAIRN_TRY(out.place.folder, place_beneath(params_.roots->get(), "repository", repository));
    } else {
      CAIRN_CHECK(params_.outreach.check_url("repository", repository));
      out.place.url = repository;
    }
    CAIRN_TRY(out.place.branch, configured_text(configuration, "branch"));
    if (!is_branch_name(out.place.branch))
      return invalid("[branch] cannot be the name of a branch or tag");
    CAIRN_TRY(out.files, configured_flag(configuration, "files", true));
    CAIRN_TRY(out.place.history, configured_flag(configuration, "history", false));
    if (!out.files && !out.place.history)
      return invalid("one of [files] and [history] must be true");
    CAIRN_TRY(out.paths, configured_list(configuration, "paths"));
    CAIRN_TRY(const std::int64_t largest,
              configured_number(configuration, "max_file_size", git_file_bytes_default, 1,
                                git_file_bytes_max));
    out.file_bytes_max = static_cast<std::size_t>(largest);
    CAIRN_TRY(out.place.user, configured_text(configuration, "user"));
    CAIRN_TRY(out.place.token, configured_text(configuration, "token"));
    return out;
  }

  const GitParams params_;
};

}  // namespace

std::unique_ptr<const SourceType> git_source(GitParams params) {
  return std::make_unique<GitType>(std::move(params));
}

}  // namespace cairn::connectors
