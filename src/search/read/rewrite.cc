// SPDX-License-Identifier: Apache-2.0
#include "search/read/rewrite.h"

#include <string>

#include "base/strings.h"
#include "search/errors.h"

namespace cairn::search {
namespace {

constexpr std::string_view blended = "top_terms_blended_freqs_";

bool is_constant(std::string_view way) {
  return way == "constant_score" || way == "constant_score_blended" ||
         way == "constant_score_boolean";
}

/// What the platform knows beside: the terms' scores one by one.
bool is_known(std::string_view way) {
  return way == "scoring_boolean" || way.starts_with("top_terms_");
}

Error unknown_rewrite(std::string_view way, std::string_view instead) {
  if (!is_known(way))
    return illegal_argument("Failed to parse rewrite_method [" + std::string(way) + "]");
  return not_offered("rewrite [" + std::string(way) + "]", instead);
}

}  // namespace

Result<Rewrite> read_rewrite(Reader& in, std::string_view name) {
  CAIRN_TRY(const auto way, in.string(name));
  if (!way) return Rewrite{};
  if (is_constant(*way)) return Rewrite{.constant = true};
  if (way->starts_with(blended)) {
    const auto most = parse_number<std::size_t>(std::string_view(*way).substr(blended.size()));
    if (most && *most > 0) return Rewrite{.most = *most};
  }
  return unknown_rewrite(*way, "use constant_score or top_terms_blended_freqs_N");
}

Status check_constant_rewrite(Reader& in) {
  CAIRN_TRY(const auto way, in.string("rewrite"));
  if (!way || is_constant(*way)) return ok_status();
  return unknown_rewrite(*way, "use constant_score: every document scores the same");
}

}  // namespace cairn::search
