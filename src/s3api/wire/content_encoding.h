// SPDX-License-Identifier: Apache-2.0
// What a Content-Encoding says of the object, and not of the request.
#pragma once

#include <string>
#include <string_view>

namespace cairn::s3api {

/// Content-Encoding without aws-chunked, which is about the request and not about the object.
std::string stored_encoding(std::string_view content_encoding);

}  // namespace cairn::s3api
