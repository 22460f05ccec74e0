// SPDX-License-Identifier: Apache-2.0
// Fetching the files of a model from an address into a folder, going on where it was cut.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "os/deadline.h"
#include "os/files/files.h"

namespace cairn::cli {

/// Fetches what the address's SHA256SUMS names; where it has none, the files that models of the
/// Hugging Face layout have; of an address that ends in ".gguf" that one file. Files that are there
/// already are kept, a part of one is gone on with. Redirects are followed to public addresses
/// only; no credentials are sent. `progress` gets the file at hand and the bytes of all. Errors:
/// not_found without a config.json; unavailable, with the address; permission_denied for an address
/// that a redirect must not lead to; those of files.
Status download_model(const std::string& url, os::Files& files, const std::string& folder,
                      const std::function<void(const std::string&, std::uint64_t)>& progress,
                      const os::Deadline& deadline);

/// Stands beside the folder of a download: what the address said of its files. Goes with the folder.
std::string etag_folder(const std::string& folder);

}  // namespace cairn::cli
