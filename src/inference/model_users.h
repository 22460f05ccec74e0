// SPDX-License-Identifier: Apache-2.0
// Why a model stays: for a removal, and for one that is only tried.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/strings.h"
#include "inference/errors.h"

namespace cairn::inference {

/// Who uses a model, by name.
struct ModelUsers {
  std::vector<std::string> endpoints = {};
  std::vector<std::string> deployments = {};
};

/// Errors: conflict where somebody does.
inline Status check_unused(const std::string& model_id, const ModelUsers& users) {
  if (!users.endpoints.empty())
    return status_error(ErrorKind::conflict,
                        "Cannot delete model [" + model_id +
                            "] as it is still referenced by inference endpoints [" +
                            join(users.endpoints, ", ") + "]; use force to delete the model");
  if (!users.deployments.empty())
    return status_error(ErrorKind::conflict, "Cannot delete model [" + model_id +
                                                 "] as it is currently deployed; use force to "
                                                 "delete the model");
  return ok_status();
}

}  // namespace cairn::inference
