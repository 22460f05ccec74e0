// SPDX-License-Identifier: Apache-2.0
// The tokenizer of a file, for the comparison with other libraries. Texts come on standard input,
// each as its length in bytes (u32, little-endian) and its bytes; a line for each goes out: ids,
// and the range of the text that each stands for, in characters.
//   encode_texts TOKENIZER_JSON [pairs] [decode] [time]
// pairs: two texts at a time are one input; decode: the decoded text, as JSON, is a third column;
// time: no lines, but tokens and seconds of one pass over all texts.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "format/json.h"
#include "text/tokenizer.h"

namespace {

using cairn::text::Encoding;
using cairn::text::Tokenizer;

std::string read_all(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> read_texts() {
  const std::string all = read_all(std::cin);
  std::vector<std::string> out;
  for (std::size_t at = 0; at + 4 <= all.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, all.data() + at, 4);
    out.push_back(all.substr(at + 4, length));
    at += 4 + length;
  }
  return out;
}

/// The characters before each byte.
std::vector<std::uint32_t> character_places(const std::string& text) {
  std::vector<std::uint32_t> out;
  std::uint32_t count = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++count;
    out.push_back(count - 1);
  }
  out.push_back(count);
  return out;
}

void print(const Tokenizer& tokenizer, const Encoding& encoding, const std::string& first,
           const std::string& second, bool decode) {
  std::string line;
  for (const auto id : encoding.ids) line += std::to_string(id) + ' ';
  line += '\t';
  const std::vector<std::uint32_t> places[] = {character_places(first), character_places(second)};
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const auto& of = places[encoding.text_of[i] == 1 ? 1 : 0];
    const auto range = encoding.ranges[i];
    line += std::to_string(of[range.begin]) + '-' + std::to_string(of[range.end]) + ' ';
  }
  if (decode) {
    line += '\t';
    cairn::append_json_string(line, tokenizer.decode(encoding.ids, true));
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
}

}  // namespace

int main(int count, char** arguments) {
  bool pairs = false;
  bool decode = false;
  bool time = false;
  for (int i = 2; i < count; ++i) {
    pairs |= std::strcmp(arguments[i], "pairs") == 0;
    decode |= std::strcmp(arguments[i], "decode") == 0;
    time |= std::strcmp(arguments[i], "time") == 0;
  }
  std::ifstream file(count > 1 ? arguments[1] : "");
  const auto tokenizer = Tokenizer::parse(read_all(file));
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "%s\n", tokenizer.error().message.c_str());
    return 2;
  }
  const std::vector<std::string> texts = read_texts();
  const auto never = cairn::os::Deadline::never();
  Encoding encoding;
  std::size_t tokens = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i + (pairs ? 1 : 0) < texts.size(); i += pairs ? 2 : 1) {
    const cairn::text::EncodeOptions options{.match_special_tokens = true, .with_ranges = !time};
    const auto done = pairs
                          ? tokenizer->encode_pair(texts[i], texts[i + 1], options, never, encoding)
                          : tokenizer->encode(texts[i], options, never, encoding);
    if (!done.ok()) {
      std::fprintf(stderr, "text %zu: %s\n", i, done.error().message.c_str());
      return 3;
    }
    tokens += encoding.ids.size();
    if (!time) print(*tokenizer, encoding, texts[i], texts[pairs ? i + 1 : i], decode);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (time) std::printf("%zu %.6f\n", tokens, taken.count());
  return 0;
}
