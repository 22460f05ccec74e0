// SPDX-License-Identifier: Apache-2.0
// Strings that know which of their bytes a template's own source wrote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::inference::templates {

/// Where bytes come from: the template (and values that the caller vouches for), or values.
/// Only what the template wrote may become control tokens of a model.
enum class Origin : std::uint8_t { value, source };

/// UTF-8 with the origin of each byte, kept as runs. At most 4 GiB.
class Text {
 public:
  Text() = default;
  Text(std::string_view bytes, Origin origin) { append(bytes, origin); }

  std::string_view bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  void append(std::string_view bytes, Origin origin);
  void append(const Text& text);
  /// Appends the bytes [begin, end) of another text, origins too.
  void append(const Text& text, std::size_t begin, std::size_t end);
  Text slice(std::size_t begin, std::size_t end) const;

  /// How often the origin changes. Each time costs four bytes.
  std::size_t borders() const { return borders_.size(); }
  /// Calls `each(bytes, origin)` for the runs in order.
  template <class Each>
  void for_each_run(Each each) const {
    for (std::size_t run = 0, begin = 0; begin < size(); ++run) {
      const std::size_t end = end_of_run(run);
      each(bytes().substr(begin, end - begin), origin_of_run(run));
      begin = end;
    }
  }

 private:
  // Neighbours differ, so only the first origin is kept, and where it changes.
  Origin origin_of_run(std::size_t run) const {
    return static_cast<Origin>(static_cast<unsigned>(first_) ^ (run & 1U));
  }
  std::size_t end_of_run(std::size_t run) const {
    return run < borders_.size() ? borders_[run] : bytes_.size();
  }
  std::string bytes_;
  std::vector<std::uint32_t> borders_;
  Origin first_ = Origin::value;
};

/// The character at `at`, which moves behind it; a byte that begins none stands for itself.
char32_t next_character(std::string_view text, std::size_t& at);
inline bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U;
}
bool all_ascii(std::string_view text);
/// A name as messages show it: whole characters, at most 100 bytes of them.
std::string shown_name(std::string_view name);
std::size_t count_characters(std::string_view text);
/// Where the character of that number begins; the end for numbers beyond.
std::size_t place_of_character(std::string_view text, std::size_t number);
/// White space as Python's str.isspace has it.
bool is_space(char32_t character);
/// Bytes of white space at the start, and where that of the end begins.
std::size_t space_at_start(std::string_view text);
std::size_t without_space_at_end(std::string_view text);

/// The lines of a text as str.splitlines has them, one after the other, without their ends.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}
  /// The next line is [begin, end); false where there is none.
  bool next(std::size_t& begin, std::size_t& end);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace cairn::inference::templates
