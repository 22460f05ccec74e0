// SPDX-License-Identifier: Apache-2.0
#include "s3/wire/wire.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "os/random.h"
#include "s3/errors.h"

namespace cairn::s3::wire_test {
namespace {

// Fills structures at random, so that a field that is lost on the way is noticed.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(os::seeded_random(seed)) {}

  void fill(const Shape& shape, void* structure) {
    for (const Member& member : shape.members) {
      void* field = member.field(structure);
      if (!member.required && below(3) == 0) continue;
      if (member.access->size != nullptr) {
        const std::size_t count = (member.required ? 1 : 0) + below(3);
        for (std::size_t i = 0; i < count; ++i) fill_value(member, member.access->append(field));
      } else {
        fill_value(member, member.access->value(field));
      }
    }
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_->below(bound); }

  void fill_value(const Member& member, void* value) {
    switch (member.type) {
      case Type::text:
      case Type::text_list:
        *static_cast<std::string*>(value) = text(member);
        break;
      case Type::integer:
        *static_cast<std::int64_t*>(value) = static_cast<std::int64_t>(below(1u << 30));
        break;
      case Type::boolean:
        *static_cast<bool*>(value) = below(2) == 1;
        break;
      case Type::time:
        static_cast<Time*>(value)->unix_ms =
            1'600'000'000'000 + static_cast<std::int64_t>(below(100'000'000)) * 1000;
        break;
      case Type::text_map:
        for (std::uint64_t i = below(3) + 1; i > 0; --i)
          (*static_cast<Metadata*>(value))["name-" + std::to_string(i)] = head_text();
        break;
      case Type::structure:
      case Type::structure_list:
        fill(member.shape(), value);
        break;
    }
  }

  std::string text(const Member& member) {
    if (member.name == "encoding_type") return "url";
    if (member.wire.values != nullptr)
      return std::string(member.wire.values->allowed[below(member.wire.values->allowed.size())]);
    if (member.wire.place == Place::header) return head_text();
    static constexpr std::string_view pieces[] = {
        "a", "/", "%2F", "+", " x", "<&>\"'", "é", "\x01", "\xF0\x9F\x98\x80", "~*", "=", "key"};
    std::string out = "k";
    for (std::uint64_t i = below(6); i > 0; --i) out += pieces[below(std::size(pieces))];
    return out;
  }

  std::string head_text() {
    std::string out = "v";
    for (std::uint64_t i = below(12); i > 0; --i) out += static_cast<char>('!' + below(90));
    if (out.find(',') != std::string::npos) out = "v";
    return out;
  }

  std::unique_ptr<os::Random> random_;
};

bool is_served(const Operation& operation) {
  const auto served = all_operations();
  return std::find(served.begin(), served.end(), &operation) != served.end();
}

template <class In, class Out>
void check_round_trips(const OperationOf<In, Out>& operation, Filler& filler, int rounds) {
  CAPTURE(operation.name);
  for (int i = 0; i < rounds; ++i) {
    const Dialect dialect = i % 2 == 0 ? Dialect::aws : Dialect::svc;
    In in{};
    filler.fill(operation.input(), &in);
    RequestParts request = write_request(operation, in, dialect);
    const Target target = !request.key.empty()      ? Target::object
                          : !request.bucket.empty() ? Target::bucket
                                                    : Target::service;
    const Operation* const matched =
        match_operation(request.method, target, request.query, request.headers);
    // Its request is that of ListBuckets; the signature tells.
    const bool by_signature = operation.name == "ListDirectoryBuckets";
    if (is_served(operation) && !by_signature) CHECK(matched == &operation);
    if (operation.target == Target::control) {
      const Operation* const asked =
          match_control_operation(request.method, request.path, request.key);
      CHECK(asked == &operation);
    }
    if (by_signature) CHECK(matched == &operations::list_buckets);
    const auto read = read_request(operation, request, dialect);
    REQUIRE_MESSAGE(read.ok(), read.error().message);
    CHECK(*read == in);
    std::vector<std::string> faults;
    find_faults(operation.input(), &in, faults);
    CHECK(faults.empty());

    Out out{};
    filler.fill(operation.output(), &out);
    const ReplyParts reply = write_reply(operation, out, dialect);
    CHECK(reply.status == operation.status);
    if (operation.method == "HEAD" || operation.stream_out) CHECK(reply.body.empty());
    const auto result = read_reply(operation, reply, dialect);
    REQUIRE_MESSAGE(result.ok(), result.error().message);
    CHECK(*result == out);
  }
}

TEST_CASE("wire: every operation reads back what it writes, in both dialects") {
  constexpr std::uint64_t seed = 20240131;
  MESSAGE("seed " << seed);
  Filler filler(seed);
  using namespace operations;  // NOLINT
  const auto check = [&](const auto& operation) { check_round_trips(operation, filler, 60); };
  check(list_buckets);
  check(create_bucket);
  check(head_bucket);
  check(get_bucket_location);
  check(delete_bucket);
  check(list_objects);
  check(list_objects_v2);
  check(list_object_versions);
  check(put_bucket_versioning);
  check(get_bucket_versioning);
  check(put_bucket_tagging);
  check(get_bucket_tagging);
  check(delete_bucket_tagging);
  check(put_bucket_acl);
  check(get_bucket_acl);
  check(put_bucket_ownership_controls);
  check(get_bucket_ownership_controls);
  check(delete_bucket_ownership_controls);
  check(put_public_access_block);
  check(get_public_access_block);
  check(delete_public_access_block);
  check(put_bucket_policy);
  check(get_bucket_policy);
  check(delete_bucket_policy);
  check(get_bucket_policy_status);
  check(put_bucket_cors);
  check(get_bucket_cors);
  check(delete_bucket_cors);
  check(put_bucket_lifecycle_configuration);
  check(get_bucket_lifecycle_configuration);
  check(delete_bucket_lifecycle);
  check(put_object_lock_configuration);
  check(get_object_lock_configuration);
  check(put_bucket_encryption);
  check(get_bucket_encryption);
  check(delete_bucket_encryption);
  check(put_bucket_request_payment);
  check(get_bucket_request_payment);
  check(get_bucket_accelerate_configuration);
  check(get_bucket_logging);
  check(put_bucket_accelerate_configuration);
  check(put_bucket_logging);
  check(put_bucket_notification_configuration);
  check(delete_bucket_website);
  check(delete_bucket_replication);
  check(get_bucket_notification_configuration);
  check(get_bucket_website);
  check(get_bucket_replication);
  check(put_object);
  check(get_object);
  check(head_object);
  check(delete_object);
  check(delete_objects);
  check(copy_object);
  check(get_object_attributes);
  check(restore_object);
  check(put_object_tagging);
  check(get_object_tagging);
  check(delete_object_tagging);
  check(put_object_acl);
  check(get_object_acl);
  check(put_object_retention);
  check(get_object_retention);
  check(put_object_legal_hold);
  check(get_object_legal_hold);
  check(create_multipart_upload);
  check(upload_part);
  check(upload_part_copy);
  check(complete_multipart_upload);
  check(abort_multipart_upload);
  check(list_parts);
  check(list_multipart_uploads);
  check(create_bucket_metadata_configuration);
  check(get_bucket_metadata_configuration);
  check(delete_bucket_metadata_configuration);
  check(create_session);
  check(list_directory_buckets);
  check(rename_object);
  check(update_bucket_metadata_journal_table_configuration);
  check(update_bucket_metadata_inventory_table_configuration);
  check(list_bucket_metadata_table_rows);
  CHECK(all_operations().size() == 81);
  check(create_access_point);
  check(get_access_point);
  check(list_access_points);
  check(delete_access_point);
  check(put_access_point_policy);
  check(get_access_point_policy);
  check(delete_access_point_policy);
  check(get_access_point_policy_status);
  check(create_access_grants_instance);
  check(get_access_grants_instance);
  check(delete_access_grants_instance);
  check(list_access_grants_instances);
  check(get_access_grants_instance_for_prefix);
  check(create_access_grants_location);
  check(get_access_grants_location);
  check(update_access_grants_location);
  check(delete_access_grants_location);
  check(list_access_grants_locations);
  check(create_access_grant);
  check(get_access_grant);
  check(delete_access_grant);
  check(list_access_grants);
  check(get_data_access);
  CHECK(control_operations().size() == 31);
}

TEST_CASE("wire: descriptions are complete and no two fields share a place") {
  std::vector<const Operation*> all(all_operations().begin(), all_operations().end());
  all.insert(all.end(), control_operations().begin(), control_operations().end());
  for (const Operation* operation : all) {
    CAPTURE(operation->name);
    CHECK(find_operation(operation->name) == operation);
    CHECK(find_operation(operation->call) == operation);
    for (const Shape* shape : {&operation->input(), &operation->output()}) {
      std::set<std::string> places, names;
      for (const Member& member : shape->members) {
        CAPTURE(member.name);
        CHECK(names.insert(std::string(member.name)).second);
        CHECK(places
                  .insert(std::string(name_of(member.wire.place)) + " " +
                          std::string(member.wire.name))
                  .second);
        CHECK_FALSE(member.wire.name.empty());
        CHECK_FALSE(name_of(member.type).empty());
        if (member.wire.values != nullptr)
          CHECK(find_error(member.wire.values->error_code) != nullptr);
      }
    }
  }
}

TEST_CASE("wire: a request lands at the operation that it asks for") {
  const auto match = [](std::string_view method, Target target, net::QueryParameters query,
                        std::initializer_list<std::pair<const char*, const char*>> fields = {}) {
    net::Headers headers;
    for (const auto& [name, value] : fields) headers.add(name, value);
    const Operation* found = match_operation(method, target, query, headers);
    return found == nullptr ? std::string() : std::string(found->name);
  };
  CHECK(match("GET", Target::service, {}) == "ListBuckets");
  CHECK(match("GET", Target::service, {{"x-id", "ListBuckets"}}) == "ListBuckets");
  CHECK(match("GET", Target::bucket, {}) == "ListObjects");
  CHECK(match("GET", Target::bucket, {{"list-type", "1"}}) == "ListObjects");
  CHECK(match("GET", Target::bucket, {{"list-type", "2"}, {"prefix", ""}}) == "ListObjectsV2");
  CHECK(match("GET", Target::bucket, {{"location", ""}}) == "GetBucketLocation");
  CHECK(match("GET", Target::bucket, {{"acl", ""}}) == "GetBucketAcl");
  CHECK(match("GET", Target::bucket, {{"versions", ""}}) == "ListObjectVersions");
  CHECK(match("GET", Target::bucket, {{"torrent", ""}}).empty());
  CHECK(match("PUT", Target::bucket, {}) == "CreateBucket");
  CHECK(match("PUT", Target::bucket, {{"versioning", ""}}) == "PutBucketVersioning");
  CHECK(match("PUT", Target::bucket, {{"website", ""}}).empty());
  CHECK(match("DELETE", Target::bucket, {}) == "DeleteBucket");
  CHECK(match("DELETE", Target::bucket, {{"policy", ""}}) == "DeleteBucketPolicy");
  CHECK(match("DELETE", Target::bucket, {{"acl", ""}}).empty());
  CHECK(match("POST", Target::bucket, {{"delete", ""}}) == "DeleteObjects");
  CHECK(match("POST", Target::bucket, {}).empty());
  CHECK(match("PATCH", Target::object, {}).empty());
  CHECK(match("PUT", Target::object, {}) == "PutObject");
  CHECK(match("PUT", Target::object, {{"tagging", ""}}) == "PutObjectTagging");
  CHECK(match("PUT", Target::object, {{"torrent", ""}}).empty());
  CHECK(match("PUT", Target::object, {}, {{"X-Amz-Copy-Source", "/b/k"}}) == "CopyObject");
  CHECK(match("PUT", Target::object, {}, {{"x-svc-copy-source", "/b/k"}}) == "CopyObject");
  CHECK(match("PUT", Target::object, {{"uploadId", "u"}, {"partNumber", "1"}}) == "UploadPart");
  CHECK(match("PUT", Target::object, {{"uploadId", "u"}}) == "UploadPart");
  CHECK(match("PUT", Target::object, {{"uploadId", "u"}}, {{"x-amz-copy-source", "b/k"}}) ==
        "UploadPartCopy");
  CHECK(match("GET", Target::object, {{"partNumber", "1"}}) == "GetObject");
  CHECK(match("GET", Target::object, {{"uploadId", "u"}}) == "ListParts");
  CHECK(match("HEAD", Target::object, {}) == "HeadObject");
  CHECK(match("HEAD", Target::bucket, {}) == "HeadBucket");
}

template <class Op>
Error fault_of(const Op& operation, const RequestParts& parts) {
  const auto read = read_request(operation, parts, Dialect::aws);
  REQUIRE_FALSE(read.ok());
  return read.error();
}

TEST_CASE("wire: parameters that cannot be read have their errors") {
  RequestParts list{.method = "GET", .bucket = "b"};
  list.query = {{"max-keys", "many"}};
  Error fault = fault_of(operations::list_objects, list);
  CHECK(fault.code == "InvalidArgument");
  CHECK(fault.message == "Provided max-keys not an integer or within integer range");
  CHECK(fault.details == std::vector<std::pair<std::string, std::string>>{
                             {"ArgumentName", "max-keys"}, {"ArgumentValue", "many"}});
  for (const char* value : {"URL", "base64", ""}) {
    list.query = {{"encoding-type", value}};
    CHECK(fault_of(operations::list_objects, list).message ==
          "Invalid Encoding Method specified in Request");
  }
  list.query = {{"max-keys", ""}, {"prefix", ""}};
  const auto read = read_request(operations::list_objects, list, Dialect::aws);
  REQUIRE(read.ok());
  CHECK_FALSE(read->max_keys.has_value());
  CHECK(read->prefix == "");

  RequestParts part{.method = "PUT", .bucket = "b", .key = "k", .query = {{"uploadId", "u"}}};
  CHECK(fault_of(operations::upload_part, part).message ==
        "Part number must be an integer between 1 and 10000, inclusive");
  RequestParts put{.method = "PUT", .bucket = "b", .key = "k"};
  put.headers.add("x-amz-storage-class", "FAST");
  CHECK(fault_of(operations::put_object, put).code == "InvalidStorageClass");
  put.headers.set("x-amz-storage-class", "STANDARD_IA");
  put.headers.set("x-amz-server-side-encryption", "aws:rot13");
  fault = fault_of(operations::put_object, put);
  CHECK(fault.code == "InvalidEncryptionAlgorithmError");
  CHECK(fault.details[1].second == "aws:rot13");
  put.headers.remove("x-amz-server-side-encryption");
  put.headers.set("x-amz-sdk-checksum-algorithm", "MD4");
  CHECK(fault_of(operations::put_object, put).message.starts_with("Checksum algorithm provided"));
}

TEST_CASE("wire: dates of conditions that cannot be read count as absent") {
  RequestParts get{.method = "GET", .bucket = "b", .key = "k"};
  get.headers.add("If-Modified-Since", "yesterday");
  get.headers.add("If-Unmodified-Since", "Fri, 24 May 2013 00:00:00 GMT");
  const auto read = read_request(operations::get_object, get, Dialect::aws);
  REQUIRE(read.ok());
  CHECK_FALSE(read->if_modified_since.has_value());
  REQUIRE(read->if_unmodified_since.has_value());
  CHECK(read->if_unmodified_since->unix_ms == 1'369'353'600'000);
}

TEST_CASE("wire: bodies that are not what they should be are MalformedXML") {
  RequestParts parts{.method = "POST", .bucket = "b"};
  const auto code = [&](const char* body) {
    parts.body = body;
    return fault_of(operations::delete_objects, parts).code;
  };
  CHECK(code("") == "MissingRequestBodyError");
  CHECK(code("<Delete>") == "MalformedXML");
  CHECK(code("<Delete/>") == "MalformedXML");
  CHECK(code("<Other><Object><Key>k</Key></Object></Other>") == "MalformedXML");
  CHECK(code("<Delete><Object><VersionId>v</VersionId></Object></Delete>") == "MalformedXML");
  CHECK(code("<Delete><Quiet>perhaps</Quiet><Object><Key>k</Key></Object></Delete>") ==
        "MalformedXML");
  CHECK(code("<!DOCTYPE x [<!ENTITY e \"e\">]><Delete><Object><Key>&e;</Key></Object></Delete>") ==
        "MalformedXML");
  parts.body =
      "<?xml version=\"1.0\"?><Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><New/>"
      "<Quiet> true </Quiet><Object><Key> a&#x1;b </Key></Object></Delete>";
  const auto read = read_request(operations::delete_objects, parts, Dialect::aws);
  REQUIRE(read.ok());
  CHECK(read->delete_.quiet == true);
  CHECK(read->delete_.objects.at(0).key ==
        " a\x01"
        "b ");
}

TEST_CASE("wire: a listing says what it says in the real service's words") {
  ListObjectsV2Output out;
  out.name = "b";
  out.prefix = "a b/";
  out.key_count = 1;
  out.max_keys = 1000;
  out.encoding_type = "url";
  out.is_truncated = false;
  out.contents.push_back({.key = "a b/c+d\x01",
                          .last_modified = Time{1'369'353'600'000},
                          .etag = "\"e\"",
                          .checksum_algorithm = {"CRC32"},
                          .checksum_type = "FULL_OBJECT",
                          .size = 4,
                          .storage_class = "STANDARD"});
  out.common_prefixes.push_back({.prefix = "a b/é/"});
  const ReplyParts reply = write_reply(operations::list_objects_v2, out, Dialect::aws);
  CHECK(reply.headers.find("Content-Type") == "application/xml");
  CHECK(reply.body ==
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name>"
        "<Prefix>a+b/</Prefix><KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys>"
        "<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated><Contents>"
        "<Key>a+b/c%2Bd%01</Key><LastModified>2013-05-24T00:00:00.000Z</LastModified>"
        "<ETag>&quot;e&quot;</ETag><ChecksumAlgorithm>CRC32</ChecksumAlgorithm>"
        "<ChecksumType>FULL_OBJECT</ChecksumType><Size>4</Size>"
        "<StorageClass>STANDARD</StorageClass></Contents>"
        "<CommonPrefixes><Prefix>a+b/%C3%A9/</Prefix></CommonPrefixes></ListBucketResult>");
}

TEST_CASE("wire: empty results keep their shape") {
  CHECK(write_reply(operations::list_buckets, ListBucketsOutput{}, Dialect::aws)
            .body.ends_with("<Buckets></Buckets></ListAllMyBucketsResult>"));
  CHECK(write_reply(operations::get_bucket_location, GetBucketLocationOutput{}, Dialect::aws)
            .body.ends_with("<LocationConstraint xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                            "</LocationConstraint>"));
  CHECK(write_reply(operations::delete_object, DeleteObjectOutput{}, Dialect::aws).body.empty());
}

TEST_CASE("wire: values with the vendor's name follow the dialect") {
  PutObjectInput in{.bucket = "b", .key = "k"};
  in.server_side_encryption = "aws:kms";
  const RequestParts parts = write_request(operations::put_object, in, Dialect::svc);
  CHECK(parts.headers.find("x-svc-server-side-encryption") == "svc:kms");
  CHECK_FALSE(parts.headers.has("x-amz-server-side-encryption"));
  CHECK(value_name("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", Dialect::svc) ==
        "STREAMING-SVC4-HMAC-SHA256-PAYLOAD");
  CHECK(value_from_wire("svc-chunked", Dialect::svc) == "aws-chunked");
}

TEST_CASE("wire: versions and delete markers keep their order, each under its name") {
  ListObjectVersionsOutput out;
  out.versions.push_back({.delete_marker = true, .key = "a", .version_id = "3"});
  out.versions.push_back({.key = "a", .version_id = "2", .is_latest = false});
  out.versions.push_back({.delete_marker = true, .key = "b", .version_id = "null"});
  const ReplyParts reply = write_reply(operations::list_object_versions, out, Dialect::aws);
  CHECK(reply.body.ends_with(
      "<DeleteMarker><Key>a</Key><VersionId>3</VersionId></DeleteMarker><Version><Key>a</Key>"
      "<VersionId>2</VersionId><IsLatest>false</IsLatest></Version><DeleteMarker><Key>b</Key>"
      "<VersionId>null</VersionId></DeleteMarker></ListVersionsResult>"));
}

TEST_CASE("wire: grants name the type of their grantee in an attribute, with any prefix") {
  GetAclOutput out{.owner = OwnerElement{.id = "me"}};
  out.grants.push_back(
      {.grantee = GranteeElement{.type = "Group", .uri = "u"}, .permission = "READ"});
  CHECK(write_reply(operations::get_bucket_acl, out, Dialect::aws)
            .body.ends_with(
                "<Owner><ID>me</ID></Owner><AccessControlList><Grant><Grantee "
                "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"Group\">"
                "<URI>u</URI></Grantee><Permission>READ</Permission></Grant></AccessControlList>"
                "</AccessControlPolicy>"));
  RequestParts parts{.method = "PUT", .bucket = "b"};
  const auto read = [&](const std::string& grantee) {
    parts.body = "<AccessControlPolicy><AccessControlList><Grant><Permission>READ</Permission>" +
                 grantee +
                 "</Grant></AccessControlList><Owner><ID>me</ID></Owner></AccessControlPolicy>";
    return read_request(operations::put_bucket_acl, parts, Dialect::aws);
  };
  const auto good = read("<Grantee xmlns:i=\"x\" i:type=\"CanonicalUser\"><ID>you</ID></Grantee>");
  REQUIRE(good.ok());
  CHECK(good->access_control_policy->grants.at(0).grantee->type == "CanonicalUser");
  CHECK(read("<Grantee><ID>you</ID></Grantee>").error().code == "MalformedXML");
  CHECK(read("<Grantee xsi:type=\"Robot\"><ID>you</ID></Grantee>").error().code == "MalformedXML");
}

TEST_CASE("wire: values of bodies are those of the schema, in the request's dialect") {
  const auto fault = [](const auto& operation, const char* body) {
    RequestParts parts{.method = "PUT", .bucket = "b", .body = body};
    const auto read = read_request(operation, parts, Dialect::aws);
    return read.ok() ? std::string() : read.error().code;
  };
  using namespace operations;  // NOLINT
  const auto versioning = [&](const char* body) { return fault(put_bucket_versioning, body); };
  CHECK(versioning("<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>") ==
        "");
  CHECK(versioning("<VersioningConfiguration><Status>enabled</Status></VersioningConfiguration>") ==
        "MalformedXML");
  CHECK(versioning("<VersioningConfiguration/>") == "");
  CHECK(fault(put_bucket_tagging, "<Tagging/>") == "MalformedXML");
  CHECK(fault(put_bucket_tagging, "<Tagging><TagSet/></Tagging>") == "");
  CHECK(fault(put_bucket_tagging, "<Tagging><TagSet><Tag><Key>k</Key></Tag></TagSet></Tagging>") ==
        "MalformedXML");
  CHECK(fault(put_bucket_cors, "<CORSConfiguration/>") == "MalformedXML");

  PutBucketEncryptionInput in{.bucket = "b"};
  in.server_side_encryption_configuration.rules.push_back(
      {.apply_server_side_encryption_by_default =
           EncryptionByDefaultElement{.sse_algorithm = "aws:kms"}});
  const RequestParts parts = write_request(put_bucket_encryption, in, Dialect::svc);
  CHECK(parts.body.find("<SSEAlgorithm>svc:kms</SSEAlgorithm>") != std::string::npos);
  const auto read = read_request(put_bucket_encryption, parts, Dialect::svc);
  REQUIRE(read.ok());
  CHECK(*read == in);
}

TEST_CASE("wire: a policy is a body of its own") {
  const PutBucketPolicyInput in{.bucket = "b", .policy = "{\"a\": [1]}"};
  const RequestParts parts = write_request(operations::put_bucket_policy, in, Dialect::aws);
  CHECK(parts.body == "{\"a\": [1]}");
  CHECK(parts.headers.find("Content-Type") == "application/json");
  CHECK(parts.query == net::QueryParameters{{"policy", ""}});
}

TEST_CASE("shape: what callers must give is asked for by its path") {
  DeleteObjectsInput in{};
  in.delete_.objects.emplace_back();
  std::vector<std::string> faults;
  find_faults(operations::delete_objects.input(), &in, faults);
  CHECK(faults == std::vector<std::string>{"missing required parameter params[:bucket]",
                                           "missing required parameter "
                                           "params[:delete][:objects][0][:key]"});
}

}  // namespace
}  // namespace cairn::s3::wire_test
