// SPDX-License-Identifier: Apache-2.0
// service_type "feeds": entries of RSS and Atom feeds.
#pragma once

#include <memory>

#include "connectors/outreach.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// Values: `urls` of hosts that `outreach` allows, `keep`: entries that a feed no longer names keep
/// their documents. A feed is asked with what it said of its last answer (ETag, Last-Modified).
std::unique_ptr<const SourceType> feeds_source(Outreach outreach);

}  // namespace cairn::connectors
