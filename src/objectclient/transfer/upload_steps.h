// SPDX-License-Identifier: Apache-2.0
// What uploads of bodies, readers and files share. Not part of the installed headers.
#pragma once

#include <cstdint>
#include <optional>

#include "objectclient/transfer/parted_upload.h"

namespace cairn::objectclient {

/// `wanted`, or what the service and 10,000 parts need.
std::uint64_t bytes_of_each_part(std::optional<std::uint64_t> total, std::uint64_t wanted,
                                 std::uint64_t usual = 16ull << 20);

/// The parts of a body that can be opened anywhere, without those that are sent.
NextPart parts_of_body(const Body& body, std::uint64_t total, std::uint64_t part_bytes,
                       const SentParts& sent = {});

Status upload_whole(const Client& client, const s3::PutObjectInput& params, const Body& body,
                    const UploadOptions& options, UploadResult& result, CallInfo& info);

/// After a conflict: true where beginning again can succeed without breaking the condition.
bool may_begin_again(const Client& client, const s3::PutObjectInput& params,
                     const UploadOptions& options);

/// The response of an upload, thrown where the client throws.
Response<UploadResult> upload_response(const Client& client, const Status& done,
                                       UploadResult result, CallInfo info);

}  // namespace cairn::objectclient
