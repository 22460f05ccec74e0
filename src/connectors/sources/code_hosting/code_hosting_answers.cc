// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/code_hosting/code_hosting_answers.h"

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "connectors/file_documents.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

Error no_hosted_answer(HostedKind kind, const std::string& repository) {
  return {.kind = ErrorKind::corrupt,
          .message = "the answer about " + std::string(name_of(kind)) + " of [" + repository +
                     "] cannot be read"};
}

std::string hosted_text(const Json& value, std::string_view path) {
  const Json* found = value.find_path(path);
  return found != nullptr && found->is_string() ? found->as_string() : std::string();
}

/// Ids and numbers, which begin no path with a stroke.
std::string number_of(const Json& value, std::string_view name) {
  const Json* found = value.find(name);
  return found != nullptr && found->is_count() ? std::to_string(found->as_unsigned())
                                               : std::string();
}

std::string last_piece(const std::string& url) { return url.substr(url.rfind('/') + 1); }

Json names_in(const Json& value, std::string_view list, std::string_view member) {
  Json out = Json::array();
  if (const Json* found = value.find(list); found != nullptr && found->is_array())
    for (const Json& one : found->as_array())
      if (const std::string name = hosted_text(one, member); !name.empty()) out.push(name);
  return out;
}

Json common_fields(const Json& value, std::string_view kind, const std::string& repository) {
  Json fields = Json::object({{"kind", kind}, {"repository", repository}});
  const auto carry = [&](std::string_view name, std::string_view path) {
    if (std::string text = hosted_text(value, path); !text.empty())
      fields.set(name, std::move(text));
  };
  carry("url", "html_url");
  carry("author", hosted_text(value, "user.login").empty() ? "author.login" : "user.login");
  carry("created", "created_at");
  return fields;
}

SourceItem hosted_item(std::string path, std::string version, SourceDocument document) {
  SourceItem item{.path = std::move(path), .version = std::move(version), .size_bytes = 0};
  item.modified_ms = parse_iso8601(item.version).value_or(0);
  item.size_bytes = document.body.size();
  item.content = SourceContent{
      .content_hash = sha256(document.title + '\0' + document.body + '\0' + document.fields.dump()),
      .documents = {}};
  item.content->documents.push_back(std::move(document));
  return item;
}

SourceItem issue_item(const Json& issue, const std::string& repository, bool is_pull) {
  Json fields = common_fields(issue, is_pull ? "pull_request" : "issue", repository);
  fields.set("number", *issue.find("number"));
  fields.set("state", hosted_text(issue, "state"));
  fields.set("labels", names_in(issue, "labels", "name"));
  return hosted_item(repository + "/issues/" + number_of(issue, "number"),
                     hosted_text(issue, "updated_at"),
                     {.title = hosted_text(issue, "title"),
                      .body = hosted_text(issue, "body"),
                      .fields = std::move(fields)});
}

SourceItem comment_item(const Json& comment, const std::string& repository, bool is_review) {
  Json fields = common_fields(comment, is_review ? "review_comment" : "comment", repository);
  const std::string of =
      last_piece(hosted_text(comment, is_review ? "pull_request_url" : "issue_url"));
  if (const auto number = parse_number<std::int64_t>(of)) fields.set("number", *number);
  if (is_review) fields.set("file", hosted_text(comment, "path"));
  return hosted_item(
      repository + (is_review ? "/review_comments/" : "/comments/") + number_of(comment, "id"),
      hosted_text(comment, "updated_at"),
      {.title = "Comment on #" + of,
       .body = hosted_text(comment, "body"),
       .fields = std::move(fields)});
}

/// Releases tell no time of change: their content does.
SourceItem release_item(const Json& release, const std::string& repository) {
  Json fields = common_fields(release, "release", repository);
  const std::string tag = hosted_text(release, "tag_name"), name = hosted_text(release, "name");
  fields.set("tag", tag);
  SourceItem item = hosted_item(repository + "/releases/" + number_of(release, "id"), {},
                                {.title = name.empty() ? tag : name,
                                 .body = hosted_text(release, "body"),
                                 .fields = std::move(fields)});
  item.modified_ms = parse_iso8601(hosted_text(release, "published_at")).value_or(0);
  return item;
}

Status read_tree(const std::string& repository, const Json& answer, SourcePage& page) {
  const Json* tree = answer.find("tree");
  if (tree == nullptr || !tree->is_array()) return no_hosted_answer(HostedKind::files, repository);
  const std::string folder = repository + "/files";
  if (answer.bool_or("truncated"))
    page.unreadable.push_back(
        {folder, folder + ": there are more files than the API names; read them by [git]"});
  for (const Json& entry : tree->as_array()) {
    if (hosted_text(entry, "type") != "blob") continue;
    const std::string path = hosted_text(entry, "path"), id = hosted_text(entry, "sha");
    if (path.empty() || id.empty()) return no_hosted_answer(HostedKind::files, repository);
    if (hosted_text(entry, "mode") == "120000" || !may_hold_text(path)) {
      ++page.skipped;
      continue;
    }
    SourceItem item{.path = folder + "/" + path, .version = id, .size_bytes = 0};
    if (const Json* size = entry.find("size"); size != nullptr && size->is_integer())
      item.size_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(size->as_int(), 0));
    page.items.push_back(std::move(item));
  }
  return ok_status();
}

bool is_chosen(HostedKind kind, const Json& element, const HostedChoice& choice) {
  if (kind == HostedKind::issues)
    return element.find("pull_request") != nullptr ? choice.pull_requests : choice.issues;
  return !element.bool_or("draft");  // of a release
}

}  // namespace

std::string_view name_of(HostedKind kind) {
  switch (kind) {
    case HostedKind::issues:
      return "issues";
    case HostedKind::comments:
      return "comments";
    case HostedKind::review_comments:
      return "review comments";
    case HostedKind::releases:
      return "releases";
    case HostedKind::files:
      return "files";
  }
  return "items";
}

Status read_hosted_items(HostedKind kind, const std::string& repository, std::string_view text,
                         const HostedChoice& choice, SourcePage& page, std::string& latest) {
  const auto answer = parse_json(text);
  if (!answer.ok()) return no_hosted_answer(kind, repository);
  if (kind == HostedKind::files) return read_tree(repository, *answer, page);
  if (!answer->is_array()) return no_hosted_answer(kind, repository);
  for (const Json& element : answer->as_array()) {
    const bool is_issue = kind == HostedKind::issues;
    if (number_of(element, is_issue ? "number" : "id").empty())
      return no_hosted_answer(kind, repository);
    latest = std::max(latest, hosted_text(element, "updated_at"));
    if (!is_chosen(kind, element, choice)) {
      ++page.skipped;
    } else if (is_issue) {
      page.items.push_back(
          issue_item(element, repository, element.find("pull_request") != nullptr));
    } else if (kind == HostedKind::releases) {
      page.items.push_back(release_item(element, repository));
    } else {
      page.items.push_back(comment_item(element, repository, kind == HostedKind::review_comments));
    }
  }
  return ok_status();
}

Result<std::string> read_hosted_file(std::string_view text) {
  const auto answer = parse_json(text);
  if (!answer.ok() || !answer->is_object())
    return Error{.kind = ErrorKind::corrupt, .message = "the answer cannot be read"};
  if (answer->string_or("encoding") != "base64")
    return Error{.kind = ErrorKind::unsupported, .message = "the file comes in no base64"};
  std::string content = answer->string_or("content");
  std::erase(content, '\n');
  auto bytes = from_base64(content);
  if (!bytes)
    return Error{.kind = ErrorKind::corrupt, .message = "the file's base64 cannot be read"};
  return *std::move(bytes);
}

std::string next_link(std::string_view field) {
  while (!field.empty()) {
    const std::size_t begin = field.find('<');
    const std::size_t end = field.find('>', begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return {};
    const std::size_t next = std::min(field.find('<', end), field.size());
    const std::string_view parameters = field.substr(end + 1, next - end - 1);
    if (parameters.find("rel=\"next\"") != std::string_view::npos ||
        parameters.find("rel=next") != std::string_view::npos)
      return std::string(field.substr(begin + 1, end - begin - 1));
    field.remove_prefix(next);
  }
  return {};
}

}  // namespace cairn::connectors
