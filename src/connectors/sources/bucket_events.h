// SPDX-License-Identifier: Apache-2.0
// What a store sends when objects of a bucket change.
// Source: "Event message structure" of Amazon S3's user guide; "Event record" of Ceph's object
// gateway; MinIO sends the same records in an envelope of its own.
#pragma once

#include <string_view>

#include "base/result.h"
#include "connectors/source.h"
#include "format/json.h"

namespace cairn::connectors {

/// The keys of the bucket with that prefix that its records are about, each once, without those of
/// which a sync reads nothing: folders' markers, kinds of files that hold no text, and objects that
/// were only read. The order of the records does not matter: what an object is now, the store is
/// asked. The test message that a store sends when notifications are set up is about nothing.
/// Errors: illegal_argument_exception for a message of another bucket, or of no known shape.
Result<ToldChange> told_objects(const Json& event, std::string_view bucket,
                                std::string_view prefix);

}  // namespace cairn::connectors
