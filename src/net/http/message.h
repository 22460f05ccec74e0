// SPDX-License-Identifier: Apache-2.0
// HTTP messages as values: what server, client, signing and the wire rooms share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::net {

/// Header fields in the order of the wire. Names compare without case; values are trimmed.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;
  void add(std::string_view name, std::string_view value);
  void set(std::string_view name, std::string_view value);  // replaces all fields of that name
  void remove(std::string_view name);
  /// The first value, or nothing. The view lives as long as the field.
  std::optional<std::string_view> find(std::string_view name) const;
  /// All values of that name joined with ", ".
  std::string joined(std::string_view name) const;
  bool has(std::string_view name) const { return find(name).has_value(); }
  const std::vector<Field>& fields() const { return fields_; }
  void clear() { fields_.clear(); }
  void reserve(std::size_t fields) { fields_.reserve(fields); }

 private:
  std::vector<Field> fields_;
};

/// Fields rendered as they will go out, "name: value\r\n" each. A reply has many small ones; as
/// text they cost one allocation together.
class HeadLines {
 public:
  /// Leaves out a field that has characters that no field may have.
  void add(std::string_view name, std::string_view value);
  void clear() { text_.clear(); }
  const std::string& text() const { return text_; }
  /// The same as fields, for writers that keep them apart.
  void add_to(Headers& headers) const;

 private:
  std::string text_;
};

/// A query string taken apart, in order, percent-decoded; "a" and "a=" both give "".
using QueryParameters = std::vector<std::pair<std::string, std::string>>;
/// Errors: invalid_argument for a broken percent escape.
Result<QueryParameters> parse_query(std::string_view query);

/// The head of a request as it stood on the wire.
struct RequestHead {
  std::string method;  // as sent; the registered ones are upper case
  std::string target;  // raw: path and query as sent; an absolute form has lost its authority
  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  std::string_view query() const;  // without "?"; empty where there is none
  Headers headers;
  std::string peer_address;  // numeric, without port: "127.0.0.1", "::1"
  bool tls = false;
  std::string_view tls_version = {};  // "1.2", "1.3"; empty without TLS
  int version_minor = 1;              // HTTP/1.x
  std::int64_t received_steady_ns = 0;
};

/// A part of an open file.
struct FileSection {
  int descriptor = -1;
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

/// Pulls a body. One reader, one thread at a time.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  /// Up to into.size() bytes; 0 at the end. Errors: invalid_argument (broken framing), too_large,
  /// timeout (slower than the minimum rate, or the deadline), cancelled (peer gone).
  virtual Result<std::size_t> read(std::span<char> into) = 0;
  /// What Content-Length says; nothing for chunked.
  virtual std::optional<std::uint64_t> length() const = 0;
  /// Fields after the last chunk; empty before the end was read. Never merge them with the
  /// headers: who sends them need not be who was checked.
  virtual const Headers& trailers() const = 0;
  /// Where what is left lies in an open file, byte for byte; nothing where it does not. Who sends
  /// it from there need not read it.
  virtual std::optional<FileSection> file_section() const { return std::nullopt; }
};

/// All of a body as a string of at most `limit_bytes` (too_large beyond), with 64 bytes of
/// readable padding behind it, which simdjson wants.
Result<std::string> read_all(BodyReader& body, std::size_t limit_bytes);

/// A body that is a string, for clients and tests.
class StringBody final : public BodyReader {
 public:
  explicit StringBody(std::string bytes, Headers trailers = {}, bool length_known = true)
      : bytes_(std::move(bytes)), trailers_(std::move(trailers)), length_known_(length_known) {}
  Result<std::size_t> read(std::span<char> into) override;
  std::optional<std::uint64_t> length() const override;
  const Headers& trailers() const override { return trailers_; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  Headers trailers_;
  bool length_known_;
};

/// Pushes a reply: head once, then bytes. Blocks while the peer is slow, up to the deadline.
/// Date, Connection, Content-Length and Transfer-Encoding are the writer's own. Every call fails
/// with cancelled (peer gone), timeout (it takes nothing), or invalid_argument (a field with CR, LF
/// or NUL: nothing of it is sent).
class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;
  /// Sends 100 Continue if the request asked for it and no body byte was read yet. Called by the
  /// first read of the body; a handler that refuses early simply does not read.
  virtual Status send_continue() = 0;
  /// Begins the reply. With a length, exactly that many bytes must follow (none for HEAD, 204 and
  /// 304); without one the body is chunked (HTTP/1.1) or ends with the connection (1.0).
  virtual Status begin(int status, const Headers& headers, std::optional<std::uint64_t> length) = 0;
  virtual Status write(std::string_view bytes) = 0;
  /// Sends `count` bytes of an open file from `offset` (sendfile on plain connections).
  virtual Status write_file(int descriptor, std::uint64_t offset, std::uint64_t count) = 0;
  virtual Status flush() = 0;
  /// Trailers need a reply without length; elsewhere they are left out. A reply that is not ended,
  /// or is shorter than its length, closes the connection, so that the peer sees the loss.
  virtual Status end(const Headers& trailers = {}) = 0;
  /// Head and whole body in one go: the fast path.
  virtual Status reply(int status, const Headers& headers, std::string_view body) = 0;
  virtual bool begun() const = 0;
  virtual int status() const { return 0; }  // of the reply begun, or 0

  /// What the head carries besides the fields that begin() or reply() is given.
  HeadLines standing;
};

/// One request on its way through a handler. Valid during the handler's call only.
struct Exchange {
  const RequestHead& head;
  BodyReader& body;
  ReplyWriter& reply;
  os::Deadline deadline;  // the server's limit for this request; its stop token is set when the
                          // peer goes away while somebody watches, and at shutdown
  std::string_view request_id;  // 16 upper-case hexadecimal digits, unique
};

/// Answers one request. Called on a worker thread; may block under os::Blocking. A handler that
/// returns without a reply, or throws, becomes a 500.
using Handler = std::function<void(Exchange&)>;

/// Words the body of the answers that the server gives by itself (400, 408, 413, 431, 500, 503 …):
/// adds Content-Type and others to `headers`, and returns the body. Must not throw.
using ErrorRenderer = std::function<std::string(int status, std::string_view reason,
                                                std::string_view request_id, Headers& headers)>;

/// "Not Found" for 404; "Unknown" for what is not registered.
std::string_view reason_phrase(int status);

}  // namespace cairn::net
