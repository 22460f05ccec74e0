// SPDX-License-Identifier: Apache-2.0
// Texts of documents on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::cli {

/// The text on one line: runs of white space are one blank, and no control character is left, so
/// that no document drives the terminal. Marks (search_request.h) stay. Bytes that are no UTF-8
/// become U+FFFD.
std::string on_one_line(std::string_view text);

/// At most so many characters, cut between words where there is one, with an ellipsis. Marks do not
/// count, and a mark that was begun is ended.
std::string cut_to(std::string_view line, std::size_t characters);

/// The marks as what stands for them.
std::string with_marks(std::string_view line, std::string_view begin, std::string_view end);

}  // namespace cairn::cli
