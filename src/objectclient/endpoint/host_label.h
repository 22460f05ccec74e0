// SPDX-License-Identifier: Apache-2.0
// Which names may stand in a host name.
#pragma once

#include <string_view>

namespace cairn::objectclient {

/// 1 to 63 letters, digits and hyphens, no hyphen at either end; with `dots`, several such, joined
/// by dots. Source: RFC 1123, section 2.1.
bool is_host_label(std::string_view text, bool dots);

/// A bucket name that may be a label before the host: 3 to 63 lower-case letters, digits and
/// hyphens, not an IPv4 address; with `dots`, labels joined by dots.
bool is_virtual_hostable(std::string_view bucket, bool dots);

/// Four numbers from 0 to 255, or an IPv6 address in brackets.
bool is_ip_address(std::string_view host);

}  // namespace cairn::objectclient
