// SPDX-License-Identifier: Apache-2.0
#include "app/data/shipped_models.h"

#include "inference/model/model_store.h"
#include "os/files/beneath.h"
#include "os/files/files.h"
#include "os/log.h"

namespace cairn::app {
namespace {

std::string beside_the_program() {
  const auto program = os::real_path("/proc/self/exe");
  if (!program.ok()) return {};
  const std::string folder = program->substr(0, program->rfind('/'));
  for (const auto candidate : {"/../share/cairn/models", "/models", "/../../../models"})
    if (const auto found = os::real_path(folder + candidate); found.ok()) return *found;
  return {};
}

}  // namespace

Status import_shipped_models(store::Store& store, const std::string& models_dir,
                             const os::Deadline& deadline) {
  const std::string folder = models_dir.empty() ? beside_the_program() : models_dir;
  if (folder.empty()) {
    os::log(os::LogLevel::warn, "app", "no shipped models were found",
            {{"hint", "set inference.models_dir"}});
    return ok_status();
  }
  auto& files = os::system_files();
  CAIRN_TRY(const auto names, files.list(folder));
  const inference::ModelStore models(store);
  for (const auto& name : names) {
    if (!files.info(folder + "/" + name + "/SHA256SUMS").ok()) {
      if (files.info(folder + "/" + name + "/config.json").ok())
        os::log(os::LogLevel::warn, "app", "model passed over",
                {{"model", name}, {"hint", "its folder in " + folder + " has no SHA256SUMS"}});
      continue;
    }
    CAIRN_TRY(const bool imported,
              models.import_folder(name, files, folder + "/" + name, deadline));
    if (imported) os::log(os::LogLevel::info, "app", "model imported", {{"model", name}});
  }
  return ok_status();
}

}  // namespace cairn::app
