// SPDX-License-Identifier: Apache-2.0
// Names and codes of languages, beside the analyzers that the index has for them.
#include "connectors/language.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace cairn::connectors {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

constexpr std::array languages = {
    Row{"ar", "arabic"},     Row{"hy", "armenian"},   Row{"eu", "basque"},
    Row{"ca", "catalan"},    Row{"zh", "cjk"},        Row{"ja", "cjk"},
    Row{"ko", "cjk"},        Row{"da", "danish"},     Row{"nl", "dutch"},
    Row{"en", "english"},    Row{"fi", "finnish"},    Row{"fr", "french"},
    Row{"de", "german"},     Row{"el", "greek"},      Row{"hi", "hindi"},
    Row{"hu", "hungarian"},  Row{"id", "indonesian"}, Row{"ga", "irish"},
    Row{"it", "italian"},    Row{"lt", "lithuanian"}, Row{"no", "norwegian"},
    Row{"nb", "norwegian"},  Row{"nn", "norwegian"},  Row{"pt", "portuguese"},
    Row{"ro", "romanian"},   Row{"ru", "russian"},    Row{"sr", "serbian"},
    Row{"es", "spanish"},    Row{"sv", "swedish"},    Row{"tr", "turkish"},
};

}  // namespace

std::string analyzer_of_language(std::string_view language) {
  std::string name = lower_ascii(trim(language));
  for (char& c : name)
    if (c == '_') c = '-';
  if (name == "brazilian" || name == "pt-br") return "brazilian";
  name.resize(std::min(name.find('-'), name.size()));
  for (const auto& [code, analyzer] : languages)
    if (name == code || name == analyzer) return std::string(analyzer);
  return {};
}

}  // namespace cairn::connectors
