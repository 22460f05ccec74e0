// SPDX-License-Identifier: Apache-2.0
// The header fields of a request that carry the vendor's name: which of them this protocol knows,
// and which dialect they show. Others (proxies add some) say nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/message.h"
#include "s3/dialect.h"

namespace cairn::s3 {

/// True for a field that some operation or signature reads. The name is lower case, in dialect aws:
/// "x-amz-acl", "x-amz-meta-color".
bool is_request_field(std::string_view aws_name);

/// The dialect that a request speaks: by its signature, else by its query and its header fields;
/// nothing where it shows none.
std::optional<Dialect> dialect_of(const net::RequestHead& head);

/// The first known field of the dialect that is not `spoken`, lower case: it would not be read.
std::optional<std::string> foreign_field(const net::Headers& headers, Dialect spoken);

/// The fields that SDKs move from the head into the query of a presigned URL, under their names in
/// that dialect. Checksums, tags and sources of copies are left where they are: the service of this
/// protocol does not read them there either, and SDKs put checksums of no body there.
std::vector<net::Headers::Field> fields_of_query(const net::QueryParameters& query,
                                                 Dialect dialect);

}  // namespace cairn::s3
