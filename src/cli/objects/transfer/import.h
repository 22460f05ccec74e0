// SPDX-License-Identifier: Apache-2.0
// A bucket of another store, with all that its objects carry, through this machine.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/objects/places/address.h"
#include "cli/objects/report.h"
#include "cli/objects/service.h"
#include "cli/objects/transfer/transfer_settings.h"

namespace cairn::cli {

struct ImportOptions {
  bool versions = false;  // every version and delete marker, the oldest first
  bool acls = false;      // grants to everybody; accounts differ from store to store
};

/// Copies what `target` lacks. Objects keep type, headers, metadata, tags, storage class, retention
/// and legal hold that are in force (where the target locks objects; else that is reported), and
/// ETags of uploads in parts, whose parts keep their size. Each key is reported; cut short, the
/// next run goes on. Errors: those of listing either side; invalid_argument, where versions are
/// asked for and the target keeps none.
Status import_objects(const Service& from, const Service& to, const Address& source,
                      const Address& target, const ImportOptions& options,
                      const TransferSettings& settings, Report& report);

}  // namespace cairn::cli
