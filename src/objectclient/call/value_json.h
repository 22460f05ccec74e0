// SPDX-License-Identifier: Apache-2.0
// Values as JSON trees and back. Not part of the installed headers.
#pragma once

#include "format/json.h"
#include "objectclient/value.h"

namespace cairn::objectclient {

Json json_of(const Value& value);
Json json_of(const Params& params);
Value value_of(const Json& json);

}  // namespace cairn::objectclient
