// SPDX-License-Identifier: Apache-2.0
// service_type "web_pages": the pages of web sites, from start addresses and sitemaps.
#pragma once

#include <memory>

#include "connectors/outreach.h"
#include "connectors/source.h"

namespace cairn::connectors {

/// Links and redirects are followed within the hosts that the configuration names, all of which
/// `outreach` allows; robots.txt is heeded. What pages hold is read by the sink's extractor.
std::unique_ptr<const SourceType> web_pages_source(Outreach outreach);

}  // namespace cairn::connectors
