// SPDX-License-Identifier: Apache-2.0
// What git writes, in pieces as they come, to entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::connectors {

/// A file of a commit. Links, folders and submodules are entries without is_file.
struct GitEntry {
  std::string path;
  std::string blob;              // its id, in hexadecimal digits
  std::uint64_t size_bytes = 0;  // 0 where git was not asked for it
  bool is_file = false;
  bool is_gone = false;
};

struct GitCommit {
  std::string id;
  std::int64_t time_s = 0;
  std::string author;
  std::string subject;
  std::string message;
};

/// Cuts a stream at NULs.
class NulFields {
 public:
  void add(std::string_view piece);
  /// The next whole field; nothing where it has not come yet.
  std::optional<std::string> next();
  bool is_empty() const { return at_ == text_.size(); }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

/// A record of `git ls-tree -r -z -l`: "100644 blob ID    SIZE\tPATH". Errors: corrupt.
Result<GitEntry> read_tree_entry(std::string_view record);
/// The first field of a record of `git diff-tree -r -z --raw`, whose second is the path:
/// ":100644 100644 ID ID M". Errors: corrupt.
Result<GitEntry> read_diff_entry(std::string_view record, std::string path);
/// Five fields: id, seconds, author, subject, message. Errors: corrupt.
Result<GitCommit> read_commit(const std::vector<std::string>& fields);

/// "ID blob SIZE" of `git cat-file --batch`: the size. Errors: not_found; corrupt.
Result<std::uint64_t> read_blob_head(std::string_view line);

/// The target of a file like HEAD: an id, or the name of another reference ("refs/heads/main").
struct GitReference {
  std::string id = {};
  std::string name = {};
};
/// Errors: corrupt; unsupported, for ids of another kind than SHA-1.
Result<GitReference> read_reference(std::string_view text);
/// The id of a reference in a file packed-refs; empty: none.
std::string packed_reference(std::string_view text, std::string_view name);

bool is_git_id(std::string_view text);

}  // namespace cairn::connectors
