// SPDX-License-Identifier: Apache-2.0
// What the creator of an object says about it, from the parameters of any operation that creates
// one; and checksums into the fields of any result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/checksum.h"
#include "s3/model.h"
#include "s3api/options.h"
#include "s3api/wire/content_encoding.h"

namespace cairn::s3api {

/// Errors: MetadataTooLarge.
Status check_metadata(const s3::Metadata& metadata, std::size_t bytes_max);

/// Errors: InvalidRedirectLocation.
Status check_redirect(const std::optional<std::string>& location);

template <class Input>
Result<s3::ObjectAttributes> attributes_of(const Input& in, const Options& options) {
  CAIRN_CHECK(check_metadata(in.metadata, options.metadata_bytes_max));
  CAIRN_CHECK(check_redirect(in.website_redirect_location));
  s3::ObjectAttributes out;
  if (in.content_type && !in.content_type->empty()) out.content_type = *in.content_type;
  out.cache_control = in.cache_control.value_or("");
  out.content_disposition = in.content_disposition.value_or("");
  out.content_encoding = stored_encoding(in.content_encoding.value_or(""));
  out.content_language = in.content_language.value_or("");
  out.expires = in.expires.value_or("");
  out.website_redirect_location = in.website_redirect_location.value_or("");
  out.storage_class = in.storage_class.value_or("STANDARD");
  out.metadata = in.metadata;
  return out;
}

/// Sets the one field of a result that is for the checksum's algorithm.
template <class Output>
void set_checksum_fields(Output& out, const s3::Checksum& checksum) {
  switch (checksum.algorithm) {
    case s3::ChecksumAlgorithm::crc32:
      out.checksum_crc32 = checksum.value;
      break;
    case s3::ChecksumAlgorithm::crc32c:
      out.checksum_crc32c = checksum.value;
      break;
    case s3::ChecksumAlgorithm::crc64nvme:
      out.checksum_crc64nvme = checksum.value;
      break;
    case s3::ChecksumAlgorithm::sha1:
      out.checksum_sha1 = checksum.value;
      break;
    case s3::ChecksumAlgorithm::sha256:
      out.checksum_sha256 = checksum.value;
      break;
  }
}

}  // namespace cairn::s3api
