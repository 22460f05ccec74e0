// SPDX-License-Identifier: Apache-2.0
// The header fields of a request that carry the vendor's name: which of them this protocol knows,
// and which dialect they show. Others (proxies add some) say nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/message.h"
#include "s3/wire/dialect.h"

namespace cairn::s3 {

/// True for a field that some operation or signature reads. The name is lower case, in dialect aws:
/// "x-amz-acl", "x-amz-meta-color".
bool is_request_field(std::string_view aws_name);

/// The dialect that a request speaks: by its signature, else by its query and its header fields;
/// nothing where it shows none.
std::optional<Dialect> dialect_of(const net::RequestHead& head);

/// The first known field of the dialect that is not `spoken`, lower case: it would not be read.
std::optional<std::string> foreign_field(const net::Headers& headers, Dialect spoken);

/// Which fields an SDK moves from the head into the query of a presigned URL.
enum class Moved {
  /// All but checksums, tags and sources of copies: the service of this protocol does not read
  /// those there either, and SDKs put checksums of no body there.
  usual,
  /// All but the source of a copy, and Content-Type and Content-MD5 too: as Version 2 signs them.
  all,
};

/// The fields that a presigned query says in place of the head, under their names in that dialect,
/// and the conditions (If-Match, …), lower case. In the order of the query, repeated ones too.
std::vector<net::Headers::Field> fields_of_query(const net::QueryParameters& query, Dialect dialect,
                                                 Moved moved = Moved::usual);

}  // namespace cairn::s3
