// SPDX-License-Identifier: Apache-2.0
// Where the sources of a text begin, and how it names them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::inference {

/// The line at which a source begins.
struct SourceBegin {
  std::size_t line = 0;   // byte of the text at which it begins
  std::size_t text = 0;   // where what the source says begins: behind its mark
  std::string mark = {};  // "[1]", "[guide.md]"
};

struct Sources {
  std::vector<SourceBegin> begins = {};  // ascending
  bool are_numbered = false;
  bool are_first = false;  // nothing stands before them

  /// What stands before the first of several says what to do with them.
  bool are_list() const { return begins.size() > 1 || (are_first && !begins.empty()); }
};

/// All sources of a text are of one kind, the first of which there are two: lines "[1] text", of
/// numbers that go on from 0 or 1; or "[name] text", of a name with a letter and a digit, dot or
/// slash; or "Source: name", all with the same label (Title, Document, File, URL). Where two begin a
/// paragraph, all but the first must, so that a line of a source is not another one. One alone
/// counts where it is a number, or nothing stands before it. Takes time in proportion to the text.
Sources sources_of(std::string_view text);

/// Whether a line in a source "[1]" is a name of it: "Title: On cats". Its name, or empty.
std::string_view source_name(std::string_view line);

}  // namespace cairn::inference
