// SPDX-License-Identifier: Apache-2.0
// What is different about directory buckets: where they are asked, what they do not have, and what
// their objects are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/model.h"
#include "s3/operations/setting_operations.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Before rights are judged: whether directory buckets have the operation, and here. Errors:
/// NotImplemented, InvalidRequest (bytes are not asked for by path), AccessDenied (a session where none counts).
Status check_directory_operation(const Call& call);
/// After them: what the head asks for. Errors: NotImplemented (a header field or version that
/// directory buckets do not have), InvalidStorageClass, InvalidEncryptionAlgorithmError,
/// InvalidArgument.
Status check_directory_fields(const Call& call);

/// "SingleAvailabilityZone", "SingleLocalZone".
std::string_view redundancy_of(s3::ZoneType type);
/// The one storage class of a zone: EXPRESS_ONEZONE or ONEZONE_IA.
std::string_view storage_class_of(s3::ZoneType type);
/// The storage class of a new object: what was asked for, else the bucket's usual one.
std::string storage_class_of_new(const Call& call, const std::optional<std::string>& asked);

/// Of what such a bucket is to encrypt with by default. Errors: InvalidRequest.
Status check_directory_encryption(const s3::EncryptionByDefaultElement& how);

/// Errors: InvalidArgument, where a listing has another delimiter than "/" or its prefix does not
/// end with one; NotImplemented (start-after).
Status check_directory_listing(const Call& call, const std::optional<std::string>& prefix,
                               const std::optional<std::string>& delimiter);

}  // namespace cairn::s3api
