// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/git/git_output.h"

#include <algorithm>

#include "base/strings.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t id_digits = 40, long_id_digits = 64;

Error unlike_git(std::string_view what, std::string_view text) {
  return {.kind = ErrorKind::corrupt,
          .message = "git wrote " + std::string(what) + " that cannot be read: [" +
                     std::string(text.substr(0, 200)) + "]"};
}

bool is_of_digits(std::string_view text, std::size_t count) {
  return text.size() == count && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_file_mode(std::string_view mode) { return mode == "100644" || mode == "100755"; }

/// Pieces between blanks, of which several count as one.
std::vector<std::string_view> words_of(std::string_view text) {
  auto words = split(text, ' ');
  std::erase(words, std::string_view());
  return words;
}

}  // namespace

bool is_git_id(std::string_view text) { return is_of_digits(text, id_digits); }

void NulFields::add(std::string_view piece) {
  text_.erase(0, at_);
  at_ = 0;
  text_ += piece;
}

std::optional<std::string> NulFields::next() {
  const std::size_t end = text_.find('\0', at_);
  if (end == std::string::npos) return std::nullopt;
  std::string field = text_.substr(at_, end - at_);
  at_ = end + 1;
  return field;
}

Result<GitEntry> read_tree_entry(std::string_view record) {
  const std::size_t tab = record.find('\t');
  if (tab == std::string_view::npos) return unlike_git("an entry", record);
  const auto words = words_of(record.substr(0, tab));
  if (words.size() != 4 || !is_git_id(words[2])) return unlike_git("an entry", record);
  GitEntry out{.path = std::string(record.substr(tab + 1)), .blob = std::string(words[2])};
  out.is_file = words[1] == "blob" && is_file_mode(words[0]);
  if (!out.is_file) return out;
  const auto size = parse_number<std::uint64_t>(words[3]);
  if (!size || out.path.empty()) return unlike_git("an entry", record);
  out.size_bytes = *size;
  return out;
}

Result<GitEntry> read_diff_entry(std::string_view record, std::string path) {
  const auto words = words_of(record);
  if (words.size() != 5 || !words[0].starts_with(':') || !is_git_id(words[3]) || words[4].empty() ||
      path.empty())
    return unlike_git("a change", record);
  GitEntry out{.path = std::move(path), .blob = std::string(words[3])};
  out.is_gone = words[4][0] == 'D';
  out.is_file = is_file_mode(words[1]);
  return out;
}

Result<GitCommit> read_commit(const std::vector<std::string>& fields) {
  if (fields.size() != 5) return unlike_git("a commit", "");
  // The line end behind the record before.
  const std::string_view id = trim(fields[0]);
  const auto time = parse_number<std::int64_t>(fields[1]);
  if (!is_git_id(id) || !time) return unlike_git("a commit", fields[0]);
  return GitCommit{.id = std::string(id),
                   .time_s = *time,
                   .author = fields[2],
                   .subject = fields[3],
                   .message = std::string(trim(fields[4]))};
}

Result<std::uint64_t> read_blob_head(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() == 2 && words[1] == "missing")
    return Error{.kind = ErrorKind::not_found,
                 .message = "the repository lacks the object " + std::string(words[0])};
  const auto size = words.size() == 3 && words[1] == "blob" ? parse_number<std::uint64_t>(words[2])
                                                            : std::nullopt;
  if (!size) return unlike_git("the head of an object", line);
  return *size;
}

Result<GitReference> read_reference(std::string_view text) {
  text = trim(text);
  constexpr std::string_view symbolic = "ref:";
  if (text.starts_with(symbolic)) {
    const std::string_view name = trim(text.substr(symbolic.size()));
    if (!name.starts_with("refs/") || name.find("..") != std::string_view::npos)
      return unlike_git("a reference", text);
    return GitReference{.name = std::string(name)};
  }
  if (is_of_digits(text, long_id_digits))
    return Error{.kind = ErrorKind::unsupported,
                 .message = "repositories whose ids are SHA-256 are not offered"};
  if (!is_git_id(text)) return unlike_git("a reference", text);
  return GitReference{.id = std::string(text)};
}

std::string packed_reference(std::string_view text, std::string_view name) {
  for (const auto line : split(text, '\n')) {
    if (line.size() != id_digits + 1 + name.size() || !line.ends_with(name)) continue;
    if (line[id_digits] == ' ' && is_git_id(line.substr(0, id_digits)))
      return std::string(line.substr(0, id_digits));
  }
  return {};
}

}  // namespace cairn::connectors
