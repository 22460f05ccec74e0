// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cairn::connectors {

/// The analyzer for texts in a connector's `language`: a name ("german") or a code of two letters
/// with or without a region ("de", "de-AT", "pt_BR"), in any case. Empty for a language that no
/// analyzer is made for: its words are looked for as they are written.
std::string analyzer_of_language(std::string_view language);

}  // namespace cairn::connectors
