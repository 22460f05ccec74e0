// SPDX-License-Identifier: Apache-2.0
// From parts and an endpoint to the line, the host and the path of a request.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/client/client.h"
#include "objectclient/endpoint/endpoint.h"
#include "s3/wire/wire.h"

namespace cairn::objectclient {

/// Where one request goes.
struct Address {
  net::Url url;       // with the target
  std::string path;   // of the target, as it is signed
  std::string query;  // without "?"
};

/// The bytes of keys are percent-encoded once; slashes, dots and double slashes stay.
/// Errors: invalid_argument: an endpoint that is no URL.
Result<Address> address_of(const s3::RequestParts& parts, const Endpoint& endpoint,
                           std::string_view host_prefix);

/// A Location of a redirect, against the request that got it. Errors: invalid_argument.
Result<Address> redirected(const Address& from, std::string_view location);

}  // namespace cairn::objectclient
