// SPDX-License-Identifier: Apache-2.0
// The rows of the table of routes that git-lfs clients use, and how errors are worded there.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "gate/route.h"
#include "lfs/service.h"

namespace cairn::lfs {

inline constexpr std::string_view media_type = "application/vnd.git-lfs+json";

using Action = Result<Answer> (Service::*)(const Request& request) const;

struct Row {
  gate::Route route;  // with the path parameters {owner} and {repo}
  Action action;
};

/// Every row counts as one request of resource `lfs`, whatever it asks for. They need credentials;
/// the privilege depends on the body, so that the service asks for it.
std::vector<Row> rows();

/// {"message", "documentation_url", "request_id"}; a gate::ErrorWording.
std::string word_error(const Error& error, int status, std::string_view request_id,
                       net::Headers& headers);

}  // namespace cairn::lfs
