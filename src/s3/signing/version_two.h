// SPDX-License-Identifier: Apache-2.0
// Signature Version 2 in queries: presigned URLs as SDKs still make them by default for some
// regions. HMAC-SHA1 over method, two fields, the time of expiry, the vendor's fields and those
// parameters of the query that name a part of a bucket or object. Nothing else is under the
// signature, so nothing else may act. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http/message.h"
#include "s3/signing/signing.h"

namespace cairn::s3 {

/// True where the query has both AWSAccessKeyId and Signature.
bool is_version_two(const net::QueryParameters& query);

/// What the caller hears where that version is not taken.
Error version_two_refused();

/// Errors: AccessDenied (a parameter missing, or no number of seconds); InvalidArgument (another
/// mechanism beside, characters or repeated names that would let one signature stand for two
/// requests).
Result<Claim> read_version_two(const net::RequestHead& head, const net::QueryParameters& query);

/// `bucket_of_host`: the bucket that the host name carries; empty for path style.
/// Errors: AccessDenied (expired; parameters that were not signed, by name);
/// SignatureDoesNotMatch with the text.
Status verify_version_two(const Claim& claim, const net::RequestHead& head, std::string_view secret,
                          std::string_view bucket_of_host, std::int64_t now_ms);

/// The text that is signed. `resource`: "/bucket/key" as it is spelled in the request.
/// Errors: those of net::parse_query.
Result<std::string> version_two_text(const net::RequestHead& head, std::string_view resource);

}  // namespace cairn::s3
