// SPDX-License-Identifier: Apache-2.0
// The only file that knows Boost.Beast, and only its parser. What Beast lets through (several
// Hosts, equal Content-Lengths, folded lines, other codings, long sizes) is refused here.
#include "net/http/head_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstring>

#include "base/strings.h"

namespace cairn::net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using Text = boost::beast::string_view;

std::string_view view(Text text) { return {text.data(), text.size()}; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

constexpr HeadFault malformed{400, "malformed header field"};

// What both kinds of heads share: fields go to Headers, and the ones that frame are looked at.
struct FieldSink {
  const HeadLimits* limits = nullptr;
  Headers* headers = nullptr;
  std::optional<HeadFault> fault;
  std::size_t count = 0;
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
  std::string_view host;
  bool expects = false;
  bool is_request = true;

  void refuse(int status, std::string_view reason) {
    if (!fault) fault = HeadFault{status, reason};
  }

  void take(http::field field, std::string_view name, std::string_view value) {
    if (++count > limits->fields) return refuse(431, "too many header fields");
    if (value.size() > limits->field_bytes) return refuse(431, "a header field is too large");
    headers->add(name, value);
    switch (field) {
      case http::field::host:
        ++hosts;
        host = value;
        break;
      case http::field::content_length:
        take_length(value);
        break;
      case http::field::transfer_encoding:
        take_coding(value);
        break;
      case http::field::expect:
        take_expectation(value);
        break;
      default:
        break;
    }
  }

  void take_length(std::string_view value) {
    if (++lengths > 1) return refuse(400, "more than one Content-Length");
    if (value.empty() || !std::all_of(value.begin(), value.end(), is_digit)) {
      return refuse(400, "Content-Length is not a number");
    }
  }

  void take_coding(std::string_view value) {
    if (++codings > 1) return refuse(400, "more than one Transfer-Encoding");
    if (equals_ignore_case(value, "chunked")) return;
    const std::size_t comma = value.find(',');
    const std::string_view first = trim(value.substr(0, comma));
    const std::string_view rest =
        comma == std::string_view::npos ? std::string_view() : trim(value.substr(comma + 1));
    const bool known = equals_ignore_case(first, "gzip") || equals_ignore_case(first, "deflate") ||
                       equals_ignore_case(first, "compress");
    if (known && equals_ignore_case(rest, "chunked")) {
      return refuse(501, "the only Transfer-Encoding offered is chunked");
    }
    refuse(400, "Transfer-Encoding is not a single chunked");
  }

  void take_expectation(std::string_view value) {
    if (!is_request || value.empty()) return;  // nothing is expected
    if (!equals_ignore_case(value, "100-continue")) return refuse(417, "unknown expectation");
    expects = true;
  }
};

template <bool is_request>
struct Parser final : http::basic_parser<is_request> {
  FieldSink sink;
  std::string_view method, target;
  int minor = 1;
  int status = 0;

  void on_request_impl(http::verb, Text verb, Text raw_target, int version, error_code&) override {
    method = view(verb);
    target = view(raw_target);
    minor = version - 10;
  }
  void on_response_impl(int code, Text, int version, error_code&) override {
    status = code;
    minor = version - 10;
  }
  void on_field_impl(http::field field, Text name, Text value, error_code& ec) override {
    sink.take(field, view(name), view(value));
    if (sink.fault) ec = http::error::bad_field;
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(Text, error_code&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, Text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text, error_code&) override { return 0; }
  void on_finish_impl(error_code&) override {}
};

// True for host[:port] with a name, an IPv4 address or a bracketed IPv6 address.
bool is_authority(std::string_view text) {
  const auto name_char = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("-._~%!$&'()*+;=").find(c) != std::string_view::npos;
  };
  std::size_t end = 0;
  if (!text.empty() && text.front() == '[') {
    end = text.find(']');
    if (end == std::string_view::npos || end < 3) return false;
    const std::string_view inside = text.substr(1, end - 1);
    const auto address_char = [](char c) { return is_hex(c) || c == ':' || c == '.'; };
    if (!std::all_of(inside.begin(), inside.end(), address_char)) return false;
    ++end;
  } else {
    while (end < text.size() && name_char(text[end])) ++end;
  }
  if (end == text.size()) return true;
  const std::string_view port = text.substr(end + 1);
  return text[end] == ':' && port.size() <= 5 && std::all_of(port.begin(), port.end(), is_digit);
}

// The version of a request line that Beast refused: 505 for another HTTP, 400 for anything else.
HeadFault line_fault(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
  const std::size_t space = line.rfind(' ');
  const std::string_view version =
      space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
  const bool shaped = version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) &&
                      version[6] == '.' && is_digit(version[7]);
  if (shaped && version != "HTTP/1.1" && version != "HTTP/1.0") {
    return {505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  }
  return {400, "malformed request line"};
}

HeadFault fault_of(const error_code& ec, const std::optional<HeadFault>& ours,
                   std::string_view bytes) {
  if (ours) return *ours;
  if (ec == http::error::bad_version || ec == http::error::bad_method ||
      ec == http::error::bad_target) {
    return line_fault(bytes);
  }
  if (ec == http::error::bad_content_length || ec == http::error::multiple_content_length) {
    return {400, "bad Content-Length"};
  }
  if (ec == http::error::bad_transfer_encoding) {
    return {400, "Transfer-Encoding together with Content-Length, or twice"};
  }
  return malformed;
}

// Lines that go on in the next one are refused: readers disagree on what they mean.
bool has_folded_line(std::string_view bytes) {
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    if (at + 1 < bytes.size() && (bytes[at + 1] == ' ' || bytes[at + 1] == '\t')) return true;
  }
  return false;
}

template <bool is_request>
std::optional<HeadFault> run(Parser<is_request>& parser, std::string_view bytes,
                             const HeadLimits& limits, Headers& headers) {
  if (bytes.size() > limits.bytes) return HeadFault{431, "the head is too large"};
  if (has_folded_line(bytes)) return HeadFault{400, "a header field is folded over two lines"};
  headers.clear();
  parser.sink.limits = &limits;
  parser.sink.headers = &headers;
  parser.sink.is_request = is_request;
  parser.header_limit(static_cast<std::uint32_t>(bytes.size() + 1));
  parser.body_limit(boost::none);
  parser.eager(false);
  error_code ec;
  std::size_t used = 0;
  while (!ec && used < bytes.size() && !parser.is_header_done()) {
    used += parser.put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), ec);
  }
  if (ec) return fault_of(ec, parser.sink.fault, bytes);
  if (!parser.is_header_done() || used != bytes.size()) return malformed;
  return std::nullopt;
}

// Brings the target to origin form. RFC 9112 3.2: an absolute form names the host that counts.
std::optional<HeadFault> take_target(std::string_view target, RequestHead& head) {
  if (target.front() == '/' || (target == "*" && head.method == "OPTIONS")) {
    head.target = target;
    return std::nullopt;
  }
  if (head.method == "CONNECT") return HeadFault{501, "CONNECT is not offered"};
  const std::size_t scheme = target.find("://");
  const std::string_view name = target.substr(0, scheme);
  if (scheme == std::string_view::npos ||
      !(equals_ignore_case(name, "http") || equals_ignore_case(name, "https"))) {
    return HeadFault{400, "the request target is not a path"};
  }
  const std::string_view rest = target.substr(scheme + 3);
  const std::size_t slash = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, slash);
  if (authority.empty() || !is_authority(authority)) {
    return HeadFault{400, "the request target has no valid host"};
  }
  head.target = rest.substr(slash);
  if (head.target.empty() || head.target.front() == '?') head.target.insert(0, 1, '/');
  head.headers.set("Host", authority);
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> find_head_end(std::string_view bytes, std::size_t scanned) {
  // An end that straddles what was scanned before has its last LF in the new bytes.
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  for (const char* at = begin + scanned; at < end;) {
    const auto* lf =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (lf == nullptr) return std::nullopt;
    const auto length = static_cast<std::size_t>(lf + 1 - begin);
    if (lf == begin || lf[-1] != '\r') return length;
    if (length >= 4 && lf[-2] == '\n') return length;
    at = lf + 1;
  }
  return std::nullopt;
}

std::optional<HeadFault> parse_request_head(std::string_view bytes, const HeadLimits& limits,
                                            RequestHead& head, Framing& framing) {
  Parser<true> parser;
  if (const auto fault = run(parser, bytes, limits, head.headers)) return fault;
  const FieldSink& sink = parser.sink;
  if (parser.method.size() > 32) return HeadFault{501, "unknown method"};
  if (parser.target.size() > limits.target_bytes) return HeadFault{414, "the target is too long"};
  if (sink.hosts > 1) return HeadFault{400, "more than one Host"};
  if (sink.hosts == 0 && parser.minor == 1) return HeadFault{400, "no Host"};
  if (!is_authority(sink.host)) return HeadFault{400, "Host is not a host"};
  if (sink.codings > 0 && sink.lengths > 0) {
    return HeadFault{400, "Transfer-Encoding together with Content-Length"};
  }
  if (sink.codings > 0 && parser.minor == 0) {
    return HeadFault{400, "Transfer-Encoding in HTTP/1.0"};
  }
  head.method = parser.method;
  head.version_minor = parser.minor;
  if (const auto fault = take_target(parser.target, head)) return fault;
  framing = Framing{};
  framing.chunked = sink.codings > 0;
  if (sink.lengths > 0) framing.length = parser.content_length().value_or(0);
  framing.keep_alive = parser.keep_alive();
  framing.expect_continue =
      sink.expects && parser.minor == 1 && (framing.chunked || framing.length.value_or(0) > 0);
  return std::nullopt;
}

std::optional<HeadFault> parse_reply_head(std::string_view bytes, const HeadLimits& limits,
                                          bool request_was_head, int& status, Headers& headers,
                                          Framing& framing) {
  Parser<false> parser;
  parser.skip(request_was_head);
  if (const auto fault = run(parser, bytes, limits, headers)) return fault;
  const FieldSink& sink = parser.sink;
  if (parser.status < 100) return HeadFault{400, "the status is not a number from 100"};
  if (sink.codings > 0 && sink.lengths > 0) {
    return HeadFault{400, "Transfer-Encoding together with Content-Length"};
  }
  status = parser.status;
  const bool bodiless = request_was_head || status / 100 == 1 || status == 204 || status == 304;
  framing = Framing{};
  if (sink.lengths > 0) framing.length = parser.content_length().value_or(0);
  if (bodiless) {
    framing.length = 0;
  } else {
    framing.chunked = sink.codings > 0;
    framing.until_close = !framing.chunked && !framing.length;
  }
  const std::string connection = lower_ascii(headers.joined("Connection"));
  const bool closes = connection.find("close") != std::string::npos;
  const bool keeps = connection.find("keep-alive") != std::string::npos;
  framing.keep_alive = !framing.until_close && !closes && (parser.minor == 1 || keeps);
  return std::nullopt;
}

// A parser of requests that was given a head of its own, so that what follows are chunks.
struct ChunkDecoder::Impl final : http::basic_parser<true> {
  static constexpr std::size_t size_digits_max = 16;
  static constexpr std::size_t line_bytes_max = 4 << 10;        // a size with its extensions
  static constexpr std::size_t extension_bytes_max = 16 << 10;  // of all chunks together
  static constexpr std::size_t trailer_bytes_max = 16 << 10;
  static constexpr std::size_t trailers_max = 64;

  Headers fields;
  std::span<char> room;
  std::size_t written = 0;
  std::size_t extension_bytes = 0;
  std::uint64_t left = 0;  // of the chunk being read
  bool first = true;
  bool last = false;  // the chunk of size 0 was seen
  bool started = false;
  std::string_view why;

  Impl() {
    this->body_limit(boost::none);
    this->eager(false);
    error_code ec;
    constexpr std::string_view head = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    this->put(boost::asio::const_buffer(head.data(), head.size()), ec);
    CAIRN_ASSERT(!ec && this->is_header_done());
    started = true;
  }
  void on_request_impl(http::verb, Text, Text, int, error_code&) override {}
  void on_response_impl(int, Text, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(Text, error_code&) override { return 0; }
  void on_finish_impl(error_code&) override {}
  void on_field_impl(http::field, Text name, Text value, error_code& ec) override {
    if (!started) return;
    if (fields.fields().size() >= trailers_max) {
      ec = http::error::header_limit;
      return;
    }
    fields.add(view(name), view(value));
  }
  void on_chunk_header_impl(std::uint64_t size, Text extensions, error_code& ec) override {
    left = size;
    first = false;
    last = size == 0;
    extension_bytes += extensions.size();
    if (extension_bytes > extension_bytes_max) ec = http::error::bad_chunk_extension;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, error_code&) override {
    const std::size_t count = std::min(bytes.size(), room.size() - written);
    std::memcpy(room.data() + written, bytes.data(), count);
    written += count;
    left -= count;
    return count;
  }

  // Looks at a line of size before Beast does, and gives the bytes up to the end of what belongs
  // together: the line, or with the last one all trailers. Beast must not see less, or it would
  // fail an assertion; nor more, or it would look for the end of a quotation behind the line.
  // 0 while that is not complete, or broken.
  std::size_t complete_line(std::string_view in) {
    std::size_t at = 0;
    if (!first) {
      if (in.size() < 2) return 0;
      if (in[0] != '\r' || in[1] != '\n') return refuse("a chunk does not end with CR LF");
      at = 2;
    }
    const std::size_t end = in.find('\n', at);
    if (end == std::string_view::npos) {
      if (in.size() - at > line_bytes_max) return refuse("the line of a chunk's size is too long");
      const std::string_view so_far = in.substr(at, size_digits_max + 1);
      if (so_far.size() > size_digits_max && std::all_of(so_far.begin(), so_far.end(), is_hex)) {
        return refuse("a chunk's size is malformed");
      }
      return 0;
    }
    const std::string_view line = in.substr(at, end + 1 - at);
    if (line.size() > line_bytes_max + 1) return refuse("the line of a chunk's size is too long");
    std::size_t digits = 0;
    while (digits < line.size() && is_hex(line[digits])) ++digits;
    if (digits == 0 || digits > size_digits_max) return refuse("a chunk's size is malformed");
    if (line[line.size() - 2] != '\r') return refuse("a line of a chunk ends without CR");
    if (line.substr(0, digits).find_first_not_of('0') != std::string_view::npos) return end + 1;
    const std::size_t trailers_end = in.find("\r\n\r\n", end - 1);
    const bool found = trailers_end != std::string_view::npos;
    const std::size_t seen = found ? trailers_end + 3 : in.size();
    if (seen - end > trailer_bytes_max) return refuse("the trailers are too large");
    return found ? trailers_end + 4 : 0;
  }
  std::size_t refuse(std::string_view reason) {
    why = reason;
    return 0;
  }
};

ChunkDecoder::ChunkDecoder() : impl_(std::make_unique<Impl>()) {}
ChunkDecoder::~ChunkDecoder() = default;
ChunkDecoder::ChunkDecoder(ChunkDecoder&&) noexcept = default;
ChunkDecoder& ChunkDecoder::operator=(ChunkDecoder&&) noexcept = default;
const Headers& ChunkDecoder::trailers() const { return impl_->fields; }
std::string_view ChunkDecoder::reason() const { return impl_->why; }

ChunkDecoder::Step ChunkDecoder::decode(std::string_view in, std::span<char> out) {
  Impl& impl = *impl_;
  impl.room = out;
  impl.written = 0;
  std::size_t used = 0;
  while (impl.why.empty() && !impl.is_done()) {
    const std::string_view rest = in.substr(used);
    const bool in_chunk = impl.left > 0;
    if (rest.empty() || (in_chunk && impl.written == out.size())) break;
    const std::size_t give = in_chunk ? rest.size() : impl.complete_line(rest);
    if (give == 0) break;
    error_code ec;
    const std::size_t count = impl.put(boost::asio::const_buffer(rest.data(), give), ec);
    used += count;
    if (ec) impl.why = "a chunk is malformed";
    if (!ec && impl.last && has_folded_line(rest.substr(0, count))) {
      impl.why = "a trailer is folded over two lines";
    }
  }
  const Outcome outcome = !impl.why.empty() ? Outcome::broken
                          : impl.is_done()  ? Outcome::done
                                            : Outcome::more;
  return {outcome, used, impl.written};
}

}  // namespace cairn::net
