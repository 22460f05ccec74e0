// SPDX-License-Identifier: Apache-2.0
// service_type "code_hosting": issues, pull requests, comments, releases and files of repositories,
// by the REST API of a code-hosting service.
#pragma once

#include <memory>

#include "connectors/outreach.h"
#include "connectors/source.h"
#include "connectors/sources/code_hosting/code_hosting_api.h"

namespace cairn::connectors {

/// What tests put in place of the network and of time. Absent members: the real ones.
struct CodeHostingParams {
  Outreach outreach = {};
  ApiTransport send = {};
  const os::Clock* clock = &os::system_clock();
  os::Random* random = &os::system_random();
  ratelimit::Waits* waits = nullptr;
};

/// Values: `url` of the API, whose host `outreach` allows, `repositories`, `token`, `issues`,
/// `pull_requests`, `comments`, `releases`, `files`, `branch`, `max_file_size`. A walk over changes
/// asks for what was updated since, with the ETag of the last answer.
std::unique_ptr<const SourceType> code_hosting_source(CodeHostingParams params);

}  // namespace cairn::connectors
