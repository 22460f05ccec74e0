// SPDX-License-Identifier: Apache-2.0
#include "console/page.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/compress.h"
#include "base/strings.h"
#include "net/http/gzip_stream.h"

namespace cairn::console {
namespace {

constexpr std::size_t inflated_bytes_max = 64 << 20;

Answer missing() {
  Answer out{.status = 404};
  out.headers.set("Content-Type", "text/plain; charset=utf-8");
  out.headers.set("Cache-Control", "no-store");
  out.headers.set("X-Content-Type-Options", "nosniff");
  out.body =
      "There is no such file of the console here. A program that was built without console/dist "
      "has none: build it (npm ci && npm run build in console/), then the program.\n";
  return out;
}

/// Whether one of the tags of If-None-Match is this one. They compare weakly.
bool names_tag(std::string_view field, std::string_view tag) {
  for (std::string_view each : split(field, ',')) {
    each = trim(each);
    if (each == "*") return true;
    if (each.starts_with("W/")) each.remove_prefix(2);
    if (each == tag) return true;
  }
  return false;
}

}  // namespace

std::string content_policy(const std::vector<std::string>& frame_ancestors,
                           std::string_view framed) {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
         "connect-src 'self'; font-src 'self'; " +
         (framed.empty() ? std::string()
                         : "frame-src " + std::string(framed) + "; media-src " +
                               std::string(framed) + "; ") +
         "frame-ancestors " + (frame_ancestors.empty() ? "'none'" : join(frame_ancestors, " ")) +
         "; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'";
}

Status check_frame_ancestors(const std::vector<std::string>& frame_ancestors) {
  for (const std::string& each : frame_ancestors)
    for (const char c : each)
      if (static_cast<unsigned char>(c) <= ' ' || c == ';' || c == ',' || c >= 0x7f)
        return Error{.kind = ErrorKind::invalid_argument,
                     .message = "[" + each + "] is no source of Content-Security-Policy, such as " +
                                "'self' or https://intranet.example"};
  return ok_status();
}

Answer answer(const Files& files, std::string_view path, const net::Headers& asked, Keeping keeping,
              std::string_view policy) {
  std::optional<File> file = files.find(path);
  if (!file) return missing();
  const bool takes_gzip = net::accepts_gzip(asked.joined("Accept-Encoding"));
  // The same file in another form is another thing to keep.
  const std::string tag = "\"" + file->tag + (takes_gzip ? "" : "-plain") + "\"";
  Answer out;
  out.headers.set("Content-Security-Policy", policy);
  out.headers.set("X-Content-Type-Options", "nosniff");
  out.headers.set("Referrer-Policy", "no-referrer");
  out.headers.set("Cross-Origin-Opener-Policy", "same-origin");
  out.headers.set("Cache-Control",
                  keeping == Keeping::never ? "no-store" : "public, max-age=31536000, immutable");
  out.headers.set("Vary", "Accept-Encoding");
  out.headers.set("ETag", tag);
  if (names_tag(asked.joined("If-None-Match"), tag)) {
    out.status = 304;
    return out;
  }
  out.headers.set("Content-Type", file->type);
  if (takes_gzip) {
    out.headers.set("Content-Encoding", "gzip");
    out.body = std::move(file->gzipped);
    return out;
  }
  auto plain = gunzip(file->gzipped, inflated_bytes_max);
  if (!plain.ok()) return missing();
  out.body = std::move(*plain);
  return out;
}

}  // namespace cairn::console
