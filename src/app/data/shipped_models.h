// SPDX-License-Identifier: Apache-2.0
// The models that come with the program, put into the store of models.
#pragma once

#include <string>

#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::app {

/// Imports every folder of `models_dir` that holds a SHA256SUMS, where the store lacks it or has
/// other files. An empty `models_dir` stands for `../share/cairn/models` or `../../../models` beside
/// the program. No such folder is no error: a model may be put into the store by hand.
Status import_shipped_models(store::Store& store, const std::string& models_dir,
                             const os::Deadline& deadline);

}  // namespace cairn::app
