// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirror_todo.h"

#include <cstdio>
#include <set>
#include <utility>

#include "base/checksum.h"
#include "os/mirror/mirror_copy.h"

namespace cairn::os {
namespace {

constexpr std::string_view todo_title = "cairn mirror todo 1\n";
constexpr std::string_view todo_file = "/MIRROR.todo";
constexpr std::string_view todo_ending = ".mirror-next";
constexpr std::size_t todo_bytes_max = 64 << 20;
constexpr std::size_t sum_bytes = 8 + 1;

std::string sum_of_text(std::string_view text) {
  char digits[sum_bytes + 1];
  std::snprintf(digits, sizeof digits, "%08x\n", crc32c(text));
  return digits;
}

std::string parent_of_todo(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Done before, where the file is not there.
Status unless_missing(Status done) {
  return done.ok() || done.error().kind == ErrorKind::not_found ? ok_status() : std::move(done);
}

Status do_line(Files& files, const std::string& folder, std::string_view line,
               std::set<std::string>& changed) {
  const std::size_t space = line.find(' ');
  const std::string_view what = line.substr(0, space);
  const bool known = space != std::string_view::npos && (what == "replace" || what == "remove");
  if (!known)
    return Error{
        .kind = ErrorKind::corrupt,
        .message = "[" + folder + std::string(todo_file) + "] has a line that is not known"};
  const std::string path = folder + "/" + std::string(line.substr(space + 1));
  changed.insert(parent_of_todo(path));
  if (what == "remove") return unless_missing(files.remove(path));
  return unless_missing(files.rename(path + std::string(todo_ending), path));
}

}  // namespace

Status end_bringing_in_line(Files& files, const std::string& folder) {
  const std::string file = folder + std::string(todo_file);
  const auto text = read_file(files, file, todo_bytes_max);
  if (!text.ok()) return unless_missing(text.error());
  const std::size_t sum_at = text->size() < sum_bytes ? 0 : text->size() - sum_bytes;
  const std::string_view body = std::string_view(*text).substr(0, sum_at);
  if (!body.starts_with(todo_title) || std::string_view(*text).substr(sum_at) != sum_of_text(body))
    return Error{.kind = ErrorKind::corrupt, .message = "[" + file + "] is damaged"};
  std::set<std::string> changed;
  for (std::string_view rest = body.substr(todo_title.size()); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    CAIRN_CHECK(do_line(files, folder, rest.substr(0, end), changed));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  for (const std::string& each : changed) CAIRN_CHECK(files.sync_directory(each));
  CAIRN_CHECK(files.remove(file));
  return files.sync_directory(folder);
}

Status bring_in_line(MirrorSides& sides, int target, const MirrorDifferences& differences) {
  if (differences.empty()) return ok_status();
  Files& files = sides.below();
  const std::string& folder = sides.folder(target);
  const std::size_t root_bytes = sides.root().size() + 1;
  std::string todo(todo_title);
  std::set<std::string> changed;
  for (const std::string& path : differences.copies) {
    const std::string inside = parent_of_todo(sides.on(target, path));
    CAIRN_CHECK(make_directories_durably(files, inside));
    CAIRN_CHECK(copy_beside(sides, target, path, todo_ending, {}));
    changed.insert(inside);
    todo += "replace " + path.substr(root_bytes) + "\n";
  }
  for (const std::string& path : differences.removals)
    todo += "remove " + path.substr(root_bytes) + "\n";
  for (const std::string& each : changed) CAIRN_CHECK(files.sync_directory(each));
  CAIRN_CHECK(replace_file(files, folder + std::string(todo_file), todo + sum_of_text(todo)));
  return end_bringing_in_line(files, folder);
}

}  // namespace cairn::os
