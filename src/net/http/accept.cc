// SPDX-License-Identifier: Apache-2.0
#include "net/http/accept.h"

#include <algorithm>
#include <string>

#include "base/strings.h"

namespace cairn::net {
namespace {

/// The weight of one part of Accept, in thousandths: 1 where it has none.
int weight_of(std::string_view part) {
  const auto pieces = split(part, ';');
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::string_view piece = trim(pieces[i]);
    if (piece.size() < 2 || (piece[0] != 'q' && piece[0] != 'Q') || piece[1] != '=') continue;
    std::string digits(piece.substr(2, 5));  // "0.9", "1.000"
    if (digits.empty()) return 0;
    if (digits[0] == '1') return 1'000;
    digits.resize(5, '0');
    return digits[0] == '0' ? parse_number<int>(std::string_view(digits).substr(2)).value_or(0) : 0;
  }
  return 1'000;
}

}  // namespace

bool prefers_html(const Headers& headers) {
  int html = 0, data = 0;
  for (const std::string_view part : split(headers.find("accept").value_or(""), ',')) {
    const std::string type = lower_ascii(trim(part.substr(0, part.find(';'))));
    if (type == "text/html")
      html = weight_of(part);
    else if (type == "application/json" || type.ends_with("+json") || type == "application/yaml")
      data = std::max(data, weight_of(part));
  }
  return html > 0 && html > data;
}

}  // namespace cairn::net
