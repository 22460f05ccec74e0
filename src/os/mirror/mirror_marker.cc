// SPDX-License-Identifier: Apache-2.0
#include "os/mirror/mirror_marker.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/checksum.h"
#include "base/strings.h"

namespace cairn::os {
namespace {

constexpr std::string_view title = "cairn mirror 1\n";
constexpr std::string_view sum_word = "crc32c ";
constexpr std::size_t sum_line_bytes = 7 + 8 + 1;
// A mirror that lost a side so often meanwhile is told to be split, and nothing is lost by that.
constexpr std::size_t remembered_max = 256;

std::string sum_line(std::string_view text) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", crc32c(text));
  return std::string(sum_word) + digits + "\n";
}

bool is_drawn(std::string_view word) {
  return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool read_line(std::string_view line, MirrorMarker& marker) {
  const std::size_t space = line.find(' ');
  const std::string_view name = line.substr(0, space);
  if (space == std::string_view::npos) {
    if (name == "filling") return marker.filling = true;
    return name == "alone" && (marker.alone = true);
  }
  const std::string word(line.substr(space + 1));
  if (!is_drawn(word)) return false;
  if (name == "pair")
    marker.pair = word;
  else if (name == "generation")
    marker.generation = word;
  else if (name == "before")
    marker.before.push_back(word);
  else
    return false;
  return true;
}

Error conflict(std::string message) {
  return {.kind = ErrorKind::conflict,
          .message = std::move(message) + ". Nothing was changed; see docs/operating/mirror.md"};
}

bool has_data(const MirrorFolder& folder) { return folder.holds == MirrorFolder::Holds::data; }
bool is_whole(const MirrorFolder& folder) { return !folder.marker || !folder.marker->filling; }

Error unfinished(const MirrorFolder& folder, const MirrorFolder& other) {
  return {.kind = ErrorKind::unavailable,
          .message = "[" + folder.path +
                     "] was being filled from the other folder of the mirror and is "
                     "not whole, and [" +
                     other.path + "] " +
                     (other.holds == MirrorFolder::Holds::missing ? "is not there or cannot be read"
                      : has_data(other)                           ? "is not whole either"
                                                                  : "is empty") +
                     ". Bring back the disk that holds the whole folder; see "
                     "docs/operating/mirror.md"};
}

/// One holds data, the other nothing.
Result<MirrorVerdict> judge_one(const MirrorFolder& full, const MirrorFolder& other, int source) {
  if (!is_whole(full)) return unfinished(full, other);
  // The folder of data.dir is what it is; the other one must have been part of a mirror.
  if (source == 1 && !full.marker)
    return conflict("[" + full.path +
                    "], the mirror, holds data that never was part of one, and [" + other.path +
                    "] holds nothing: name the folder that holds the data as data.dir, "
                    "and another one as data.mirror");
  return MirrorVerdict{.kind = MirrorVerdict::Kind::one, .source = source};
}

Error strangers(const MirrorFolder& first, const MirrorFolder& second) {
  return conflict(
      "[" + first.path + "] and [" + second.path +
      "] both hold data, and not of the same mirror. Name an empty folder as "
      "data.mirror; or keep one of them, and have the other one replaced by it: cairn mirror "
      "keep FOLDER");
}

}  // namespace

bool MirrorMarker::remembers(std::string_view older) const {
  return std::find(before.begin(), before.end(), older) != before.end();
}

void MirrorMarker::go_alone(std::string fresh) {
  before.push_back(std::exchange(generation, std::move(fresh)));
  if (before.size() > remembered_max)
    before.erase(before.begin(), before.end() - static_cast<std::ptrdiff_t>(remembered_max));
  alone = true;
}

std::string encode(const MirrorMarker& marker) {
  std::string out(title);
  out += "pair " + marker.pair + "\ngeneration " + marker.generation + "\n";
  for (const std::string& older : marker.before) out += "before " + older + "\n";
  if (marker.filling) out += "filling\n";
  if (marker.alone) out += "alone\n";
  return out + sum_line(out);
}

Result<MirrorMarker> decode_mirror_marker(std::string_view text) {
  const auto damaged = [](std::string what) {
    return Error{.kind = ErrorKind::corrupt, .message = std::move(what)};
  };
  if (!text.starts_with(title) || text.size() < title.size() + sum_line_bytes)
    return damaged("it does not begin as such a file");
  const std::string_view body = text.substr(0, text.size() - sum_line_bytes);
  if (text.substr(body.size()) != sum_line(body)) return damaged("its checksum does not fit");
  MirrorMarker marker;
  for (std::string_view rest = body.substr(title.size()); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos || !read_line(rest.substr(0, end), marker))
      return damaged("it has a line that is not known");
    rest.remove_prefix(end + 1);
  }
  if (marker.pair.empty() || marker.generation.empty()) return damaged("it lacks a line");
  return marker;
}

Result<MirrorVerdict> judge_mirror(const MirrorFolder& first, const MirrorFolder& second) {
  if (!has_data(first) && !has_data(second)) return MirrorVerdict{};
  if (!has_data(second)) return judge_one(first, second, 0);
  if (!has_data(first)) return judge_one(second, first, 1);
  if (!first.marker || !second.marker || first.marker->pair != second.marker->pair)
    return strangers(first, second);
  const MirrorMarker &a = *first.marker, &b = *second.marker;
  const auto ahead = [](int source) {
    return MirrorVerdict{.kind = MirrorVerdict::Kind::one, .source = source};
  };
  if (a.filling && b.filling) return unfinished(first, second);
  if (a.filling) return ahead(1);
  if (b.filling) return ahead(0);
  if (a.generation == b.generation) return MirrorVerdict{.kind = MirrorVerdict::Kind::same};
  const bool first_knows = a.remembers(b.generation);
  const bool second_knows = b.remembers(a.generation);
  if (first_knows != second_knows) return ahead(first_knows ? 0 : 1);
  return conflict(
      "[" + first.path + "] and [" + second.path +
      "] were both written alone since they last agreed: the mirror is split. Choose the "
      "one whose changes you keep; those of the other one are lost: cairn mirror keep FOLDER");
}

}  // namespace cairn::os
