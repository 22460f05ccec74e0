// SPDX-License-Identifier: Apache-2.0
// Replies on their way out: with ids, in the dialect of the request, errors as XML.
#pragma once

#include <string_view>

#include "base/result.h"
#include "s3/operations/operation.h"
#include "s3/wire/wire.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// A reply whose body is complete.
Status send_reply(ParsedCall& call, s3::ReplyParts parts);
/// Shows a waiting client that the work goes on: begins the reply with 200 and the XML declaration
/// at the first call, adds a space at each. Result or error follow in the body.
Status send_keep_alive(Call& call);
/// What send_error answers with where nothing was sent yet.
int status_of(const ParsedCall& call, const Error& error);
/// What went wrong. Without a body for HEAD. Once a body of bytes has begun nothing can be said:
/// the connection then ends, so that the client sees the loss.
void send_error(ParsedCall& call, const Error& error);
/// 304 with the etag and the time.
Status send_not_modified(Call& call, const s3::Object& object);
/// The head of an object and its bytes: piece by piece as they are verified, or straight from a
/// file that was verified a short time ago.
Status send_object(Call& call, const s3::GetObjectOutput& out, int status,
                   objectstore::ObjectReader& reader);
/// The head alone, with the length that the body would have.
Status send_head(Call& call, const s3::GetObjectOutput& out, int status);

/// An opaque text that names this process, for x-amz-id-2 and HostId.
const std::string& host_id();

}  // namespace cairn::s3api
