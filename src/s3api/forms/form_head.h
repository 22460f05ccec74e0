// SPDX-License-Identifier: Apache-2.0
// The fields of a form as the header fields that PutObject reads.
#pragma once

#include "base/result.h"
#include "net/http/message.h"
#include "s3/form_policy.h"
#include "s3/wire/dialect.h"

namespace cairn::s3api {

/// `head` with what `fields` say. What the head itself says of an object, or of who asks, is left
/// out: no policy covers it. Conditions (If-None-Match) and what tells of the browser stay.
/// Errors: InvalidArgument (characters that no header field has); those of tags.
Result<net::RequestHead> head_of_form(const net::RequestHead& head, const s3::FormFields& fields,
                                      s3::Dialect dialect);

}  // namespace cairn::s3api
