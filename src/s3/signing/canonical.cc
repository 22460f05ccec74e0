// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/canonical.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"

namespace cairn::s3 {
namespace {

// Percent-encoded once; a broken escape stays what it is and is encoded itself.
std::string spelled(std::string_view text, std::string_view keep, Spelling spelling) {
  if (spelling == Spelling::as_sent) return std::string(text);
  const auto decoded = percent_decode(text);
  return percent_encode(decoded ? std::string_view(*decoded) : text, keep);
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  for (std::string_view piece : split(path, '/')) {
    if (piece.empty() || piece == ".") continue;
    if (piece == "..") {
      if (!kept.empty()) kept.pop_back();
    } else {
      kept.push_back(piece);
    }
  }
  std::string out;
  for (std::string_view piece : kept) out.append("/").append(piece);
  if (out.empty() || path.ends_with('/')) out += '/';
  return out;
}

}  // namespace

std::string canonical_header_value(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (const char c : value) {
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::string canonical_query(std::string_view query, std::string_view without_parameter,
                            Spelling spelling) {
  if (query.empty()) return {};
  std::vector<std::pair<std::string, std::string>> parameters;
  for (std::string_view piece : split(query, '&')) {
    if (piece.empty()) continue;
    const std::size_t equals = piece.find('=');
    const std::string_view name = piece.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : piece.substr(equals + 1);
    if (!without_parameter.empty() && name == without_parameter) continue;
    parameters.emplace_back(spelled(name, {}, spelling), spelled(value, {}, spelling));
  }
  std::sort(parameters.begin(), parameters.end());
  std::string out;
  for (const auto& [name, value] : parameters) {
    if (!out.empty()) out += '&';
    out.append(name).append("=").append(value);
  }
  return out;
}

std::string canonical_path(std::string_view path, Spelling spelling, bool normalize) {
  if (path.empty()) return "/";
  return spelled(normalize ? without_dots(path) : std::string(path), "/", spelling);
}

std::string canonical_request(const CanonicalParams& params) {
  std::string out(params.method);
  out += '\n';
  out += canonical_path(params.path, params.spelling, params.normalize_path);
  out += '\n';
  out += canonical_query(params.query, params.without_parameter, params.spelling);
  out += '\n';
  std::string names;
  for (const std::string& name : params.signed_headers) {
    out.append(name).append(":");
    bool first = true;
    if (name == "host" && !params.host.empty()) {
      out += params.host;
    } else {
      for (const auto& [field, value] : params.headers.fields()) {
        if (!equals_ignore_case(field, name)) continue;
        if (!std::exchange(first, false)) out += ',';
        out += canonical_header_value(value);
      }
    }
    out += '\n';
    if (!names.empty()) names += ';';
    names += name;
  }
  out += '\n';
  out.append(names).append("\n").append(params.payload_hash);
  return out;
}

}  // namespace cairn::s3
