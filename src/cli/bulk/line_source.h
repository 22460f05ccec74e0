// SPDX-License-Identifier: Apache-2.0
// Lines of a file or of standard input, with the places where they begin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::cli {

inline constexpr std::size_t input_line_bytes_max = 100u << 20;

struct InputLine {
  std::string text;          // without its end; of one that is too long the first kilobyte
  std::uint64_t number = 0;  // from 1
  std::uint64_t end = 0;     // offset of the byte behind it
  bool too_long = false;
};

/// One thread; blocks as the input does.
class LineSource {
 public:
  /// "-" is standard input. Errors: not_found, permission_denied, invalid_argument for a folder.
  static Result<LineSource> open(const std::string& path);
  LineSource(LineSource&& other) noexcept;
  LineSource& operator=(LineSource&&) = delete;
  ~LineSource();

  /// Goes on behind so many bytes and lines. Where `mark` is given, those before must be the ones
  /// that it was made of. Errors: corrupt where they are not; of the input.
  Status skip(std::uint64_t bytes, std::uint64_t lines, const std::string& mark);
  /// The next line, or nothing at the end. Errors: of the input.
  Result<std::optional<InputLine>> next();
  /// The last bytes that were given, and what skip() can tell an input by.
  const std::string& tail() const { return last_; }
  static std::string mark_of(const std::string& tail);
  std::optional<std::uint64_t> size() const { return size_; }  // nothing: it is no file

 private:
  explicit LineSource(int descriptor) : descriptor_(descriptor) {}
  Result<bool> fill();
  void gave(std::string_view bytes);

  int descriptor_;
  std::optional<std::uint64_t> size_;
  std::string buffer_;
  std::size_t at_ = 0;  // in the buffer
  std::uint64_t offset_ = 0, number_ = 0;
  std::string last_;  // bytes before the offset
};

}  // namespace cairn::cli
