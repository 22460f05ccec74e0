// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/completion_terms.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "index/errors.h"
#include "text/words.h"

namespace cairn::index {
namespace {

constexpr char separator = '\x1f', ending = '\0';
constexpr std::size_t weight_bytes = 4, paths_max = 100;

/// At most so many UTF-16 units, in whole characters.
std::string_view cut_to_units(std::string_view text, std::size_t units) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const std::size_t wide = text::next_code_point(text, next) > 0xFFFF ? 2 : 1;
    if (wide > units) break;
    units -= wide;
    at = next;
  }
  return text.substr(0, at);
}

Result<CompletionInput> read_input(const Field& field, const Json& value) {
  if (!value.is_string())
    return illegal_argument("input must be a text or a list of texts, but was [" +
                            value.dump().substr(0, 50) + "]");
  const std::string& text = value.as_string();
  if (text.empty()) return illegal_argument("value must have a length > 0");
  for (const char c : text)
    if (c == ending || c == '\x1d' || c == '\x1e' || c == separator)
      return illegal_argument("Illegal input [" + text.substr(0, 50) +
                              "]: it has a reserved character, U+0000 or one of U+001D to U+001F");
  return CompletionInput{.text = std::string(cut_to_units(text, field.completion.input_length))};
}

Result<std::uint32_t> read_weight(const Json& value) {
  std::optional<std::int64_t> number;
  if (value.is_integer()) number = value.as_int();
  if (value.is_string()) number = parse_number<std::int64_t>(value.as_string());
  if (!number)
    return illegal_argument("weight must be an integer, but was [" +
                            (value.is_string() ? value.as_string() : value.dump()) + "]");
  if (*number < 0 || *number > INT32_MAX)
    return illegal_argument("weight must be in the interval [0..2147483647], but was [" +
                            std::to_string(*number) + "]");
  return static_cast<std::uint32_t>(*number);
}

Status add_input_texts(const Field& field, const Json& value, std::vector<CompletionInput>& out) {
  if (!value.is_array()) {
    CAIRN_TRY(CompletionInput input, read_input(field, value));
    out.push_back(std::move(input));
    return ok_status();
  }
  for (const Json& one : value.as_array()) CAIRN_CHECK(add_input_texts(field, one, out));
  return ok_status();
}

}  // namespace

Result<std::vector<CompletionInput>> read_completion(const Field& field, const Json& value) {
  std::vector<CompletionInput> out;
  if (!value.is_object()) {
    CAIRN_CHECK(add_input_texts(field, value, out));
    return out;
  }
  std::uint32_t weight = 1;
  for (const auto& [name, member] : value.as_object()) {
    if (name == "input") {
      CAIRN_CHECK(add_input_texts(field, member, out));
    } else if (name == "weight") {
      CAIRN_TRY(weight, read_weight(member));
    } else {
      return illegal_argument("unknown field name [" + name +
                              "], must be one of [weight, input]");
    }
  }
  if (value.find("input") == nullptr) return illegal_argument("an object needs an [input]");
  for (CompletionInput& input : out) input.weight = weight;
  return out;
}

Result<std::vector<std::string>> completion_paths(const Field& field,
                                                  const text::Analyzer& analyzer,
                                                  std::string_view text) {
  text::Tokens tokens;
  analyzer.analyze(text, tokens);
  std::vector<std::string> paths(1), longer;
  std::uint32_t next = 0;  // the position that the next word has where nothing is left out
  for (std::size_t i = 0; i < tokens.list.size();) {
    const std::uint32_t position = tokens.list[i].position;
    std::string gap;
    if (field.completion.separators)
      gap.assign((i > 0 ? 1 : 0) + (field.completion.increments ? position - next : 0), separator);
    longer.clear();
    for (; i < tokens.list.size() && tokens.list[i].position == position; ++i) {
      if (longer.size() + paths.size() > paths_max)
        return illegal_argument("there are more than [" + std::to_string(paths_max) +
                                "] ways to read [" + std::string(text.substr(0, 50)) +
                                "], as words of it have others in their place");
      for (const std::string& path : paths)
        longer.push_back(path + gap + std::string(tokens.term(tokens.list[i])));
    }
    paths.swap(longer);
    next = position + 1;
  }
  if (next == 0) paths.clear();
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::string completion_term(std::string_view path, const CompletionInput& input) {
  std::string out(path);
  out += ending;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(input.weight >> shift & 0xFF);
  return out + input.text;
}

std::optional<CompletionTerm> read_completion_term(std::string_view term) {
  const std::size_t end = term.find(ending);
  if (end == std::string_view::npos || term.size() < end + 1 + weight_bytes) return std::nullopt;
  CompletionTerm out{.path = term.substr(0, end), .text = term.substr(end + 1 + weight_bytes)};
  for (const char c : term.substr(end + 1, weight_bytes))
    out.weight = out.weight << 8 | static_cast<unsigned char>(c);
  return out;
}

}  // namespace cairn::index
