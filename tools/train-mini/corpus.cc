// SPDX-License-Identifier: Apache-2.0
// What all readers of the corpus share.
#include "corpus.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/compress.h"
#include "base/hash.h"
#include "os/files/files.h"

namespace cairn::mini {

Split split_of(std::string_view key) {
  const std::uint64_t part = fast_hash(key) % 20;
  return part == 0 ? Split::test : part == 1 ? Split::development : Split::training;
}

std::vector<Pair>& Corpus::pairs_of(Split split) {
  return split == Split::training ? pairs : split == Split::test ? test.pairs : development.pairs;
}

std::vector<Translations>& Corpus::translations_of(Split split) {
  return split == Split::training ? translations
         : split == Split::test   ? test.translations
                                  : development.translations;
}

bool is_prose(std::string_view text) {
  std::size_t letters = 0;
  std::size_t others = 0;
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
    if (letter) {
      ++letters;
      if (!in_word) ++words;
    } else if (c != ' ') {
      ++others;
    }
    in_word = letter;
  }
  // Japanese has few spaces: long runs of letters count as several words.
  words = std::max(words, letters / 24);
  return words >= 3 && letters >= 12 && others * 3 <= letters;
}

std::string squeezed(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

Result<std::string> read_unpacked(const std::string& path) {
  constexpr std::size_t limit = std::size_t{1} << 30U;
  CAIRN_TRY(std::string bytes, os::read_file(os::system_files(), path, limit));
  if (!path.ends_with(".gz") && !path.ends_with(".dz")) return bytes;
  return gunzip(bytes, limit);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code fault;
  std::filesystem::recursive_directory_iterator at(folder, fault);
  while (!fault && at != std::filesystem::recursive_directory_iterator()) {
    if (at->is_regular_file(fault) && !at->is_symlink(fault)) out.push_back(at->path().string());
    at.increment(fault);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace cairn::mini
