// SPDX-License-Identifier: Apache-2.0
// What a form that succeeded is answered with: where the browser goes next, or what it is told.
#pragma once

#include <string>
#include <string_view>

#include "s3/wire/wire.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Where the object is: scheme, host, bucket unless the host says it, and the key, in which "/" is
/// escaped too.
std::string location_of_form(const Call& call);

/// `url` with bucket, key and etag in its query; empty where `url` is no absolute URL of http or
/// https.
std::string redirection(std::string_view url, std::string_view bucket, std::string_view key,
                        std::string_view etag);

/// Gives the reply of a put its status, fields and body: 303 where the form names a good URL, else
/// the status that it asks for, 200, 201 with a document, or 204.
void answer_form(const Call& call, std::string_view etag, s3::ReplyParts& reply);

}  // namespace cairn::s3api
