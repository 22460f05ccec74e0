// SPDX-License-Identifier: Apache-2.0
// How a GraphQL request reaches the object storage of the same program.
#pragma once

#include <memory>

#include "api/graphql/object_requests.h"
#include "app/objects/object_caller.h"
#include "s3api/service.h"

namespace cairn::app {

/// Signs each request for its caller and gives it to `service`, in process. What is referred to
/// outlives the function.
api::AskObjects ask_objects(std::shared_ptr<s3api::Service> service,
                            std::shared_ptr<const ObjectCaller> callers);

}  // namespace cairn::app
