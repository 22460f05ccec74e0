// SPDX-License-Identifier: Apache-2.0
// The one place where labels become the host of a URL. A value with a character that ends a host
// ("#", "/", "@", ":") would otherwise send the request, its signature and its keys elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::objectclient {

/// `scheme`://`authority``path`. `authority` is labels joined by dots, or an IP address, and maybe
/// a port. Errors: invalid_argument: an authority with anything else in it, or of more than 253
/// characters.
Result<std::string> url_at(std::string_view scheme, std::string_view authority,
                           std::string_view path = {});

/// https://`service`.`region`.suffix, with the suffix of the region's partition.
/// Errors: invalid_argument: a service or a region that is no label of a host.
Result<std::string> service_url(std::string_view service, std::string_view region);

/// True for labels joined by dots or an IP address, and maybe a port from 1 to 65535.
bool is_authority(std::string_view text);

}  // namespace cairn::objectclient
