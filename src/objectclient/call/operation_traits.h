// SPDX-License-Identifier: Apache-2.0
// What a client has to know of an operation besides its shape on the wire.
#pragma once

#include <string_view>

#include "s3/operations/operation.h"
#include "s3/wire/dialect.h"

namespace cairn::objectclient {

/// An operation with a host of its own, or one that has to be asked for. None of the object
/// storage's has either; descriptions of other services may.
struct OperationExtras {
  std::string_view host_prefix = {};  // "{request_route}." with a parameter's name in it
  bool discovers_endpoint = false;
};

/// On directory buckets it goes to the region's control endpoint, not to the zone's.
bool goes_to_control_endpoint(const s3::Operation& operation);
/// Whether the control API is asked about access points of directory buckets. `path`: of the request.
bool is_about_directory_points(const s3::Operation& operation, std::string_view path);
/// On directory buckets it is signed with the credentials themselves, not with a session's.
bool needs_no_session(const s3::Operation& operation);
bool refuses_access_points(const s3::Operation& operation);
bool may_accelerate(const s3::Operation& operation);
/// A body of it may be sent as gzip.
bool takes_gzip(const s3::Operation& operation, s3::Dialect dialect);
/// It has a parameter that names the algorithm of a checksum.
bool takes_checksum(const s3::Operation& operation);
/// It may be answered before its work is done, and say in the body how that ended.
bool has_result_in_body(const s3::Operation& operation);

}  // namespace cairn::objectclient
