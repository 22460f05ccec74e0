// SPDX-License-Identifier: Apache-2.0
// Files and objects on their way: up, down, from bucket to bucket.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/objects/places/entry.h"
#include "cli/objects/report.h"
#include "cli/objects/service.h"
#include "cli/objects/transfer/sync_plan.h"
#include "cli/objects/transfer/transfer_settings.h"

namespace cairn::cli {

/// One of them.
struct Transfer {
  Direction direction = Direction::upload;
  Entry source = {};  // its place is the path or the key
  std::string source_bucket = {};
  std::string target_bucket = {};
  std::string target_key = {};
  std::string target_folder = {};  // of downloads: no key leads out of it
  std::string target_name = {};    // below it
  std::string target_path = {};    // of a download to a file that somebody named, instead
  bool remove_source = false;

  Action action() const;
};

/// The next one; nothing after the last.
using NextTransfer = std::function<Result<std::optional<Transfer>>()>;

class Transfers {
 public:
  /// What it is given outlives it.
  Transfers(const Service& service, const TransferSettings& settings, Report& report)
      : service_(service), settings_(settings), report_(report) {}

  /// Each transfer is reported. `single`: the parts of one file share the threads.
  /// Errors: those of `next`; cancelled, timeout.
  Status run(const NextTransfer& next, bool single) const;
  /// Does one, or says that it would. Safe from several threads.
  void make(const Transfer& transfer, const PartSettings& parts) const;

 private:
  Result<Json> upload(const Transfer& transfer, PartSettings parts) const;
  Result<Json> download(const Transfer& transfer, const PartSettings& parts) const;
  Result<Json> copy(const Transfer& transfer, const PartSettings& parts) const;
  Status remove_source(const Transfer& transfer) const;

  const Service& service_;
  const TransferSettings& settings_;
  Report& report_;
};

/// The parameters that an operation has, of those given.
Params params_of_operation(std::string_view operation, const Params& params);

/// "bucket/key" as copy_source wants it, percent-encoded; an ARN as "arn/object/key".
std::string copy_source_of(const std::string& bucket, const std::string& key);

/// Copies an object in parts, all of one and the same object: for those too large for one request.
/// What the object carries (type, metadata, headers) goes with it unless `params` say otherwise.
Result<Json> copy_in_parts(const Service& service, const Transfer& transfer, const Params& params,
                           const PartSettings& parts, const objectclient::Progress& progress);

}  // namespace cairn::cli
