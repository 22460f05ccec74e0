// SPDX-License-Identifier: Apache-2.0
// Who may ask the control API what.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// A caller of the account that the head names, whose policies allow the operation on what its
/// path names. Errors: AccessDenied; InvalidRequest (no account).
Status admit_to_control(const Call& call);

/// Whether it asks the control API about access points of directory buckets: those have a service of
/// their own in signatures and policies.
bool is_about_directory_points(const ParsedCall& call);

/// Notes the outpost that the head names. What the path names by an ARN of that outpost it names by its
/// name afterwards: Debian's boto3 sends ARNs there.
void note_outpost(ParsedCall& call);
/// The name in an ARN "…:outpost/<the call's>/<kind>/<name>" of the account that the head names; other
/// texts as they are.
std::string name_on_outpost(const ParsedCall& call, std::string_view kind, const std::string& given);

}  // namespace cairn::s3api
