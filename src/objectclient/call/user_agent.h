// SPDX-License-Identifier: Apache-2.0
// The User-Agent of a client.
#pragma once

#include <string>

#include "objectclient/options.h"
#include "objectclient/environment.h"

namespace cairn::objectclient {

inline constexpr std::string_view library_version = "0.1.0";

/// "cairn-objectclient/V ua/2.1 api/s3 os/linux#R md/M lang/c++#20 [exec-env/E] [app/A] m/F
/// [suffix]". Characters that may not stand there become "-".
std::string user_agent(const ClientOptions& options, const Environment& environment);

}  // namespace cairn::objectclient
