// SPDX-License-Identifier: Apache-2.0
// service_type "s3": the objects of a bucket, of any store that speaks S3.
#pragma once

#include <memory>

#include "connectors/outreach.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// Through the client library, to an endpoint that `outreach` allows, with the keys of the
/// configuration and no others: neither environment, profiles nor roles of the machine count.
/// Values: `endpoint`, `region`, `bucket`, `prefix`, `access_key_id`, `secret_access_key`,
/// `session_token`, `path_style`, `max_file_size`. The ETag tells changes.
std::unique_ptr<const SourceType> bucket_source(Outreach outreach);

}  // namespace cairn::connectors
