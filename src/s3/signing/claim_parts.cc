// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/claim_parts.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3 {
namespace {

// A set names regions, some by their beginning: "us-east-1,eu-*", "*".
bool is_in_set(std::string_view set, std::string_view region) {
  for (std::string_view one : split(set, ',')) {
    one = trim(one);
    if (one == region) return true;
    if (one.ends_with('*') && region.starts_with(one.substr(0, one.size() - 1))) return true;
  }
  return false;
}

}  // namespace

Error header_malformed(std::string_view what) {
  return error("AuthorizationHeaderMalformed",
               "The authorization header is malformed; " + std::string(what));
}

Error query_malformed(std::string message) {
  return error("AuthorizationQueryParametersError", std::move(message));
}

Error malformed(const Claim& claim, std::string_view what) {
  return claim.in_query || claim.in_form
             ? query_malformed("Error parsing the X-Amz-Credential parameter; " + std::string(what))
             : header_malformed(what);
}

Error wrong_service(const Claim& claim, std::string_view named, std::string_view expected) {
  return malformed(claim, "incorrect service \"" + std::string(named) +
                              "\". This endpoint belongs to \"" + std::string(expected) + "\".");
}

// AKID/date/region/service/aws4_request; the access key id may itself contain slashes.
Status read_credential(std::string_view text, Claim& claim) {
  const auto pieces = split(text, '/');
  const std::size_t n = pieces.size();
  const std::size_t places = claim.asymmetric ? 0 : 1;  // of the region
  if (n < 4 + places)
    return malformed(claim,
                     "the Credential is mal-formed; expecting "
                     "\"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".");
  const std::string terminal = value_name("aws4_request", claim.dialect);
  if (pieces[n - 1] != terminal)
    return malformed(claim, "incorrect terminal \"" + std::string(pieces[n - 1]) +
                                "\". This endpoint uses \"" + terminal + "\".");
  if (pieces[n - 2] != general_service && pieces[n - 2] != directory_service &&
      pieces[n - 2] != outposts_service)
    return wrong_service(claim, pieces[n - 2], general_service);
  const std::string_view date = pieces[n - 3 - places];
  if (date.size() != 8 ||
      !std::all_of(date.begin(), date.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return malformed(claim, "incorrect date format \"" + std::string(date) +
                                "\". This date in the credential must be in the format "
                                "\"yyyyMMdd\".");
  claim.scope = {.date = std::string(date),
                 .region = std::string(claim.asymmetric ? "" : pieces[n - 3]),
                 .service = std::string(pieces[n - 2])};
  std::size_t rest = terminal.size() + pieces[n - 2].size() + 8 + 3;
  if (!claim.asymmetric) rest += pieces[n - 3].size() + 1;
  claim.access_key_id = text.substr(0, text.size() - rest);
  return ok_status();
}

Status check_region(const Claim& claim, const std::vector<std::string>& regions) {
  if (claim.asymmetric && claim.region_set.empty()) return malformed(claim, "missing region set.");
  const std::string& named = claim.asymmetric ? claim.region_set : claim.scope.region;
  const bool good = std::any_of(regions.begin(), regions.end(), [&](const std::string& region) {
    return claim.asymmetric ? is_in_set(named, region) : named == region;
  });
  if (regions.empty() || good) return ok_status();
  const std::string what =
      "the region '" + named + "' is wrong; expecting '" + regions.front() + "'";
  return malformed(claim, what).with_detail("Region", regions.front());
}

}  // namespace cairn::s3
