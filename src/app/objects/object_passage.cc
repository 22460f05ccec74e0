// SPDX-License-Identifier: Apache-2.0
#include "app/objects/object_passage.h"

#include <algorithm>
#include <utility>

#include "api/forms/error_json.h"
#include "api/memory_exchange.h"
#include "app/objects/policy_simulation.h"
#include "app/objects/preview_type.h"
#include "base/encode.h"
#include "base/strings.h"
#include "lfs/links.h"
#include "net/client/client.h"

namespace cairn::app {
namespace {

constexpr std::string_view passage_path = "/_cairn/objects";
constexpr std::int64_t presigned_s_default = 900;
constexpr std::size_t looked_at_bytes = 1024;
constexpr std::string_view dry_run_name = "dry_run";  // of this port alone

/// Fields that are about this port: who asks, from which page.
constexpr std::string_view not_passed_on[] = {"authorization",
                                              "cookie",
                                              "host",
                                              "origin",
                                              "referer",
                                              "x-amz-date",
                                              "date",
                                              "x-amz-content-sha256",
                                              "x-amz-security-token",
                                              "x-amz-region-set",
                                              "x-cairn-csrf"};

/// The reply of the object storage as the platform's port gives it: nothing of it is ever shown as
/// a page, or run, on the origin of the console.
class PassedReply final : public net::ReplyWriter {
 public:
  explicit PassedReply(net::ReplyWriter& outer) : outer_(outer) {}

  Status send_continue() override { return outer_.send_continue(); }
  Status begin(int status, const net::Headers& headers,
               std::optional<std::uint64_t> length) override {
    return outer_.begin(status, harmless(headers), length);
  }
  Status write(std::string_view bytes) override { return outer_.write(bytes); }
  Status write_file(int descriptor, std::uint64_t offset, std::uint64_t count) override {
    return outer_.write_file(descriptor, offset, count);
  }
  Status flush() override { return outer_.flush(); }
  Status end(const net::Headers& trailers) override { return outer_.end(trailers); }
  Status reply(int status, const net::Headers& headers, std::string_view body) override {
    return outer_.reply(status, harmless(headers), body);
  }
  bool begun() const override { return outer_.begun(); }
  int status() const override { return outer_.status(); }

 private:
  net::Headers harmless(net::Headers headers) const {
    standing.add_to(headers);
    headers.set("Content-Disposition", "attachment");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Content-Security-Policy", "sandbox");
    // What a cookie opened is for nobody else, whatever the object says to caches.
    headers.add("Vary", "Authorization, Cookie");
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
    return headers;
  }
  net::ReplyWriter& outer_;
};

/// A browser says what it wants a file for. As a script, a style, a frame of a page of this origin
/// nothing is given, whatever its type.
bool is_asked_as_data(const net::Headers& headers) {
  const auto purpose = headers.find("sec-fetch-dest");
  return !purpose || *purpose == "empty" || *purpose == "document";
}

/// What stands behind the two segments of the passage, as it was sent: names have their escapes.
std::string below_passage(std::string_view target, std::size_t base) {
  std::size_t at = base;
  for (int segment = 0; segment < 2; ++segment) {
    at = target.find_first_of("/?", at + 1);
    if (at == std::string_view::npos) return "/";
    if (target[at] == '?') return "/" + std::string(target.substr(at));
  }
  return std::string(target.substr(at));
}

/// The same target without what asks only to try, and whether it was there.
struct Tried {
  std::string target;
  bool is_asked = false;
};
Result<Tried> take_dry_run(const std::string& target) {
  const std::size_t query = target.find('?');
  if (query == std::string::npos) return Tried{target};
  Tried out{.target = target.substr(0, query)};
  char sign = '?';
  for (const std::string_view pair : split(std::string_view(target).substr(query + 1), '&')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = percent_decode(pair.substr(0, equals), true);
    if (!name || *name != dry_run_name) {
      (out.target += sign) += pair;
      sign = '&';
      continue;
    }
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    if (value != "true" && value != "false" && !value.empty())
      return api::illegal_argument("[dry_run] must be true or false");
    out.is_asked = out.is_asked || value != "false";
  }
  return out;
}

/// Whether a request is one that can be tried: a bucket's own deletion, policy or lifecycle.
Status check_tried(const net::RequestHead& head) {
  const std::string_view path = head.path();
  const bool of_bucket = path.size() > 1 && path.find('/', 1) == std::string_view::npos;
  const auto query = net::parse_query(head.query());
  const bool fits = of_bucket && query.ok() &&
                    ((head.method == "DELETE" && query->empty()) ||
                     (head.method == "PUT" && query->size() == 1 &&
                      ((*query)[0].first == "policy" || (*query)[0].first == "lifecycle")));
  // It is never carried out in place of being tried.
  return fits ? ok_status()
              : Status(api::illegal_argument(
                    "[dry_run] is of DELETE /_cairn/objects/{bucket}, and of PUT "
                    "/_cairn/objects/{bucket} with ?policy or ?lifecycle; nothing was done"));
}

Result<api::Reply> try_out(const ObjectPassage& passage, net::Exchange& inner,
                           net::ReplyWriter& outer) {
  Result<Json> tried = passage.service.try_out(inner);
  net::Headers fields;
  inner.reply.standing.add_to(fields);
  for (const auto& [name, value] : fields.fields()) outer.standing.add(name, value);
  if (!tried.ok()) return tried.error();
  api::Reply reply = api::Reply::plain(tried->dump(), "application/json");
  reply.tried = true;
  return reply;
}

Result<api::Reply> pass(api::Call& call, const ObjectPassage& passage,
                        const std::string& base_path) {
  net::Exchange& outer = call.exchange();
  if (!is_asked_as_data(outer.head.headers))
    return Error{ErrorKind::permission_denied, "security_exception",
                 "objects are given as data alone here, not as a part of a page: ask POST "
                 "/_cairn/objects/_presign for an address on the port of the object storage"};
  CAIRN_TRY(const Tried tried, take_dry_run(below_passage(outer.head.target, base_path.size())));
  net::RequestHead head{
      .method = outer.head.method, .target = tried.target, .headers = {}, .peer_address = {}};
  if (tried.is_asked) CAIRN_CHECK(check_tried(head));
  for (const auto& [name, value] : outer.head.headers.fields()) {
    const std::string lower = lower_ascii(name);
    if (std::find(std::begin(not_passed_on), std::end(not_passed_on), lower) ==
        std::end(not_passed_on))
      head.headers.add(name, value);
  }
  head.peer_address = outer.head.peer_address;
  head.tls = outer.head.tls;
  head.tls_version = outer.head.tls_version;
  head.version_minor = outer.head.version_minor;
  head.received_steady_ns = outer.head.received_steady_ns;
  CAIRN_CHECK(passage.callers->sign(call.caller(), head, s3::name_of(s3::Payload::unsigned_)));
  PassedReply reply(outer.reply);
  net::Exchange inner{head, outer.body, reply, call.deadline(), outer.request_id};
  if (tried.is_asked) return try_out(passage, inner, outer.reply);
  passage.service.handle(inner);
  api::Reply out = api::Reply::already_sent();
  if (outer.reply.begun()) out.status = outer.reply.status();
  return out;
}

// --- presigned addresses

struct Presign {
  std::string method, bucket, key, version_id;
  bool preview = false;
  std::int64_t expires_in_s = presigned_s_default;
};

Result<Presign> presign_of(const Json& body) {
  for (const auto& [name, value] : body.as_object()) {
    const bool is_known = name == "bucket" || name == "key" || name == "version_id" ||
                          name == "method" || name == "expires_in_seconds" || name == "preview";
    if (!is_known)
      return api::illegal_argument("unknown field [" + name +
                                   "]; there are bucket, key, version_id, method, "
                                   "expires_in_seconds and preview");
    const bool fits = name == "expires_in_seconds" ? value.is_integer()
                      : name == "preview"          ? value.is_bool()
                                                   : value.is_string();
    if (!fits) return api::illegal_argument("[" + name + "] has the wrong type");
  }
  Presign out{.method = body.string_or("method", "GET"),
              .bucket = body.string_or("bucket"),
              .key = body.string_or("key"),
              .version_id = body.string_or("version_id"),
              .preview = body.bool_or("preview"),
              .expires_in_s = body.int_or("expires_in_seconds", presigned_s_default)};
  if (out.bucket.empty() || out.bucket.find('/') != std::string::npos || out.key.empty())
    return api::illegal_argument("[bucket] and [key] are needed: one object");
  if (out.method != "GET" && out.method != "HEAD" && out.method != "PUT" && out.method != "DELETE")
    return api::illegal_argument("[method] must be GET, HEAD, PUT or DELETE");
  if (out.preview && out.method != "GET") return api::illegal_argument("[preview] is of a GET");
  if (out.expires_in_s < 1 || out.expires_in_s > s3::presigned_seconds_max)
    return api::illegal_argument("[expires_in_seconds] must be from 1 to " +
                                 std::to_string(s3::presigned_seconds_max));
  return out;
}

/// The first bytes of the object, as the caller may read it. Errors: not_found, permission_denied:
/// what the object storage answered.
Result<std::string> first_bytes(api::Call& call, const ObjectPassage& passage,
                                const std::string& target) {
  const net::RequestHead& outer = call.exchange().head;
  net::RequestHead head{.method = "GET", .target = target, .headers = {}, .peer_address = {}};
  head.headers.set("Range", "bytes=0-" + std::to_string(looked_at_bytes - 1));
  CAIRN_CHECK(passage.callers->sign(call.caller(), head, s3::empty_sha256));
  const api::MemoryRequest inner{
      .target = head.target, .headers = head.headers, .deadline = call.deadline()};
  api::MemoryReply reply;
  api::MemoryExchange exchange(inner, reply, outer.peer_address,
                               std::string(call.exchange().request_id));
  passage.service.handle(exchange.exchange());
  if (reply.status == 404)
    return Error{ErrorKind::not_found, "resource_not_found_exception", "there is no such object"};
  if (reply.status == 416) return std::string();  // it is empty
  if (reply.status >= 300)
    return Error{ErrorKind::permission_denied, "security_exception",
                 "the object storage does not give this object: it answered " +
                     std::to_string(reply.status)};
  return std::move(reply.body);
}

Result<api::Reply> presign(api::Call& call, const ObjectPassage& passage) {
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const Presign asked, presign_of(body));
  const std::string base =
      lfs::objects_url(call.exchange().head, passage.urls, passage.objects_url());
  CAIRN_TRY(const net::Url url, net::parse_url(base));
  const std::string path =
      "/" + percent_encode(asked.bucket, "") + "/" + percent_encode(asked.key, "/");
  std::string query;
  if (!asked.version_id.empty()) query = "versionId=" + percent_encode(asked.version_id, "");
  Json answer = Json::object();
  if (asked.preview) {
    CAIRN_TRY(const std::string first,
              first_bytes(call, passage, query.empty() ? path : path + "?" + query));
    const std::string_view type = preview_type(first);
    answer.set("type", type.empty() ? Json() : Json(type));
    query += (query.empty() ? "" : "&") + std::string("response-content-disposition=") +
             (type.empty() ? "attachment" : "inline");
    // What is not on the list is for saving, whatever it says that it is.
    query += "&response-content-type=" +
             percent_encode(type.empty() ? "application/octet-stream" : type, "");
    query += "&" + std::string(s3api::preview_parameter) + "=true";
  }
  CAIRN_TRY(query, passage.callers->presigned_query(call.caller(), asked.method, path, query,
                                                    url.authority(), asked.expires_in_s));
  answer.set("url", url.scheme + "://" + url.authority() + path + "?" + query);
  return api::Reply::json(std::move(answer));
}

/// Errors that the object storage did not make: a page that asked for JSON or XML reads JSON.
std::string json_error(const Error& error, int, std::string_view, net::Headers& headers) {
  headers.set("Content-Type", "application/json");
  headers.set("X-Content-Type-Options", "nosniff");
  return api::error_body(error, false).dump();
}

}  // namespace

std::function<std::string(const net::RequestHead& head)> objects_reached_at(
    api::ServiceRef<const ObjectPassage> passage) {
  return [passage](const net::RequestHead& head) {
    return lfs::objects_url(head, passage->urls, passage->objects_url());
  };
}

void add_object_passage_routes(api::Router& router, api::ServiceRef<const ObjectPassage> passage,
                               const std::string& base_path) {
  // The object storage counts and judges them, so that nothing does so twice.
  gate::Route row{.method = {},
                  .path = {},
                  .operation = "cairn.pass_objects",
                  .resource = "",
                  .query = {{"*", "string", "Those of the object storage."}},
                  .summary =
                      "The same request to the object storage, with the access key that the "
                      "caller's key has.",
                  .body_is_stream = true,
                  .waits = true,
                  .media_type = "application/octet-stream",
                  .error_wording = json_error};
  const auto handler = [passage, base_path](api::Call& call) {
    return pass(call, *passage, base_path);
  };
  for (const auto* path : {"", "/{bucket}", "/{bucket}/{key...}"})
    for (const auto* method : {"GET", "HEAD", "PUT", "POST", "DELETE"}) {
      if (*path == '\0' && std::string_view(method) != "GET") continue;  // buckets are listed
      row.query = {{"*", "string", "Those of the object storage."}};
      const bool can_be_tried =
          std::string_view(path) == "/{bucket}" &&
          (std::string_view(method) == "PUT" || std::string_view(method) == "DELETE");
      if (can_be_tried)
        row.query.push_back({std::string(dry_run_name), "boolean",
                             "Only tell what would happen: of the bucket's deletion, its policy "
                             "and its lifecycle; nothing is changed."});
      row.method = method;
      row.path = std::string(passage_path) + path;
      router.add(row, handler);
    }
  router.add(
      {.method = "POST",
       .path = std::string(passage_path) + "/_presign",
       .operation = "cairn.presign_object",
       .reads = true,
       .summary = "An address on the object storage's own port that is good for one request.",
       .body_required = true},
      [passage](api::Call& call) { return presign(call, *passage); });
  router.add({.method = "POST",
              .path = "/_cairn/buckets/{bucket}/_simulate",
              .operation = "cairn.simulate_policy",
              .cluster = {"read_security"},
              .reads = true,
              .summary = "Whether requests to a bucket would be allowed, and by what.",
              .body_required = true},
             [passage](api::Call& call) {
               return simulate_requests(call, passage->service, passage->accounts);
             });
}

}  // namespace cairn::app
