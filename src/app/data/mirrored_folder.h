// SPDX-License-Identifier: Apache-2.0
// The data folder on two disks: data.mirror.
#pragma once

#include <memory>
#include <string>

#include "api/routes/cluster/mirror_routes.h"
#include "app/settings/settings.h"
#include "base/result.h"
#include "format/json.h"
#include "objectstore/engine.h"
#include "objectstore/mirror/mirror_keeper.h"
#include "os/files/secret_file.h"
#include "os/mirror/mirror.h"

namespace cairn::app {

/// Where a program works on the data folder, and with which files. The engine, and all that it
/// keeps beside it, goes through `files`, below `folder`, which is one of the two where there are
/// two.
struct DataPlace {
  std::unique_ptr<os::Mirror> mirror = {};         // null: the folder lies once
  std::unique_ptr<os::SecretPlaces> secrets = {};  // keys are in both folders
  std::string folder = {};
  os::Files& files() const { return mirror ? mirror->files() : os::system_files(); }
};

/// Opens the mirror that the settings name; also a folder that was part of one, which then goes on
/// alone. Everything else of the data folder is opened after it, and ends before it. Errors: those
/// of os::Mirror::open.
Result<DataPlace> open_data_place(const Settings& settings);

/// What the mirror lacks, for people: empty where it is whole, or there is none.
std::string mirror_fault(const os::MirrorStatus& status);

/// For the routes; keeps `keeper`, which may be null and outlives it.
api::MirrorControl mirror_control(objectstore::MirrorKeeper* keeper);

}  // namespace cairn::app
