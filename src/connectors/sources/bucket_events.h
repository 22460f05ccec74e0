// SPDX-License-Identifier: Apache-2.0
// What a store sends when objects of a bucket change.
// Source: "Event message structure" of Amazon S3's user guide; MinIO and Ceph send the same
// records.
#pragma once

#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::connectors {

/// Whether one of its records is of a key of the bucket with that prefix. The test message that a
/// store sends when notifications are set up is about nothing. Errors: illegal_argument_exception
/// for a message of another bucket, or of no known shape.
Result<bool> event_concerns(const Json& event, std::string_view bucket, std::string_view prefix);

}  // namespace cairn::connectors
