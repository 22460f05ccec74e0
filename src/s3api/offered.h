// SPDX-License-Identifier: Apache-2.0
// What requests may ask for that this service does not offer yet: refused by name, never ignored.
#pragma once

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Looks through the header fields of a write. Errors: NotImplemented (with Header),
/// AccessControlListNotSupported, InvalidRequest (object lock).
Status check_write_offered(const Call& call);
/// Of a read: keys of the customer's own, without which such an object could not be there.
Status check_read_offered(const Call& call);

Error not_offered(std::string_view header);

}  // namespace cairn::s3api
