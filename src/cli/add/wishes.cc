// SPDX-License-Identifier: Apache-2.0
#include "cli/add/wishes.h"

#include <vector>

#include "base/strings.h"

namespace cairn::cli {
namespace {

constexpr std::size_t question_words_max = 7;
constexpr std::size_t name_bytes_max = 60;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
}

/// Of ASCII those that no shell and no query gives a meaning; beyond it every letter.
bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

}  // namespace

std::string name_of_folder(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  std::string out;
  for (const char c : lower_ascii(path.substr(path.rfind('/') + 1))) {
    if (out.size() >= name_bytes_max) break;
    if (is_name_letter(c))
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && (out.back() == '-' || out.back() == '.')) out.pop_back();
  const std::size_t first = out.find_first_not_of("._-");
  return first == std::string::npos ? std::string() : out.substr(first);
}

Result<std::string> cron_of_schedule(std::string_view text) {
  if (text == "daily") return std::string("0 0 3 * * ?");
  if (text == "hourly") return std::string("0 0 * * * ?");
  std::size_t fields = 0;
  for (const auto piece : split(text, ' ')) fields += piece.empty() ? 0 : 1;
  if (fields == 6 || fields == 7) return std::string(text);
  return Error{.kind = ErrorKind::invalid_argument,
               .message =
                   "--schedule takes daily, hourly, or six or seven fields: seconds, minutes, "
                   "hours, day of month, month, day of week, year (\"0 30 2 * * ?\", UTC)"};
}

std::string crontab_of_schedule(std::string_view text) {
  if (text == "daily") return "0 3 * * *";
  return text == "hourly" ? "0 * * * *" : "MINUTE HOUR * * *";
}

std::string question_of_title(std::string_view title) {
  const std::size_t dash = title.find(") - ");
  if (dash != std::string_view::npos) title.remove_prefix(dash + 4);
  std::vector<std::string> words(1);
  for (const char c : title) {
    if (is_word_byte(c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  if (words.size() > question_words_max) words.resize(question_words_max);
  return words.size() < 2 ? std::string() : join(words, " ");
}

std::string shell_word(std::string_view word) {
  bool plain = !word.empty();
  for (const char c : word)
    plain = plain &&
            (is_word_byte(c) || std::string_view("/._-:=@%+,").find(c) != std::string_view::npos);
  if (plain) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace cairn::cli
