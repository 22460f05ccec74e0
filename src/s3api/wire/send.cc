// SPDX-License-Identifier: Apache-2.0
#include "s3api/wire/send.h"

#include <optional>
#include <vector>

#include "base/encode.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/log.h"
#include "os/random.h"
#include "s3/errors.h"
#include "s3/wire/error_body.h"

namespace cairn::s3api {
namespace {

// A value of the neutral dialect as the other one has it. What clients have said themselves
// (metadata) stays as it is.
std::string twin_value(std::string_view neutral_name, std::string_view value) {
  const bool spoken = neutral_name == "x-svc-server-side-encryption" ||
                      neutral_name == "x-svc-server-side-encryption-svc-kms-key-id" ||
                      neutral_name == "x-svc-bucket-arn";
  return spoken ? s3::value_from_wire(value, s3::Dialect::svc) : std::string(value);
}

// Who shows no dialect is answered in the neutral one, and may be a program that knows only the
// other: what it would look for stands beside.
void add_twins(net::Headers& headers) {
  constexpr std::string_view neutral = "x-svc-";
  std::vector<net::Headers::Field> twins;
  for (const auto& [name, value] : headers.fields())
    if (name.starts_with(neutral))
      twins.emplace_back(s3::aws_header_name(name, s3::Dialect::svc), twin_value(name, value));
  for (const auto& [name, value] : twins) headers.add(name, value);
}

void add_common(const ParsedCall& call, net::Headers& headers) {
  headers.add(s3::header_name("x-amz-request-id", call.dialect), call.exchange.request_id);
  headers.add(s3::header_name("x-amz-id-2", call.dialect), host_id());
  headers.add("Server", "Cairn");
  for (const auto& [name, value] : call.extra.fields()) headers.add(name, value);
  if (!call.dialect_shown) add_twins(headers);
}

net::Headers object_headers(const Call& call, const s3::GetObjectOutput& out) {
  net::Headers headers = s3::write_reply(s3::operations::get_object, out, call.dialect).headers;
  headers.remove("Content-Length");  // the writer's own
  add_common(call, headers);
  return headers;
}

// The rest of a reply that white space has begun: the declaration is out already.
Status finish_kept_alive(ParsedCall& call, std::string_view body) {
  const std::size_t end = body.find("?>");
  if (end != std::string_view::npos) body.remove_prefix(end + 2);
  call.answered = true;
  CAIRN_CHECK(call.exchange.reply.write(body));
  return call.exchange.reply.end();
}

}  // namespace

const std::string& host_id() {
  static const std::string id = to_base64(os::system_random().bytes(48));
  return id;
}

Status send_keep_alive(Call& call) {
  if (!call.kept_alive) {
    net::Headers headers;
    headers.add("Content-Type", "application/xml");
    add_common(call, headers);
    CAIRN_CHECK(call.exchange.reply.begin(200, headers, std::nullopt));
    call.kept_alive = true;
    CAIRN_CHECK(call.exchange.reply.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
  }
  CAIRN_CHECK(call.exchange.reply.write(" "));
  return call.exchange.reply.flush();
}

Status send_reply(ParsedCall& call, s3::ReplyParts parts) {
  if (call.before_success) call.before_success(parts.status);
  if (call.kept_alive) return finish_kept_alive(call, parts.body);
  add_common(call, parts.headers);
  call.answered = true;
  return call.exchange.reply.reply(parts.status, parts.headers, parts.body);
}

namespace {

// Details that are header fields are told there, and not in the body.
Error without_header_details(ParsedCall& call, Error error) {
  std::erase_if(error.details, [&](const auto& detail) {
    const auto& [name, value] = detail;
    if (!is_header_detail(name)) return false;
    const bool time = name == objectstore::modified_detail;
    const auto ms = time ? parse_number<std::int64_t>(value) : std::nullopt;
    call.extra.set(s3::header_name(name, call.dialect), ms ? format_http_date(*ms) : value);
    return true;
  });
  return error;
}

}  // namespace

int status_of(const ParsedCall& call, const Error& error) {
  return call.refused_status != 0 ? call.refused_status : s3::status_of(error);
}

void send_error(ParsedCall& call, const Error& given) {
  const Error error = without_header_details(call, given);
  const int status = status_of(call, error);
  // A client that went away, asks too much or for what is not offered, is its own affair.
  const bool ours = status >= 500 && status != 501 && error.kind != ErrorKind::cancelled &&
                    call.refused_status == 0;
  if (status >= 500)
    os::log(ours ? os::LogLevel::error : os::LogLevel::debug, "s3api", "request_failed",
            {{"method", call.exchange.head.method},
             {"path", call.exchange.head.path()},
             {"code", s3::code_of(error)},
             {"kind", name_of(error.kind)},
             {"message", error.message}});
  std::string body;
  if (call.exchange.head.method != "HEAD")
    body = s3::render_error(error, {.resource = call.exchange.head.path(),
                                    .request_id = call.exchange.request_id,
                                    .host_id = host_id(),
                                    .control = call.address.target == s3::Target::control});
  // Where sending fails nobody is left to tell.
  if (call.kept_alive) {
    static_cast<void>(finish_kept_alive(call, body).ok());
    return;
  }
  if (call.exchange.reply.begun()) return;
  net::Headers headers;
  if (!body.empty()) headers.add("Content-Type", "application/xml");
  add_common(call, headers);
  call.answered = true;
  static_cast<void>(call.exchange.reply.reply(status, headers, body).ok());
}

Status send_not_modified(Call& call, const s3::Object& object) {
  s3::GetObjectOutput out{.last_modified = s3::Time{object.modified_ms},
                          .etag = quoted(object.etag)};
  call.answered = true;
  call.scope.not_modified(call.exchange.reply.standing);
  return call.exchange.reply.reply(304, object_headers(call, out), {});
}

namespace {

// What goes out next: a stretch of a file that was verified a short time ago, or bytes that were
// verified just now.
struct Piece {
  std::optional<objectstore::FileBytes> file = {};
  std::string_view bytes = {};
};

Result<Piece> next_piece(objectstore::ObjectReader& reader) {
  Piece piece;
  CAIRN_TRY(piece.file, reader.file());
  if (!piece.file) {
    CAIRN_TRY(piece.bytes, reader.next());
  }
  return piece;
}

}  // namespace

Status send_object(Call& call, const s3::GetObjectOutput& out, int status,
                   objectstore::ObjectReader& reader) {
  const net::Headers headers = object_headers(call, out);
  const std::uint64_t size = reader.size_bytes();
  net::ReplyWriter& reply = call.exchange.reply;
  // The first bytes are verified before the head goes out: damage there is still a clean error.
  CAIRN_TRY(Piece piece, next_piece(reader));
  call.answered = true;
  if (!piece.file && piece.bytes.size() == size) return reply.reply(status, headers, piece.bytes);
  CAIRN_CHECK(reply.begin(status, headers, size));
  while (piece.file || !piece.bytes.empty()) {
    if (piece.file) {
      CAIRN_CHECK(reply.write_file(piece.file->descriptor, piece.file->offset, piece.file->count));
      reader.skip(piece.file->count);
    } else {
      CAIRN_CHECK(reply.write(piece.bytes));
    }
    CAIRN_TRY(piece, next_piece(reader));
  }
  return reply.end();
}

Status send_head(Call& call, const s3::GetObjectOutput& out, int status) {
  call.answered = true;
  CAIRN_CHECK(call.exchange.reply.begin(status, object_headers(call, out),
                                        static_cast<std::uint64_t>(*out.content_length)));
  return call.exchange.reply.end();
}

}  // namespace cairn::s3api
