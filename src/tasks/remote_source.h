// SPDX-License-Identifier: Apache-2.0
// The other server that documents are copied from, as requests name it and records keep it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "remotesearch/remote_source.h"

namespace cairn::tasks {

using remotesearch::RemoteSource;

/// Reads "https://example.org:9200/prefix"; the port is required. Errors: invalid_argument,
/// illegal_argument_exception.
Status read_remote_host(const std::string& text, RemoteSource& out);

/// Without its headers but for the sealed ones.
Json record_of(const RemoteSource& source);
/// Errors: corrupt.
Result<RemoteSource> read_remote_source(const Json& record);

/// The headers as one text, to be sealed, and back. Errors: corrupt.
std::string text_of_headers(const RemoteSource& source);
Status read_headers(std::string_view text, RemoteSource& out);

}  // namespace cairn::tasks
