// SPDX-License-Identifier: Apache-2.0
// Searching strings in time that hostile ones cannot stretch.
#pragma once

#include <string>
#include <string_view>

namespace cairn::inference::templates {

/// The places where a part stands in a text, none over another, from the first on or from the last.
/// All of them together take time in proportion to both lengths. Both strings outlive it.
class Occurrences {
 public:
  enum class From { beginning, end };
  /// `part` is not empty.
  Occurrences(std::string_view text, std::string_view part, From from = From::beginning);
  Occurrences(const Occurrences&) = delete;
  Occurrences& operator=(const Occurrences&) = delete;

  /// Where the next one begins; npos where there is none.
  std::size_t next();

 private:
  std::string_view text_;
  std::string_view part_;
  From from_;
  std::string reversed_text_ = {};  // a search from the end goes forward in these
  std::string reversed_part_ = {};
  std::size_t done_ = 0;
};

/// Whether `part`, which may be empty, stands somewhere in `text`.
bool stands_in(std::string_view text, std::string_view part);

}  // namespace cairn::inference::templates
