// SPDX-License-Identifier: Apache-2.0
// What claims share, whether header fields, a query or a form make them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "s3/signing/signing.h"

namespace cairn::s3 {

Error header_malformed(std::string_view what);
Error query_malformed(std::string message = {});
/// One way of speaking about a fault for each place of a signature.
Error malformed(const Claim& claim, std::string_view what);
Error wrong_service(const Claim& claim, std::string_view named, std::string_view expected);

/// Fills access key id and scope. Errors: those of malformed().
Status read_credential(std::string_view text, Claim& claim);
/// Whether the claim is good in one of `regions`; empty: anywhere. Errors: those of malformed(),
/// with the detail Region.
Status check_region(const Claim& claim, const std::vector<std::string>& regions);

}  // namespace cairn::s3
