// SPDX-License-Identifier: Apache-2.0
// What a reply means: a result, an error, or an error that looks like a result.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/operations/operation.h"
#include "s3/wire/wire.h"

namespace cairn::objectclient {

/// How a reply was read.
struct ReadReply {
  Status status = ok_status();
  int meant = 0;        // the status of the error: 500 for one inside a 200
  bool broken = false;  // not the whole of a reply of this service: another attempt may help
};

/// `parts.body` is all of it; that of a stream is not looked at.
ReadReply read_whole_reply(const s3::Operation& operation, s3::Dialect dialect,
                           const s3::ReplyParts& parts, void* output);

/// The error that a reply with a status of 300 and more means. Bodies that are empty, cut off or
/// no XML of this service (a proxy's HTML) give the status its usual name: "NotFound",
/// "Http503Error".
Error error_of_reply(int status, std::string_view body);

}  // namespace cairn::objectclient
