// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/code_hosting/code_hosting.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"
#include "connectors/sources/code_hosting/code_hosting_answers.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t hosted_bytes_default = 1 << 20;
constexpr std::int64_t hosted_bytes_most = 100 << 20;  // what the API gives of a file
constexpr std::size_t answer_bytes_most = 256u << 20;
constexpr std::size_t repositories_max = 1000;
// Changes of one moment may be seen one after another.
constexpr std::int64_t overlap_ms = 60'000;

struct HostingValues {
  net::Url url = {};
  std::string prefix = {};  // of targets
  std::string token = {};
  std::vector<std::string> repositories = {};
  HostedChoice choice = {};
  std::string branch = {};
  std::size_t file_bytes_max = 0;
};

/// One kind of things of one repository.
struct HostedPart {
  std::string repository;
  HostedKind kind;
  std::string name() const { return repository + " " + std::string(name_of(kind)); }
};

std::vector<HostedPart> parts_of(const HostingValues& values) {
  std::vector<HostedPart> out;
  for (const auto& repository : values.repositories) {
    if (values.choice.issues || values.choice.pull_requests)
      out.push_back({repository, HostedKind::issues});
    if (values.choice.comments) {
      out.push_back({repository, HostedKind::comments});
      out.push_back({repository, HostedKind::review_comments});
    }
    if (values.choice.releases) out.push_back({repository, HostedKind::releases});
    if (values.choice.files) out.push_back({repository, HostedKind::files});
  }
  return out;
}

/// Where one part was left: changes since then are asked for, unless the answer is that of `etag`.
struct Mark {
  std::string since = {};
  std::string etag = {};
};

using Marks = std::map<std::string, Mark>;  // by the part's name

Marks read_marks(const std::string& cursor) {
  Marks out;
  const auto json = parse_json(cursor);
  if (!json.ok() || !json->is_object()) return out;
  for (const auto& [name, mark] : json->as_object())
    out[name] = {.since = mark.string_or("since"), .etag = mark.string_or("etag")};
  return out;
}

std::string text_of(const Marks& marks) {
  Json out = Json::object();
  for (const auto& [name, mark] : marks)
    out.set(name, Json::object({{"since", mark.since}, {"etag", mark.etag}}));
  return out.dump();
}

bool tells_updates(HostedKind kind) {
  return kind != HostedKind::releases && kind != HostedKind::files;
}

class HostingWalk final : public Walk {
 public:
  HostingWalk(CodeHostingApi& api, const HostingValues& values, const std::string& cursor)
      : api_(api),
        values_(values),
        is_whole_(cursor.empty()),
        before_(read_marks(cursor)),
        parts_(parts_of(values)) {}

  Result<SourcePage> next(const os::Deadline& deadline) override {
    SourcePage page;
    if (at_ == parts_.size()) {
      page.last = true;
      return page;
    }
    const HostedPart& part = parts_[at_];
    const Mark before = is_whole_ ? Mark{} : before_[part.name()];
    const bool is_first = target_.empty();
    if (is_first) {
      target_ = first_target(part, before.since);
      latest_ = before.since;
    }
    CAIRN_TRY(ApiAnswer answer, api_.get(target_, is_first ? before.etag : "", deadline));
    if (!answer.is_unchanged)
      CAIRN_CHECK(read_hosted_items(part.kind, part.repository, answer.body, values_.choice, page,
                                    latest_));
    if (is_first) {
      after_[part.name()] = answer.is_unchanged ? before : Mark{before.since, answer.etag};
      is_paged_ = !answer.next.empty();
    }
    target_ = std::move(answer.next);
    if (target_.empty()) end_part(part, before);
    page.last = at_ == parts_.size();
    return page;
  }
  bool is_whole() const override { return is_whole_; }
  std::string cursor() const override { return text_of(after_); }

 private:
  std::string first_target(const HostedPart& part, const std::string& since) const {
    const std::string base = values_.prefix + "/repos/" + part.repository;
    const std::string updates = "sort=updated&direction=asc&per_page=100" +
                                (since.empty() ? std::string() : "&since=" + percent_encode(since));
    switch (part.kind) {
      case HostedKind::issues:
        return base + "/issues?state=all&" + updates;
      case HostedKind::comments:
        return base + "/issues/comments?" + updates;
      case HostedKind::review_comments:
        return base + "/pulls/comments?" + updates;
      case HostedKind::releases:
        return base + "/releases?per_page=100";
      case HostedKind::files:
        break;
    }
    return base + "/git/trees/" + percent_encode(values_.branch) + "?recursive=1";
  }

  /// The next walk begins a little before the last update that this one saw. While that stays the
  /// same, so does the question, and the ETag of its answer is good.
  void end_part(const HostedPart& part, const Mark& before) {
    Mark& after = after_[part.name()];
    if (tells_updates(part.kind) && !latest_.empty()) {
      const auto ms = parse_iso8601(latest_);
      std::string since = ms ? format_iso8601(*ms - overlap_ms) : before.since;
      // The service's texts have whole seconds.
      if (since.size() == 24) since = since.substr(0, 19) + "Z";
      // Own margins add up to nothing: an update at or before it moves nothing.
      if (since < before.since) since = before.since;
      if (since != before.since) after = {.since = std::move(since), .etag = {}};
    }
    if (is_paged_) after.etag.clear();  // of the first page alone
    ++at_;
    target_.clear();
    latest_.clear();
  }

  CodeHostingApi& api_;
  const HostingValues& values_;
  const bool is_whole_;
  Marks before_, after_;
  const std::vector<HostedPart> parts_;
  std::size_t at_ = 0;
  std::string target_;  // of the part at hand; empty: not begun
  std::string latest_;
  bool is_paged_ = false;
};

class CodeHosting final : public Source {
 public:
  CodeHosting(HostingValues values, const CodeHostingParams& params)
      : values_(std::move(values)),
        api_({.base = values_.url,
              .token = values_.token,
              .send = params.send ? params.send : own_transport(params.outreach),
              .clock = params.clock,
              .random = params.random,
              .waits = params.waits,
              .beat = [this](std::string_view doing) { return beat(doing); }}) {}

  Result<std::unique_ptr<Walk>> walk(const std::string& cursor, const os::Deadline&) override {
    return std::unique_ptr<Walk>(std::make_unique<HostingWalk>(api_, values_, cursor));
  }

  /// Files alone: everything else comes with the walk.
  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline& deadline) override {
    if (item.size_bytes > values_.file_bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = item.path + " has " + std::to_string(item.size_bytes) +
                              " bytes, more than " + std::to_string(values_.file_bytes_max)};
    const std::string repository = item.path.substr(0, item.path.find("/files/"));
    CAIRN_TRY(const ApiAnswer answer, api_.get(values_.prefix + "/repos/" + repository +
                                                   "/git/blobs/" + percent_encode(item.version),
                                               "", deadline));
    auto bytes = read_hosted_file(answer.body);
    if (!bytes.ok()) return with_context(std::move(bytes).error(), item.path);
    return give_file(item.path, *std::move(bytes), sink);
  }

  Result<Json> check(const os::Deadline& deadline) override {
    Json names = Json::array();
    for (const auto& repository : values_.repositories) {
      CAIRN_TRY(const ApiAnswer answer,
                api_.get(values_.prefix + "/repos/" + repository, "", deadline));
      const auto facts = parse_json(answer.body);
      names.push(facts.ok() ? facts->string_or("full_name", repository) : repository);
    }
    return Json::object({{"repositories", std::move(names)}});
  }

 private:
  static ApiTransport own_transport(const Outreach& outreach) {
    const auto client = std::make_shared<net::Client>(outreach.client_options());
    return [client](const net::ClientRequest& request, const os::Deadline& deadline) {
      return client->send(request, deadline, answer_bytes_most);
    };
  }

  const HostingValues values_;
  CodeHostingApi api_;
};

/// "owner/name", of what such services allow in both.
bool is_repository(std::string_view name) {
  const std::size_t stroke = name.find('/');
  if (stroke == 0 || stroke == std::string_view::npos || stroke + 1 == name.size()) return false;
  if (name.find('/', stroke + 1) != std::string_view::npos) return false;
  if (name.find("..") != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  });
}

class CodeHostingType final : public SourceType {
 public:
  explicit CodeHostingType(CodeHostingParams params) : params_(std::move(params)) {}

  Json configuration_schema() const override {
    const auto flag = [](std::string_view label, bool value, int order) {
      return configuration_entry({.label = label, .type = "bool", .value = value, .order = order});
    };
    return Json::object(
        {{"url", configuration_entry({.label = "URL of the API",
                                      .tooltip = "As https://api.example.com",
                                      .order = 1,
                                      .required = true})},
         {"repositories", configuration_entry({.label = "Repositories",
                                               .type = "list",
                                               .tooltip = "owner/name, with commas between",
                                               .order = 2,
                                               .required = true})},
         {"token", configuration_entry({.label = "Token", .order = 3, .sensitive = true})},
         {"issues", flag("Issues", true, 4)},
         {"pull_requests", flag("Pull requests", true, 5)},
         {"comments", flag("Comments", true, 6)},
         {"releases", flag("Releases", true, 7)},
         {"files", flag("Files", false, 8)},
         {"branch", configuration_entry({.label = "Branch of files", .order = 9})},
         {"max_file_size", configuration_entry({.label = "Largest file in bytes",
                                                .type = "int",
                                                .value = hosted_bytes_default,
                                                .order = 10})},
         {std::string(error_budget_field), error_budget_entry(11)}});
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_CHECK(values_of(configuration));
    return ok_status();
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(HostingValues values, values_of(configuration));
    return std::unique_ptr<Source>(std::make_unique<CodeHosting>(std::move(values), params_));
  }

 private:
  Result<HostingValues> values_of(const Json& configuration) const {
    HostingValues out;
    CAIRN_TRY(const std::string url, required_text(configuration, "url", "the API"));
    CAIRN_TRY(out.url, params_.outreach.check_url("url", url));
    out.prefix = out.url.target;
    while (out.prefix.ends_with('/')) out.prefix.pop_back();
    CAIRN_TRY(out.repositories, configured_list(configuration, "repositories"));
    if (out.repositories.empty() || out.repositories.size() > repositories_max)
      return invalid("[repositories] must name one to " + std::to_string(repositories_max));
    for (const auto& repository : out.repositories)
      if (!is_repository(repository))
        return invalid("[repositories] has [" + repository + "], which is no owner/name");
    CAIRN_TRY(out.token, configured_text(configuration, "token"));
    CAIRN_TRY(out.choice.issues, configured_flag(configuration, "issues", true));
    CAIRN_TRY(out.choice.pull_requests, configured_flag(configuration, "pull_requests", true));
    CAIRN_TRY(out.choice.comments, configured_flag(configuration, "comments", true));
    CAIRN_TRY(out.choice.releases, configured_flag(configuration, "releases", true));
    CAIRN_TRY(out.choice.files, configured_flag(configuration, "files", false));
    if (parts_of(out).empty()) return invalid("nothing is chosen: set [issues] or another to true");
    CAIRN_TRY(out.branch, configured_text(configuration, "branch", "HEAD"));
    CAIRN_TRY(const std::int64_t largest,
              configured_number(configuration, "max_file_size", hosted_bytes_default, 1,
                                hosted_bytes_most));
    out.file_bytes_max = static_cast<std::size_t>(largest);
    return out;
  }

  const CodeHostingParams params_;
};

}  // namespace

std::unique_ptr<const SourceType> code_hosting_source(CodeHostingParams params) {
  return std::make_unique<CodeHostingType>(std::move(params));
}

}  // namespace cairn::connectors
