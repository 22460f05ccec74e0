// SPDX-License-Identifier: Apache-2.0
// Header fields, queries, whole bodies, reason phrases.
#include "net/http/message.h"

#include <algorithm>
#include <cstring>

#include "base/encode.h"
#include "base/strings.h"
#include "net/http/field_bytes.h"

namespace cairn::net {
namespace {

constexpr std::size_t usual_lines_bytes = 192;  // the five of a limit, and one more

}  // namespace

void Headers::add(std::string_view name, std::string_view value) {
  fields_.emplace_back(name, trim(value));
}

void HeadLines::add(std::string_view name, std::string_view value) {
  if (breaks_a_head(name, value)) return;
  if (text_.empty()) text_.reserve(usual_lines_bytes);
  text_ += name;
  text_ += ": ";
  text_ += value;
  text_ += "\r\n";
}

void HeadLines::add_to(Headers& headers) const {
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    const std::size_t colon = line.find(": ");
    headers.add(line.substr(0, colon), line.substr(colon + 2));
    rest.remove_prefix(end + 2);
  }
}

void Headers::set(std::string_view name, std::string_view value) {
  const auto same = [name](const Field& f) { return equals_ignore_case(f.first, name); };
  const auto first = std::find_if(fields_.begin(), fields_.end(), same);
  if (first == fields_.end()) return add(name, value);
  first->second = trim(value);
  fields_.erase(std::remove_if(first + 1, fields_.end(), same), fields_.end());
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [name](const Field& f) { return equals_ignore_case(f.first, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const Field& field : fields_) {
    if (field.first.size() == name.size() && equals_ignore_case(field.first, name)) {
      return std::string_view(field.second);
    }
  }
  return std::nullopt;
}

std::string Headers::joined(std::string_view name) const {
  std::string all;
  bool found = false;
  for (const Field& field : fields_) {
    if (!equals_ignore_case(field.first, name)) continue;
    if (found) all += ", ";
    all += field.second;
    found = true;
  }
  return all;
}

Result<QueryParameters> parse_query(std::string_view query) {
  QueryParameters parameters;
  if (query.empty()) return parameters;
  for (const std::string_view piece : split(query, '&')) {
    if (piece.empty()) continue;
    const std::size_t equals = piece.find('=');
    const std::string_view raw_value =
        equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1);
    auto name = percent_decode(piece.substr(0, equals), true);
    auto value = percent_decode(raw_value, true);
    if (!name || !value) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "a % in the query string is not followed by two hexadecimal digits"};
    }
    parameters.emplace_back(std::move(*name), std::move(*value));
  }
  return parameters;
}

std::string_view RequestHead::query() const {
  const std::size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

Result<std::string> read_all(BodyReader& body, std::size_t limit_bytes) {
  constexpr std::size_t padding = 64;
  const auto too_large = [limit_bytes] {
    return Error{.kind = ErrorKind::too_large,
                 .message = "the body is larger than " + std::to_string(limit_bytes) + " bytes"};
  };
  const auto length = body.length();
  if (length && *length > limit_bytes) return too_large();
  std::string all;
  std::size_t used = 0;
  // A length is a claim: memory follows the bytes that came.
  std::size_t step = std::min<std::size_t>(length.value_or(16 << 10) + 1, 16 << 10);
  for (;;) {
    if (used == all.size()) {
      all.reserve(used + step + padding);
      all.resize(used + step);
      step = std::max(step, all.size());
    }
    CAIRN_TRY(const std::size_t count,
              body.read(std::span<char>(all.data() + used, all.size() - used)));
    if (count == 0) break;
    used += count;
    if (used > limit_bytes) return too_large();
  }
  all.resize(used);
  all.reserve(used + padding);
  return all;
}

Result<std::size_t> StringBody::read(std::span<char> into) {
  const std::size_t count = std::min(into.size(), bytes_.size() - at_);
  std::memcpy(into.data(), bytes_.data() + at_, count);
  at_ += count;
  return count;
}

std::optional<std::uint64_t> StringBody::length() const {
  if (!length_known_) return std::nullopt;
  return bytes_.size();
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 102:
      return "Processing";
    case 103:
      return "Early Hints";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 203:
      return "Non-Authoritative Information";
    case 204:
      return "No Content";
    case 205:
      return "Reset Content";
    case 206:
      return "Partial Content";
    case 207:
      return "Multi-Status";
    case 300:
      return "Multiple Choices";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 407:
      return "Proxy Authentication Required";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 418:
      return "I'm a teapot";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 424:
      return "Failed Dependency";
    case 425:
      return "Too Early";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 451:
      return "Unavailable For Legal Reasons";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    case 511:
      return "Network Authentication Required";
    default:
      return "Unknown";
  }
}

}  // namespace cairn::net
