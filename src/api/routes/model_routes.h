// SPDX-License-Identifier: Apache-2.0
// The rows for taking models in and removing them.
#pragma once

#include "api/router.h"
#include "inference/model_imports.h"
#include "inference/service.h"

namespace cairn::api {

void add_model_routes(Router& router, ServiceRef<inference::ModelImports> imports,
                      ServiceRef<inference::Service> service);

}  // namespace cairn::api
