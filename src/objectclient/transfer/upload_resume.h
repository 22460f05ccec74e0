// SPDX-License-Identifier: Apache-2.0
// Which parts of an unfinished upload are still good. Not part of the installed headers.
#pragma once

#include <optional>
#include <string>

#include "objectclient/transfer/parted_upload.h"
#include "objectclient/transfer/upload_state.h"

namespace cairn::objectclient {

/// A digest of the parameters, where they go, and how parts are summed: an upload that was begun
/// with others is another one.
std::string upload_parameters_digest(const Client& client, const s3::PutObjectInput& params);

/// What became of an upload that a state file tells of.
struct FoundUpload {
  std::optional<OpenUpload> open = {};  // with the parts that hold what the file holds
  std::optional<UploadResult> finished = {};
};

/// Asks the service for its parts and compares each with the file: its size, and its digest with
/// the part's ETag or checksum. Where the service knows the upload no more, compares the object.
/// Reads the parts from the file. Errors: those of the calls; those of the file.
Result<FoundUpload> find_upload(const Client& client, const s3::PutObjectInput& params,
                                const Body& body, const UploadState& state,
                                const UploadOptions& options);

}  // namespace cairn::objectclient
