// SPDX-License-Identifier: Apache-2.0
// Versions, delete markers, tags, object lock and archives through the service.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::versions_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string enabled =
    "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
const std::string suspended =
    "<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>";

Fields md5_of(const std::string& body, Fields more = {}) {
  more.emplace_back("Content-MD5", to_base64(md5(body)));
  return more;
}

struct VersionRig : ServiceRig {
  VersionRig() {
    REQUIRE(put("/bkt").status == 200);
    REQUIRE(put("/bkt?versioning", enabled).status == 200);
  }
  std::string put_version(const std::string& key, const std::string& body, Fields fields = {}) {
    const Answer answer = put("/bkt/" + key, body, std::move(fields));
    REQUIRE(answer.status == 200);
    return answer.header("x-amz-version-id");
  }
  Answer remove_with(const std::string& target, Fields fields) {
    return ask({.method = "DELETE", .target = target, .headers = std::move(fields)});
  }
};

TEST_CASE("versions: writes stack up, markers hide them, ids bring them back") {
  VersionRig rig;
  CHECK(rig.get("/bkt?versioning").text("Status") == "Enabled");
  const std::string one = rig.put_version("k", "1"), two = rig.put_version("k", "2");
  CHECK(one != two);
  CHECK(rig.get("/bkt/k").header("x-amz-version-id") == two);
  CHECK(rig.get("/bkt/k?versionId=" + one).body == "1");
  Answer answer = rig.remove("/bkt/k");
  CHECK(answer.status == 204);
  CHECK(answer.header("x-amz-delete-marker") == "true");
  const std::string marker = answer.header("x-amz-version-id");
  answer = rig.get("/bkt/k");
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchKey");
  CHECK(answer.header("x-amz-delete-marker") == "true");
  CHECK(answer.header("x-amz-version-id") == marker);
  CHECK(answer.text("x-amz-delete-marker") == "(none)");
  answer = rig.get("/bkt/k?versionId=" + marker);
  CHECK(answer.status == 405);
  CHECK(answer.text("Method") == "GET");
  CHECK(answer.text("ResourceType") == "DeleteMarker");
  CHECK(answer.header("Allow") == "DELETE");
  CHECK(parse_http_date(answer.header("Last-Modified")).has_value());
  answer = rig.get("/bkt/k?versionId=0123456789abcdef0123456789abcdef");
  CHECK((answer.code() == "NoSuchVersion" || answer.code() == "InvalidArgument"));
  CHECK(rig.get("/bkt/k?versionId=").code() == "InvalidArgument");
  answer = rig.remove("/bkt/k?versionId=" + marker);
  CHECK(answer.status == 204);
  CHECK(answer.header("x-amz-delete-marker") == "true");
  CHECK(rig.get("/bkt/k").body == "2");
  answer = rig.remove("/bkt/k?versionId=" + two);
  CHECK(answer.header("x-amz-version-id") == two);
  CHECK_FALSE(answer.headers.has("x-amz-delete-marker"));
  CHECK(rig.get("/bkt/k").body == "1");
  answer = rig.remove("/bkt");
  CHECK(answer.code() == "BucketNotEmpty");
  CHECK(answer.text("Message").ends_with("You must delete all versions in the bucket."));
}

TEST_CASE("versions: what makes a new version accepts no version id, and changes nothing") {
  VersionRig rig;
  const std::string one = rig.put_version("k", "1");
  const std::string id = rig.post("/bkt/k?uploads", "").text("UploadId");
  const std::string version = "versionId=" + one, part = "/bkt/k?partNumber=1&uploadId=" + id;
  const std::string etag = rig.put(part, "part").header("ETag");
  const std::string parts = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>" +
                            etag + "</ETag></Part></CompleteMultipartUpload>";
  const Fields source = {{"x-amz-copy-source", "/bkt/k?" + version}};
  for (const Answer& answer :
       {rig.put("/bkt/k?" + version, "2"), rig.put("/bkt/k?versionId=", "2"),
        rig.put("/bkt/k?" + version, "", source), rig.post("/bkt/k?uploads&" + version, ""),
        rig.put(part + "&" + version, "x"), rig.put(part + "&" + version, "", source),
        rig.post("/bkt/k?uploadId=" + id + "&" + version, parts),
        rig.remove("/bkt/k?uploadId=" + id + "&" + version)}) {
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidArgument");
    CHECK(answer.text("Message") == "This operation does not accept a version-id.");
    CHECK(answer.text("ArgumentName") == "versionId");
  }
  CHECK(rig.get("/bkt/k").header("x-amz-version-id") == one);
  CHECK(rig.get("/bkt?uploads").text("Upload/UploadId") == id);
  CHECK(rig.get("/bkt/k?uploadId=" + id).text("Part/ETag") == etag);
  CHECK(rig.get("/bkt/k?tagging&" + version).status == 200);
  CHECK(rig.get("/bkt/k?acl&" + version).status == 200);
  CHECK(rig.head("/bkt/k?" + version).status == 200);
  CHECK(rig.remove("/bkt/k?" + version).status == 204);
}

TEST_CASE("versions: suspended buckets write the version null, and keep the others") {
  VersionRig rig;
  const std::string one = rig.put_version("k", "1");
  REQUIRE(rig.put("/bkt?versioning", suspended).status == 200);
  CHECK(rig.put_version("k", "2") == "null");
  CHECK(rig.put_version("k", "3") == "null");
  CHECK(rig.get("/bkt/k?versionId=null").body == "3");
  CHECK(rig.get("/bkt/k?versionId=" + one).body == "1");
  const Answer marker = rig.remove("/bkt/k");
  CHECK(marker.header("x-amz-version-id") == "null");
  CHECK(rig.get("/bkt/k?versionId=null").status == 405);
  const auto refused = [&](const char* body) { return rig.put("/bkt?versioning", body).code(); };
  CHECK(refused("<VersioningConfiguration/>") == "IllegalVersioningConfigurationException");
  CHECK(refused("<VersioningConfiguration><Status>enabled</Status></VersioningConfiguration>") ==
        "MalformedXML");
}

TEST_CASE("versions: the list has all of them, newest first, in pages") {
  VersionRig rig;
  const std::string one = rig.put_version("a", "1"), two = rig.put_version("a", "22");
  rig.remove("/bkt/a");
  rig.put_version("b", "3");
  Answer answer = rig.get("/bkt?versions");
  const XmlElement all = answer.xml();
  CHECK(all.name == "ListVersionsResult");
  std::string shown;
  for (const XmlElement& child : all.children)
    if (child.name == "Version" || child.name == "DeleteMarker")
      shown += child.name.substr(0, 1) + std::string(child.text_of("Key")) +
               std::string(child.text_of("Size")) + std::string(child.text_of("IsLatest")) + " ";
  CHECK(shown == "Datrue Va2false Va1false Vb1true ");
  answer = rig.get("/bkt?versions&max-keys=2");
  CHECK(answer.text("IsTruncated") == "true");
  CHECK(answer.text("NextKeyMarker") == "a");
  CHECK(answer.text("NextVersionIdMarker") == two);
  answer = rig.get("/bkt?versions&key-marker=a&version-id-marker=" + two);
  CHECK(answer.text("Version/VersionId") == one);
  CHECK(rig.get("/bkt?versions&version-id-marker=" + two).code() == "InvalidArgument");
}

TEST_CASE("versions: a batch names markers that it made, and those that it took away") {
  VersionRig rig;
  const std::string one = rig.put_version("a", "1");
  std::string body =
      "<Delete><Object><Key>a</Key></Object><Object><Key>none</Key></Object></Delete>";
  Answer answer = rig.post("/bkt?delete", body, md5_of(body));
  CHECK(answer.text("Deleted/DeleteMarker") == "true");
  const std::string marker = answer.text("Deleted/DeleteMarkerVersionId");
  body = "<Delete><Object><Key>a</Key><VersionId>" + marker + "</VersionId></Object></Delete>";
  answer = rig.post("/bkt?delete", body, md5_of(body));
  CHECK(answer.text("Deleted/DeleteMarkerVersionId") == marker);
  CHECK(answer.text("Deleted/VersionId") == marker);
  body =
      "<Delete><Object><Key>a</Key><VersionId>bad</VersionId></Object><Object><Key>a</Key>"
      "<VersionId>" +
      one + "</VersionId></Object></Delete>";
  answer = rig.post("/bkt?delete", body, md5_of(body));
  CHECK(answer.text("Error/Code") == "NoSuchVersion");
  CHECK(answer.text("Deleted/VersionId") == one);
}

TEST_CASE("versions: copies have ids of their own, and say which version they are of") {
  VersionRig rig;
  REQUIRE(rig.put("/plain").status == 200);
  const std::string one = rig.put_version("k", "1");
  rig.put_version("k", "2");
  Answer answer = rig.put("/bkt/copy", "", {{"x-amz-copy-source", "/bkt/k?versionId=" + one}});
  CHECK(answer.status == 200);
  CHECK(answer.header("x-amz-copy-source-version-id") == one);
  CHECK(answer.header("x-amz-version-id") != one);
  CHECK(rig.get("/bkt/copy").body == "1");
  answer = rig.put("/plain/copy", "", {{"x-amz-copy-source", "/bkt/k"}});
  CHECK(answer.header("x-amz-version-id") == "null");
  answer = rig.put("/plain/again", "", {{"x-amz-copy-source", "/plain/copy"}});
  CHECK_FALSE(answer.headers.has("x-amz-copy-source-version-id"));
  // An older version onto itself is a change.
  CHECK(rig.put("/bkt/k", "", {{"x-amz-copy-source", "/bkt/k?versionId=" + one}}).status == 200);
  CHECK(rig.put("/bkt/k", "", {{"x-amz-copy-source", "/bkt/k"}}).code() == "InvalidRequest");
  const std::string marker = rig.remove("/bkt/k").header("x-amz-version-id");
  CHECK(rig.put("/bkt/x", "", {{"x-amz-copy-source", "/bkt/k"}}).code() == "NoSuchKey");
  answer = rig.put("/bkt/x", "", {{"x-amz-copy-source", "/bkt/k?versionId=" + marker}});
  CHECK(answer.code() == "InvalidRequest");
  CHECK(answer.text("Message").find("delete marker by version id") != std::string::npos);
}

TEST_CASE("tagging: of objects, set with the write and after it, and carried by copies") {
  VersionRig rig;
  const std::string one = rig.put_version("k", "1", {{"x-amz-tagging", "a=1&b=2"}});
  Answer answer = rig.get("/bkt/k?tagging");
  CHECK(answer.text("TagSet/Tag/Key") == "a");
  CHECK(answer.header("x-amz-version-id") == one);
  CHECK(rig.head("/bkt/k").header("x-amz-tagging-count") == "2");
  rig.put("/bkt/copy", "", {{"x-amz-copy-source", "/bkt/k"}, {"x-amz-tagging", "c=3"}});
  CHECK(rig.head("/bkt/copy").header("x-amz-tagging-count") == "2");
  rig.put("/bkt/copy", "",
          {{"x-amz-copy-source", "/bkt/k"},
           {"x-amz-tagging-directive", "REPLACE"},
           {"x-amz-tagging", "c=3"}});
  CHECK(rig.get("/bkt/copy?tagging").text("TagSet/Tag/Key") == "c");
  const std::string body =
      "<Tagging><TagSet><Tag><Key>x</Key><Value>y</Value></Tag></TagSet></Tagging>";
  CHECK(rig.put("/bkt/k?tagging", body).status == 200);
  CHECK(rig.get("/bkt/k?tagging&versionId=" + one).text("TagSet/Tag/Value") == "y");
  CHECK(rig.remove("/bkt/k?tagging").status == 204);
  CHECK(rig.get("/bkt/k?tagging").text("TagSet") == "");
  CHECK_FALSE(rig.head("/bkt/k").headers.has("x-amz-tagging-count"));
  CHECK(rig.put("/bkt/none?tagging", body).code() == "NoSuchKey");
  CHECK(rig.put("/bkt/k", "x", {{"x-amz-tagging", "a=1&a=2"}}).code() == "InvalidArgument");
  rig.remove("/bkt/k");
  CHECK(rig.get("/bkt/k?tagging").status == 405);
  // Buckets.
  CHECK(rig.put("/bkt?tagging", body).code() == "InvalidRequest");  // without a checksum
  CHECK(rig.put("/bkt?tagging", body, md5_of(body)).status == 204);
  CHECK(rig.get("/bkt?tagging").text("TagSet/Tag/Key") == "x");
  CHECK(rig.remove("/bkt?tagging").status == 204);
  CHECK(rig.get("/bkt?tagging").code() == "NoSuchTagSet");
}

struct LockRig : ServiceRig {
  LockRig() {
    REQUIRE(put("/bkt", "", {{"x-amz-bucket-object-lock-enabled", "true"}}).status == 200);
  }
  std::string in_days(int days) const {
    return format_iso8601(clock.unix_ms() / 1000 * 1000 + days * std::int64_t{86'400'000});
  }
  Answer put_locked(const std::string& body, Fields fields) {
    return put("/bkt/k", body, md5_of(body, std::move(fields)));
  }
};

TEST_CASE("lock: versions under retention stay, until it ends or is bypassed") {
  LockRig rig;
  CHECK(rig.get("/bkt?versioning").text("Status") == "Enabled");
  CHECK(rig.put("/bkt?versioning", suspended).code() == "InvalidBucketState");
  CHECK(rig.get("/bkt?object-lock").text("ObjectLockEnabled") == "Enabled");
  Answer answer = rig.put_locked("1", {{"x-amz-object-lock-mode", "GOVERNANCE"},
                                       {"x-amz-object-lock-retain-until-date", rig.in_days(1)}});
  REQUIRE(answer.status == 200);
  const std::string one = answer.header("x-amz-version-id");
  answer = rig.head("/bkt/k");
  CHECK(answer.header("x-amz-object-lock-mode") == "GOVERNANCE");
  CHECK(answer.header("x-amz-object-lock-retain-until-date") == rig.in_days(1));
  CHECK(rig.get("/bkt/k?retention").text("Mode") == "GOVERNANCE");
  answer = rig.remove("/bkt/k?versionId=" + one);
  CHECK(answer.status == 403);
  CHECK(answer.text("Message") == "Access Denied because object protected by object lock.");
  CHECK(rig.remove("/bkt/k").status == 204);  // a marker is no loss
  CHECK(rig.ask({.method = "DELETE",
                 .target = "/bkt/k?versionId=" + one,
                 .headers = {{"x-amz-bypass-governance-retention", "true"}}})
            .status == 204);
}

TEST_CASE("lock: compliance is only made longer, a hold is independent of it") {
  LockRig rig;
  const auto retention = [&](const std::string& mode, int days) {
    const std::string body = "<Retention><Mode>" + mode + "</Mode><RetainUntilDate>" +
                             rig.in_days(days) + "</RetainUntilDate></Retention>";
    return rig.put("/bkt/k?retention", body,
                   md5_of(body, {{"x-amz-bypass-governance-retention", "true"}}));
  };
  REQUIRE(rig.put("/bkt/k", "1").status == 200);
  CHECK(rig.get("/bkt/k?retention").code() == "NoSuchObjectLockConfiguration");
  CHECK(retention("COMPLIANCE", 2).status == 200);
  CHECK(retention("COMPLIANCE", 1).status == 403);
  CHECK(retention("GOVERNANCE", 3).status == 403);
  CHECK(retention("COMPLIANCE", 3).status == 200);
  CHECK(retention("COMPLIANCE", -1).code() == "InvalidArgument");
  CHECK(retention("SOMETIMES", 4).code() == "MalformedXML");
  CHECK(rig.get("/bkt/k?legal-hold").code() == "NoSuchObjectLockConfiguration");
  CHECK_FALSE(rig.head("/bkt/k").headers.has("x-amz-object-lock-legal-hold"));
  std::string hold = "<LegalHold><Status>ON</Status></LegalHold>";
  CHECK(rig.put("/bkt/k?legal-hold", hold, md5_of(hold)).status == 200);
  CHECK(rig.get("/bkt/k?legal-hold").text("Status") == "ON");
  CHECK(rig.head("/bkt/k").header("x-amz-object-lock-legal-hold") == "ON");
  const std::string id = rig.head("/bkt/k").header("x-amz-version-id");
  rig.clock.advance_ms(4 * std::int64_t{86'400'000});
  CHECK(rig.remove("/bkt/k?versionId=" + id).status == 403);
  hold = "<LegalHold><Status>OFF</Status></LegalHold>";
  CHECK(rig.put("/bkt/k?legal-hold", hold, md5_of(hold)).status == 200);
  CHECK(rig.get("/bkt/k?legal-hold").text("Status") == "OFF");
  CHECK(rig.head("/bkt/k").header("x-amz-object-lock-legal-hold") == "OFF");
  CHECK(rig.remove("/bkt/k?versionId=" + id).status == 204);
  CHECK(rig.put("/bkt/off", "x", {{"x-amz-object-lock-legal-hold", "OFF"}}).status == 200);
  CHECK(rig.get("/bkt/off?legal-hold").text("Status") == "OFF");
}

TEST_CASE("lock: the mode of a retention in force changes only past its governance") {
  LockRig rig;
  REQUIRE(rig.put("/bkt/k", "x", {{"x-amz-object-lock-mode", "GOVERNANCE"},
                                  {"x-amz-object-lock-retain-until-date", rig.in_days(2)},
                                  {"Content-MD5", to_base64(md5("x"))}})
              .status == 200);
  const std::string body = "<Retention><Mode>COMPLIANCE</Mode><RetainUntilDate>" + rig.in_days(2) +
                           "</RetainUntilDate></Retention>";
  Fields fields = md5_of(body);
  CHECK(rig.put("/bkt/k?retention", body, fields).code() == "AccessDenied");
  CHECK(rig.head("/bkt/k").header("x-amz-object-lock-mode") == "GOVERNANCE");
  fields.emplace_back("x-amz-bypass-governance-retention", "true");
  CHECK(rig.put("/bkt/k?retention", body, fields).status == 200);
  CHECK(rig.head("/bkt/k").header("x-amz-object-lock-mode") == "COMPLIANCE");
}

TEST_CASE("lock: a bypass means nothing in a bucket without lock, and is refused there") {
  VersionRig rig;
  rig.put_version("k", "1");
  const Fields bypass = {{"x-amz-bypass-governance-retention", "true"}};
  Answer answer = rig.ask({.method = "DELETE", .target = "/bkt/k", .headers = bypass});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidArgument");
  CHECK(answer.text("ArgumentName") == "x-amz-bypass-governance-retention");
  const std::string body = "<Delete><Object><Key>k</Key></Object></Delete>";
  Fields fields = md5_of(body);
  fields.push_back(bypass.front());
  CHECK(rig.post("/bkt?delete", body, fields).code() == "InvalidArgument");
  CHECK(rig.get("/bkt/k").body == "1");
}

struct LockCase {
  Fields fields;
  const char* code;
  const char* message;
};

TEST_CASE("lock: what a write may ask for, and what a bucket gives by itself") {
  LockRig rig;
  const std::string until = rig.in_days(1);
  const std::string mode = "x-amz-object-lock-mode", date = "x-amz-object-lock-retain-until-date";
  const LockCase cases[] = {
      {{{mode, "GOVERNANCE"}},
       "InvalidArgument",
       "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied"},
      {{{date, until}},
       "InvalidArgument",
       "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied"},
      {{{mode, "BAD-VALUE"}, {date, until}}, "InvalidArgument", "Unknown wormMode directive."},
      {{{mode, "GOVERNANCE"}, {date, rig.in_days(-1)}},
       "InvalidArgument",
       "The retain until date must be in the future!"},
      {{{"x-amz-object-lock-legal-hold", "MAYBE"}},
       "InvalidArgument",
       "Legal Hold must be either of 'ON' or 'OFF'"},
  };
  for (const LockCase& c : cases) {
    const Answer answer = rig.put_locked("1", c.fields);
    CHECK(answer.code() == c.code);
    CHECK(answer.text("Message") == c.message);
  }
  CHECK(rig.put("/bkt/k", "1", {{mode, "GOVERNANCE"}, {date, until}}).code() ==
        "InvalidRequest");  // no checksum of the body
  REQUIRE(rig.put("/free").status == 200);
  const Answer free = rig.put("/free/k", "1", md5_of("1", {{mode, "GOVERNANCE"}, {date, until}}));
  CHECK(free.text("Message") == "Bucket is missing Object Lock Configuration");
  const std::string body =
      "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>"
      "<DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule>"
      "</ObjectLockConfiguration>";
  CHECK(rig.put("/free?object-lock", body, md5_of(body)).code() == "InvalidBucketState");
  CHECK(rig.put("/bkt?object-lock", body, md5_of(body)).status == 200);
  CHECK(rig.get("/bkt?object-lock").text("Rule/DefaultRetention/Days") == "1");
  REQUIRE(rig.put("/bkt/by-default", "1").status == 200);
  CHECK(rig.head("/bkt/by-default").header(mode) == "GOVERNANCE");
}

TEST_CASE("archives: what is archived must be restored before it is read or copied") {
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  for (const char* name : {"GLACIER", "DEEP_ARCHIVE"}) {
    REQUIRE(rig.put("/bkt/k", "cold", {{"x-amz-storage-class", name}}).status == 200);
    CHECK(rig.head("/bkt/k").header("x-amz-storage-class") == name);
    Answer answer = rig.get("/bkt/k");
    CHECK(answer.status == 403);
    CHECK(answer.code() == "InvalidObjectState");
    CHECK(answer.text("StorageClass") == name);
    CHECK(rig.put("/bkt/c", "", {{"x-amz-copy-source", "/bkt/k"}}).code() == "InvalidObjectState");
    const std::string body = "<RestoreRequest><Days>2</Days></RestoreRequest>";
    CHECK(rig.post("/bkt/k?restore", body, {}).status == 202);
    CHECK(rig.post("/bkt/k?restore", body, {}).status == 200);
    answer = rig.get("/bkt/k");
    CHECK(answer.body == "cold");
    CHECK(answer.header("x-amz-restore").starts_with("ongoing-request=\"false\", expiry-date="));
    CHECK(rig.put("/bkt/c", "", {{"x-amz-copy-source", "/bkt/k"}}).status == 200);
    CHECK(rig.get("/bkt/c").body == "cold");  // of class STANDARD
    rig.clock.advance_ms(4 * std::int64_t{86'400'000});
    CHECK(rig.get("/bkt/k").status == 403);
  }
  REQUIRE(rig.put("/bkt/warm", "x", {{"x-amz-storage-class", "GLACIER_IR"}}).status == 200);
  CHECK(rig.get("/bkt/warm").body == "x");
  CHECK(
      rig.post("/bkt/warm?restore", "<RestoreRequest><Days>1</Days></RestoreRequest>", {}).code() ==
      "InvalidObjectState");
  CHECK(rig.post("/bkt/k?restore", "<RestoreRequest><Days>0</Days></RestoreRequest>", {}).code() ==
        "InvalidArgument");
  // An archive tier of INTELLIGENT_TIERING counts too.
  REQUIRE(rig.put("/bkt/tier", "x", {{"x-amz-storage-class", "INTELLIGENT_TIERING"}}).status ==
          200);
  REQUIRE(rig.engine
              ->change_object({"bkt", "tier"}, {.archive_tier = "ARCHIVE_ACCESS"},
                              os::Deadline::never())
              .ok());
  CHECK(rig.get("/bkt/tier").text("AccessTier") == "ARCHIVE_ACCESS");
  CHECK(rig.head("/bkt/tier").header("x-amz-archive-status") == "ARCHIVE_ACCESS");
  const Answer copy = rig.put("/bkt/c", "", {{"x-amz-copy-source", "/bkt/tier"}});
  CHECK(copy.code() == "InvalidObjectState");
  CHECK(copy.text("AccessTier") == "ARCHIVE_ACCESS");
  // What comes back from a tier stays; days are for storage classes.
  CHECK(
      rig.post("/bkt/tier?restore", "<RestoreRequest><Days>1</Days></RestoreRequest>", {}).code() ==
      "InvalidArgument");
  CHECK(rig.post("/bkt/tier?restore", "<RestoreRequest/>", {}).status == 202);
  rig.clock.advance_ms(400 * std::int64_t{86'400'000});
  const Answer head = rig.head("/bkt/tier");
  CHECK(head.header("x-amz-restore") == "ongoing-request=\"false\"");
  CHECK(head.header("x-amz-archive-status").empty());
  CHECK(rig.get("/bkt/tier").body == "x");
  CHECK(rig.post("/bkt/tier?restore", "<RestoreRequest/>", {}).code() == "InvalidObjectState");
}

TEST_CASE("archives: a restore that takes a while is under way, then there, then gone") {
  const std::int64_t hour_ms = 3'600'000;
  ServiceRig rig({.restore_ms = 5 * hour_ms});
  REQUIRE(rig.put("/bkt").status == 200);
  REQUIRE(rig.put("/bkt/k", "cold", {{"x-amz-storage-class", "DEEP_ARCHIVE"}}).status == 200);
  CHECK(rig.head("/bkt/k").header("x-amz-restore").empty());
  const std::string two_days =
      "<RestoreRequest><Days>2</Days><GlacierJobParameters><Tier>Bulk</Tier>"
      "</GlacierJobParameters></RestoreRequest>";
  const Fields state = {{"x-amz-optional-object-attributes", "RestoreStatus"}};
  CHECK(rig.post("/bkt/k?restore", two_days, {}).status == 202);
  rig.clock.advance_ms(5 * hour_ms - 1);
  Answer answer = rig.post("/bkt/k?restore", two_days, {});
  CHECK(answer.status == 409);
  CHECK(answer.code() == "RestoreAlreadyInProgress");
  CHECK(rig.head("/bkt/k").header("x-amz-restore") == "ongoing-request=\"true\"");
  CHECK(rig.get("/bkt/k").code() == "InvalidObjectState");
  CHECK(rig.put("/bkt/c", "", {{"x-amz-copy-source", "/bkt/k"}}).code() == "InvalidObjectState");
  CHECK(rig.get("/bkt?list-type=2", state).text("Contents/RestoreStatus/IsRestoreInProgress") ==
        "true");
  CHECK(rig.get("/bkt?versions", state).text("Version/RestoreStatus/IsRestoreInProgress") ==
        "true");
  const std::string upload = rig.post("/bkt/parts?uploads", "").text("UploadId");
  CHECK(rig.put("/bkt/parts?partNumber=1&uploadId=" + upload, "", {{"x-amz-copy-source", "/bkt/k"}})
            .code() == "InvalidObjectState");
  rig.clock.advance_ms(1);
  CHECK(rig.get("/bkt/k").body == "cold");
  // 2023-11-14 22:13:20 and five hours, two days, and the rest of that day.
  const std::string there =
      "ongoing-request=\"false\", expiry-date=\"Sat, 18 Nov 2023 00:00:00 GMT\"";
  CHECK(rig.head("/bkt/k").header("x-amz-restore") == there);
  answer = rig.get("/bkt?list-type=2", state);
  CHECK(answer.text("Contents/RestoreStatus/IsRestoreInProgress") == "false");
  CHECK(answer.text("Contents/RestoreStatus/RestoreExpiryDate") == "2023-11-18T00:00:00.000Z");
  // Once more: it stays longer, and is never away.
  CHECK(rig.post("/bkt/k?restore", "<RestoreRequest><Days>3</Days></RestoreRequest>", {}).status ==
        200);
  CHECK(rig.get("/bkt/k").body == "cold");
  rig.clock.advance_ms(3 * 24 * hour_ms + 24 * hour_ms);
  CHECK(rig.get("/bkt/k").code() == "InvalidObjectState");
  CHECK(rig.head("/bkt/k").header("x-amz-restore").empty());
  CHECK(rig.get("/bkt?list-type=2", state).text("Contents/RestoreStatus") == "(none)");
  CHECK(rig.post("/bkt/k?restore", two_days, {}).status == 202);
}

TEST_CASE("attributes: only those that were asked for") {
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  REQUIRE(rig.put("/bkt/k", "0123456789").status == 200);
  Answer answer = rig.get("/bkt/k?attributes", {{"x-amz-object-attributes", "ETag, ObjectSize"}});
  CHECK(answer.status == 200);
  CHECK(answer.text("ETag") == to_hex(md5("0123456789")));
  CHECK(answer.text("ObjectSize") == "10");
  CHECK(answer.text("StorageClass") == "(none)");
  answer = rig.get("/bkt/k?attributes",
                   {{"x-amz-object-attributes", "Checksum,StorageClass,ObjectParts"}});
  CHECK(answer.text("Checksum/ChecksumType") == "FULL_OBJECT");
  CHECK(answer.text("StorageClass") == "STANDARD");
  CHECK(answer.text("ObjectParts") == "(none)");
  CHECK(rig.get("/bkt/k?attributes").code() == "InvalidRequest");
  CHECK(rig.get("/bkt/k?attributes", {{"x-amz-object-attributes", "Color"}}).code() ==
        "InvalidArgument");
  CHECK(rig.get("/bkt/none?attributes", {{"x-amz-object-attributes", "ETag"}}).code() ==
        "NoSuchKey");
}

}  // namespace
}  // namespace cairn::s3api::versions_test
