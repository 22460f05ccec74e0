// SPDX-License-Identifier: Apache-2.0
// Between structures and the wire: requests and replies of any operation, written and read from its
// description.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http/message.h"
#include "s3/operations/operation.h"
#include "s3/wire/dialect.h"

namespace cairn::s3 {

inline constexpr std::string_view xml_namespace = "http://s3.amazonaws.com/doc/2006-03-01/";
inline constexpr std::string_view control_namespace =
    "http://awss3control.amazonaws.com/doc/2018-08-20/";

/// A request before it has an address, or after it has lost it.
struct RequestParts {
  std::string method = {};
  std::string bucket = {};          // decoded; empty where the target is the service
  std::string key = {};             // decoded bytes
  std::string path = {};            // of the control API: encoded, instead of bucket and key
  net::QueryParameters query = {};  // decoded
  net::Headers headers = {};
  std::string body = {};  // the structure in XML; streams stand elsewhere
};

/// A request as a service sees it; everything lives elsewhere.
struct RequestView {
  std::string_view bucket;
  std::string_view key;
  const net::QueryParameters& query;
  const net::Headers& headers;
  std::string_view body;

  RequestView(std::string_view b, std::string_view k, const net::QueryParameters& q,
              const net::Headers& h, std::string_view text)
      : bucket(b), key(k), query(q), headers(h), body(text) {}
  RequestView(const RequestParts& parts)  // NOLINT(google-explicit-constructor)
      : RequestView(parts.bucket, parts.key, parts.query, parts.headers, parts.body) {}
};

struct PreparedElements;  // xml_body.h

struct ReplyParts {
  int status = 200;
  net::Headers headers = {};
  std::string body = {};
};

RequestParts write_request(const Operation& operation, const void* input, Dialect dialect);
/// Errors carry their code (InvalidArgument with ArgumentName and ArgumentValue, MalformedXML ...).
Status read_request(const Operation& operation, const RequestView& request, void* input,
                    Dialect dialect);
ReplyParts write_reply(const Operation& operation, const void* output, Dialect dialect,
                       const PreparedElements* prepared = nullptr);
/// Reads a reply of success. Errors: corrupt (a body that is not the result).
Status read_reply(const Operation& operation, const ReplyParts& parts, void* output,
                  Dialect dialect);

template <class Op>
RequestParts write_request(const Op& operation, const typename Op::Input& input, Dialect dialect) {
  return write_request(static_cast<const Operation&>(operation), static_cast<const void*>(&input),
                       dialect);
}
template <class Op>
Result<typename Op::Input> read_request(const Op& operation, const RequestView& request,
                                        Dialect dialect) {
  typename Op::Input input{};
  CAIRN_CHECK(read_request(static_cast<const Operation&>(operation), request,
                           static_cast<void*>(&input), dialect));
  return input;
}
template <class Op>
ReplyParts write_reply(const Op& operation, const typename Op::Output& output, Dialect dialect,
                       const PreparedElements* prepared = nullptr) {
  return write_reply(static_cast<const Operation&>(operation), static_cast<const void*>(&output),
                     dialect, prepared);
}
template <class Op>
Result<typename Op::Output> read_reply(const Op& operation, const ReplyParts& parts,
                                       Dialect dialect) {
  typename Op::Output output{};
  CAIRN_CHECK(read_reply(static_cast<const Operation&>(operation), parts,
                         static_cast<void*>(&output), dialect));
  return output;
}

/// One field's value as text, and back. `place` decides how times look. False for a text that is
/// no value of that type.
std::string text_of_value(const Member& member, const void* value);
bool value_from_text(const Member& member, std::string_view text, void* value);

/// The percent-encoding of listings (`encoding-type=url`): as forms have it, but "/" stays.
std::string encode_listed(std::string_view text);

}  // namespace cairn::s3
