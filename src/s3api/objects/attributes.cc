// SPDX-License-Identifier: Apache-2.0
#include "s3api/objects/attributes.h"

#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3api {

Status check_redirect(const std::optional<std::string>& location) {
  if (!location) return ok_status();
  for (std::string_view start : {"/", "http://", "https://"})
    if (location->starts_with(start)) return ok_status();
  return s3::error("InvalidRedirectLocation");
}

Status check_metadata(const s3::Metadata& metadata, std::size_t bytes_max) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : metadata) bytes += name.size() + value.size();
  if (bytes <= bytes_max) return ok_status();
  return s3::error("MetadataTooLarge")
      .with_detail("Size", std::to_string(bytes))
      .with_detail("MaxSizeAllowed", std::to_string(bytes_max));
}

}  // namespace cairn::s3api
