// SPDX-License-Identifier: Apache-2.0
// Buckets and objects: what port 9000 answers in XML and header fields, as values.
#include <algorithm>

#include "api/forms/error_json.h"
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"
#include "base/encode.h"
#include "base/strings.h"
#include "format/xml.h"

namespace cairn::api {
namespace {

constexpr std::int64_t text_bytes_max = 1 << 20;
constexpr std::size_t put_bytes_max = 512 << 10;
constexpr std::string_view metadata_prefix = "x-amz-meta-";

/// The error of a reply in XML: its code and message are those of the object storage.
Error error_of_objects(const ObjectReply& reply) {
  std::string code = "status_exception", message;
  if (const auto body = parse_xml(reply.body); body.ok()) {
    if (!body->text_of("Code").empty()) code = body->text_of("Code");
    message = body->text_of("Message");
  }
  Error out = error_of_reply(reply.status, Json::object({{"message", message}}));
  if (reply.status == 404 && code == "status_exception") code = "NoSuchKey";  // a HEAD has no body
  out.code = std::move(code);
  out.details = {{"_status", std::to_string(reply.status)}};
  return out;
}

class ObjectFields {
 public:
  explicit ObjectFields(AskObjects ask) : ask_(std::move(ask)) {}

  Result<Json> buckets(const graphql::FieldCall& field) const {
    CAIRN_TRY(auto all, list_buckets(field));
    return page_of_list(field, std::move(all),
                        [](const Json& one) { return one.string_or("name"); });
  }

  /// Of what a listing says, so that it has the time of its making too; HEAD answers whether one
  /// that is another's may be used.
  Result<Json> bucket(const graphql::FieldCall& field, const std::string& name) const {
    CAIRN_TRY(const auto head, ask(field, {.method = "HEAD", .path = path_of(name)}));
    (void)head;
    Json out = Json::object({{"name", name}});
    auto all = list_buckets(field);
    if (all.ok())
      for (Json& one : *all)
        if (one.string_or("name") == name) out = std::move(one);
    return out;
  }

  Result<Json> create_bucket(const graphql::FieldCall& field) const {
    const std::string name = field.arguments.string_or("name");
    CAIRN_TRY(const auto made, ask(field, {.method = "PUT", .path = path_of(name)}));
    (void)made;
    return bucket(field, name);
  }

  Result<Json> remove(const graphql::FieldCall& field, const std::string& path) const {
    CAIRN_TRY(const auto gone, ask(field, {.method = "DELETE", .path = path}));
    (void)gone;
    return Json(true);
  }

  Result<Json> object(const graphql::FieldCall& field, const std::string& bucket,
                      const std::string& key) const {
    CAIRN_TRY(const auto head, ask(field, {.method = "HEAD", .path = path_of(bucket, key)}));
    Json out = Json::object({{"bucket", bucket}, {"key", key}});
    const std::pair<const char*, const char*> members[] = {{"content-length", "size"},
                                                           {"etag", "eTag"},
                                                           {"content-type", "contentType"},
                                                           {"last-modified", "lastModified"},
                                                           {"x-amz-storage-class", "storageClass"}};
    for (const auto& [from, to] : members)
      if (const auto value = head.headers.find(from)) out.set(to, *value);
    Json metadata = Json::object();
    for (const auto& [name, value] : head.headers.fields())
      if (const std::string lower = lower_ascii(name); lower.starts_with(metadata_prefix))
        metadata.set(lower.substr(metadata_prefix.size()), value);
    out.set("metadata", std::move(metadata));
    return out;
  }

  Result<Json> put_object(const graphql::FieldCall& field) const {
    const std::string bucket = field.arguments.string_or("bucket");
    const std::string key = field.arguments.string_or("key");
    ObjectRequest request{
        .method = "PUT", .path = path_of(bucket, key), .body = field.arguments.string_or("text")};
    if (request.body.size() > put_bytes_max)
      return illegal_argument("[text] has " + std::to_string(request.body.size()) +
                              " bytes, more than " + std::to_string(put_bytes_max) +
                              ": send it to the object storage itself");
    request.headers.set("Content-Type", field.arguments.string_or("contentType", "text/plain"));
    CAIRN_TRY(const auto put, ask(field, request));
    (void)put;
    return object(field, bucket, key);
  }

  Result<Json> text(const graphql::FieldCall& field) const {
    const std::int64_t bytes = field.arguments.int_or("bytes", 0);
    if (bytes < 1 || bytes > text_bytes_max)
      return illegal_argument("[bytes] must be from 1 to " + std::to_string(text_bytes_max));
    ObjectRequest request{
        .path = path_of(field.source.string_or("bucket"), field.source.string_or("key"))};
    // An empty object has no first byte to ask for.
    if (field.source.string_or("size") == "0") return Json("");
    request.headers.set("Range", "bytes=0-" + std::to_string(bytes - 1));
    CAIRN_TRY(const auto got, ask(field, request));
    // The cut may go through a character.
    const std::size_t whole = valid_utf8_prefix(got.body);
    if (got.body.size() - whole > 3) return Json();
    return Json(got.body.substr(0, whole));
  }

  Result<Json> objects(const graphql::FieldCall& field) const {
    CAIRN_TRY(const XmlElement list, list_objects(field, {}));
    const std::string bucket = field.source.string_or("name");
    Json nodes = Json::array(), edges = Json::array();
    Json start, end;
    for (const XmlElement& one : list.children) {
      if (one.name != "Contents") continue;
      const std::string key(one.text_of("Key"));
      Json node = Json::object({{"bucket", bucket},
                                {"key", key},
                                {"size", std::string(one.text_of("Size"))},
                                {"eTag", std::string(one.text_of("ETag"))},
                                {"lastModified", std::string(one.text_of("LastModified"))},
                                {"storageClass", std::string(one.text_of("StorageClass"))}});
      const std::string cursor = to_base64url("key:" + key);
      if (start.is_null()) start = cursor;
      end = cursor;
      edges.push(Json::object({{"cursor", cursor}, {"node", node}}));
      nodes.push(std::move(node));
    }
    const bool more = list.text_of("IsTruncated") == "true";
    const Json* const after = field.arguments.find("after");
    return Json::object(
        {{"nodes", std::move(nodes)},
         {"edges", std::move(edges)},
         {"pageInfo", Json::object({{"hasNextPage", more},
                                    {"hasPreviousPage", after != nullptr && !after->is_null()},
                                    {"startCursor", std::move(start)},
                                    {"endCursor", std::move(end)}})}});
  }

  Result<Json> common_prefixes(const graphql::FieldCall& field) const {
    const std::string delimiter = field.arguments.string_or("delimiter", "/");
    if (delimiter.empty()) return illegal_argument("[delimiter] must not be empty");
    CAIRN_TRY(const XmlElement list, list_objects(field, delimiter));
    Json prefixes = Json::array();
    std::string last;
    for (const XmlElement& one : list.children) {
      if (one.name == "CommonPrefixes") {
        prefixes.push(std::string(one.text_of("Prefix")));
        last = std::max(last, std::string(one.text_of("Prefix")));
      } else if (one.name == "Contents") {
        last = std::max(last, std::string(one.text_of("Key")));
      }
    }
    return Json::object({{"prefixes", std::move(prefixes)},
                         {"hasNextPage", list.text_of("IsTruncated") == "true"},
                         {"endCursor", last.empty() ? Json() : Json(to_base64url("key:" + last))}});
  }

  static std::string path_of(const std::string& bucket, const std::string& key = {}) {
    return "/" + percent_encode(bucket) + (key.empty() ? "" : "/" + percent_encode(key, "/"));
  }

 private:
  /// Errors: what port 9000 answers with 300 and above.
  Result<ObjectReply> ask(const graphql::FieldCall& field, ObjectRequest request) const {
    if (!ask_) return Error{ErrorKind::unsupported, {}, "this server has no object storage"};
    Call& call = host_of(field).call();
    request.peer_address = call.exchange().head.peer_address;
    request.request_id = std::string(call.exchange().request_id);
    CAIRN_TRY(ObjectReply reply, ask_(call.caller(), request, call.deadline()));
    if (reply.status >= 300) return error_of_objects(reply);
    return reply;
  }

  Result<Json::Array> list_buckets(const graphql::FieldCall& field) const {
    CAIRN_TRY(const ObjectReply reply, ask(field, {}));
    CAIRN_TRY(const XmlElement list, parse_xml(reply.body));
    Json::Array out;
    if (const XmlElement* const buckets = list.child("Buckets"))
      for (const XmlElement& one : buckets->children)
        out.push_back(Json::object({{"name", std::string(one.text_of("Name"))},
                                    {"created", std::string(one.text_of("CreationDate"))}}));
    std::sort(out.begin(), out.end(), [](const Json& a, const Json& b) {
      return a.string_or("name") < b.string_or("name");
    });
    return out;
  }

  Result<XmlElement> list_objects(const graphql::FieldCall& field,
                                  const std::string& delimiter) const {
    const std::int64_t first = field.arguments.int_or("first", 0);
    if (first < 0 || first > 100) return illegal_argument("[first] must be from 0 to 100");
    std::string query = "list-type=2&max-keys=" + std::to_string(first);
    const auto add = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) query += "&" + std::string(name) + "=" + percent_encode(value);
    };
    add("prefix", field.arguments.string_or("prefix"));
    add("delimiter", delimiter);
    if (const std::string after = field.arguments.string_or("after"); !after.empty()) {
      const auto plain = from_base64url(after);
      if (!plain || !plain->starts_with("key:"))
        return illegal_argument("`" + after.substr(0, 200) +
                                "` does not appear to be a valid cursor.");
      add("start-after", std::string_view(*plain).substr(4));
    }
    CAIRN_TRY(const ObjectReply reply,
              ask(field, {.path = path_of(field.source.string_or("name")), .query = query}));
    return parse_xml(reply.body);
  }

  const AskObjects ask_;
};

}  // namespace

Status bind_object_fields(graphql::Schema& schema, AskObjects ask) {
  using Field = const graphql::FieldCall&;
  const auto fields = std::make_shared<const ObjectFields>(std::move(ask));
  const auto argument = [](Field field, std::string_view name) {
    return field.arguments.string_or(name);
  };
  CAIRN_CHECK(schema.bind("Query", "buckets", [=](Field field) { return fields->buckets(field); }));
  CAIRN_CHECK(schema.bind("Query", "bucket", [=](Field field) {
    return fields->bucket(field, argument(field, "name"));
  }));
  CAIRN_CHECK(
      schema.bind("Bucket", "objects", [=](Field field) { return fields->objects(field); }));
  CAIRN_CHECK(schema.bind("Bucket", "commonPrefixes",
                          [=](Field field) { return fields->common_prefixes(field); }));
  CAIRN_CHECK(schema.bind("Bucket", "object", [=](Field field) {
    return fields->object(field, field.source.string_or("name"), argument(field, "key"));
  }));
  CAIRN_CHECK(schema.bind("Object", "text", [=](Field field) { return fields->text(field); }));
  CAIRN_CHECK(schema.bind("Mutation", "createBucket",
                          [=](Field field) { return fields->create_bucket(field); }));
  CAIRN_CHECK(schema.bind("Mutation", "deleteBucket", [=](Field field) {
    return fields->remove(field, ObjectFields::path_of(argument(field, "name")));
  }));
  CAIRN_CHECK(
      schema.bind("Mutation", "putObject", [=](Field field) { return fields->put_object(field); }));
  return schema.bind("Mutation", "deleteObject", [=](Field field) {
    return fields->remove(field,
                          ObjectFields::path_of(argument(field, "bucket"), argument(field, "key")));
  });
}

}  // namespace cairn::api
