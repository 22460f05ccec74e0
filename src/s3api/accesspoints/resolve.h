// SPDX-License-Identifier: Apache-2.0
// From the name of an access point, in a host, an alias or an ARN, to its bucket; and what can be
// asked through it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Finds the access point that the address names, if it names one: the address is that of its
/// bucket afterwards. Errors: NoSuchAccessPoint.
Status resolve_access_point(ParsedCall& call);

/// The access point that the name of a bucket stands for: an alias, an ARN, or the name of one of a
/// directory bucket; null for the name of a bucket. Errors: NoSuchAccessPoint; NotImplemented (an ARN
/// or a name of another kind); InvalidRequest (an ARN of a directory bucket's).
Result<objectstore::AccessPointView> find_access_point(const ParsedCall& call,
                                                       std::string_view bucket);

/// Whether the operation of the call can be asked through an access point, where it comes through
/// one. Errors: MethodNotAllowed.
Status check_through_access_point(const ParsedCall& call);
bool works_through_access_points(std::string_view operation);

/// Errors: NoSuchBucket, where the bucket of the name is another account's by now.
Status check_leads_to(const objectstore::AccessPointState& point, const s3::Bucket& bucket);

}  // namespace cairn::s3api
