// SPDX-License-Identifier: Apache-2.0
// How objects are sent, fetched and copied: the options that cp, mv and sync share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/arguments.h"
#include "cli/connection.h"
#include "cli/objects/service.h"

namespace cairn::cli {

struct TransferSettings {
  /// Parameters by the client's names: what an operation has not is left out.
  Params params = {};
  PartSettings parts = {};
  std::uint64_t copy_threshold_bytes = 5ull << 30;  // larger objects are copied in parts
  int jobs = 10;                                    // files on their way at once
  bool guess_type = true;
  bool no_clobber = false;
  bool resume = false;
  std::string resume_folder = {};
  std::optional<std::uint64_t> expected_size = {};  // of a stream
};

void add_transfer_options(Syntax& syntax);
std::string_view transfer_options_help();

/// `into_bucket`: parts are uploaded or copied, and have the limits of the service; what is fetched
/// may come in pieces of any size. Errors: invalid_argument; those of files.
Result<TransferSettings> read_transfer_settings(const Arguments& arguments,
                                                const Environment& environment, bool into_bucket);

}  // namespace cairn::cli
