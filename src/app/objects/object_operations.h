// SPDX-License-Identifier: Apache-2.0
// What the object storage answers, for `cairn routes --objects`.
#pragma once

#include "format/json.h"

namespace cairn::app {

/// {"operations": [{"name", "method", "path", "marker"}]}: the path with {bucket} and {key}; the
/// marker is what of query ("tagging") or header fields ("x-amz-copy-source:") tells the operation
/// from others of that method and path, empty where nothing does.
Json object_operations();

/// The same as a table on standard output. The exit status.
int print_object_operations(bool json);

}  // namespace cairn::app
