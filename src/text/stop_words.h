// SPDX-License-Identifier: Apache-2.0
// Words too frequent to tell documents apart, by language.
#pragma once

#include <string_view>

namespace cairn::text {

/// The words of a language ("english"), separated by single spaces, in lower case; empty where
/// there is no list.
std::string_view stop_words(std::string_view language);

}  // namespace cairn::text
