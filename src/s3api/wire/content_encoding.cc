// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/content_encoding.h"

#include <vector>

#include "base/strings.h"

namespace cairn::s3api {

std::string stored_encoding(std::string_view content_encoding) {
  std::vector<std::string> kept;
  for (std::string_view piece : split(content_encoding, ',')) {
    piece = trim(piece);
    if (!piece.empty() && piece != "aws-chunked" && piece != "svc-chunked")
      kept.emplace_back(piece);
  }
  return join(kept, ",");
}

}  // namespace cairn::s3api
