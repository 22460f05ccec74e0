// SPDX-License-Identifier: Apache-2.0
// cp, sync, ls, rm, rb, mb and presign against stubs: what is called, printed and refused.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/encode.h"
#include "cli/exit_codes.h"
#include "cli/objects/testing.h"
#include "format/json.h"
#include "format/time.h"

using namespace cairn;
using namespace cairn::cli;
using objectclient::Stub;
using objectclient::Value;

namespace {

Stub listing_of(const std::vector<std::pair<std::string, std::int64_t>>& objects) {
  Value::List contents;
  for (const auto& [key, size] : objects)
    contents.push_back(
        Value::map({{"key", key}, {"size", size}, {"last_modified", "2026-01-31T08:05:09Z"}}));
  return Stub::data({{"contents", Value::list(std::move(contents))}, {"is_truncated", false}});
}

Stub object_of(const std::string& bytes) {
  return Stub::data({{"body", bytes}, {"last_modified", "2026-01-31T08:05:09Z"}});
}

std::vector<Json> json_lines(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto json = parse_json(line);
    REQUIRE_MESSAGE(json.ok(), line);
    out.push_back(*json);
  }
  return out;
}

}  // namespace

TEST_CASE("cp: names of targets, types, options") {
  StubbedObjects objects;
  const ScratchFolder folder;
  const std::string file = folder.write("a.txt", "text");
  CHECK(objects({"cp", file, "s3://b/dir/"}) == success);
  CHECK(objects.out == "upload: " + file + " to s3://b/dir/a.txt\n");
  CHECK(objects({"cp", file, "s3://b/name", "--metadata", "k=v", "--storage-class", "STANDARD_IA",
                 "--acl", "private", "--sse", "AES256", "--no-clobber", "--content-type", "x/y"}) ==
        success);
  const auto put = objects.calls("put_object");
  REQUIRE(put.size() == 2);
  CHECK(*put[0]["key"].text() == "dir/a.txt");
  CHECK(*put[0]["content_type"].text() == "text/plain");
  CHECK(*put[1]["key"].text() == "name");
  CHECK(*put[1]["content_type"].text() == "x/y");
  CHECK(*put[1]["metadata"]["k"].text() == "v");
  CHECK(*put[1]["storage_class"].text() == "STANDARD_IA");
  CHECK(*put[1]["acl"].text() == "private");
  CHECK(*put[1]["server_side_encryption"].text() == "AES256");
  CHECK(*put[1]["if_none_match"].text() == "*");
  CHECK(objects({"cp", file, file, "s3://b/no-folder"}) == usage_error);
  CHECK(objects({"cp", file, "elsewhere"}) == usage_error);
  CHECK(objects({"cp", file + "x", "s3://b/k"}) == no_input);
  CHECK(objects({"cp", folder.path, "s3://b/k"}) == usage_error);
  CHECK(objects({"cp", file}) == usage_error);
  CHECK(objects({"cp", file, "s3://b/k", "--part-size", "huge"}) == usage_error);
  for (const char* size : {"0", "1KiB", "5242879", "6GiB", "5368709121"}) {
    CAPTURE(size);
    for (const char* source : {file.c_str(), "-", "s3://b/a"}) {
      CHECK(objects({"cp", source, "s3://b/k", "--part-size", size}) == usage_error);
      CHECK(objects.err.find("5MiB to 5GiB") != std::string::npos);
    }
    CHECK(objects({"sync", folder.path, "s3://b/k", "--part-size", size}) == usage_error);
  }
  CHECK(objects({"cp", file, "s3://b/k", "--part-size", "5MiB"}) == success);
  CHECK(objects({"cp", "s3://b/k", file, "--part-size", "0"}) == usage_error);
  CHECK(objects({"cp", file, "s3://b/k", "--sse-c", "AES256"}) == usage_error);
  CHECK(objects({"cp", file, "s3://b/k", "--dryrun"}) == success);
  CHECK(objects.out == "(dryrun) upload: " + file + " to s3://b/k\n");
  CHECK(objects({"cp", file, "s3://b/k", "--quiet"}) == success);
  CHECK(objects.out.empty());
  CHECK(objects.err.empty());
}

TEST_CASE("cp: below a folder, as the filter says; odd names are told") {
  StubbedObjects objects;
  const ScratchFolder folder;
  folder.write("a.txt", "1");
  folder.write("b/c.txt", "22");
  folder.write("b/d.png", "333");
  folder.write("bad\xff", "4");
  REQUIRE(::symlink("..", (folder / "b/around").c_str()) == 0);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const int status = objects({"cp", "--recursive", folder.path, "s3://b/p", "--exclude", "*",
                              "--include", "*.txt", "--json"});
  CHECK(status == partly_failed);
  CHECK(contains(objects.err, "keys are UTF-8"));
  CHECK(contains(objects.err, "neither a file nor a folder"));
  CHECK(contains(objects.err, "a symbolic link that leads to a folder around it"));
  std::vector<std::string> keys;
  for (const auto& call : objects.calls("put_object")) keys.push_back(*call["key"].text());
  std::sort(keys.begin(), keys.end());
  CHECK(keys == std::vector<std::string>{"p/a.txt", "p/b/c.txt"});
  const auto lines = json_lines(objects.out);
  REQUIRE(lines.size() == 6);
  const Json& summary = *lines.back().find("summary");
  CHECK(summary.int_or("done") == 2);
  CHECK(summary.int_or("bytes") == 3);
  CHECK(summary.int_or("failed") == 3);
}

TEST_CASE("cp: no key leads out of the folder") {
  StubbedObjects objects;
  const ScratchFolder folder;
  const ScratchFolder outside;
  objects.client.stub("list_objects_v2", {listing_of({{"p/ok", 4},
                                                      {"p/../../x", 4},
                                                      {"p//etc/passwd", 4},
                                                      {"p/a/../../y", 4},
                                                      {"p/sub/", 0},
                                                      {"p/link/in", 4},
                                                      {"p/odd name é", 4}})});
  objects.client.stub("get_object", {object_of("text")});
  const std::string target = folder / "target";
  std::filesystem::create_directories(target);
  REQUIRE(::symlink(outside.path.c_str(), (target + "/link").c_str()) == 0);
  CHECK(objects({"cp", "--recursive", "s3://b/p", target}) == partly_failed);
  CHECK(folder.read("target/ok") == "text");
  CHECK(folder.read("target/odd name é") == "text");
  CHECK_FALSE(folder.read("x").has_value());
  CHECK_FALSE(folder.read("y").has_value());
  CHECK(std::filesystem::is_empty(outside.path));
  CHECK(contains(objects.err, "left out: s3://b/p/../../x: '..' would lead out of the folder"));
  CHECK(contains(objects.err, "left out: s3://b/p//etc/passwd: it would be an absolute path"));
  CHECK(contains(objects.err, "target/link/in"));
  CHECK(contains(objects.out, "skipped download: s3://b/p/sub/: it marks a folder"));
  CHECK(contains(objects.err, "2 done, 8 Bytes, 1 skipped, 4 failed"));
  // The file has the time of its object.
  struct stat there {};
  REQUIRE(::stat((target + "/ok").c_str(), &there) == 0);
  CHECK(there.st_mtim.tv_sec == *parse_iso8601("2026-01-31T08:05:09Z") / 1000);
}

TEST_CASE("cp: what is there stays, when told so; failures have their status") {
  StubbedObjects objects;
  const ScratchFolder folder;
  const std::string file = folder.write("a", "old");
  objects.client.stub("get_object", {object_of("new")});
  CHECK(objects({"cp", "s3://b/k", file, "--no-clobber"}) == success);
  CHECK(folder.read("a") == "old");
  CHECK(contains(objects.out, "skipped download: s3://b/k to " + file));
  CHECK(objects({"cp", "s3://b/k", file}) == success);
  CHECK(folder.read("a") == "new");
  CHECK(objects({"cp", "s3://b/k", folder.path}) == success);
  CHECK(folder.read("k") == "new");
  objects.client.stub("put_object", {Stub::error("PreconditionFailed", "there", 412)});
  CHECK(objects({"cp", file, "s3://b/k", "--no-clobber"}) == success);
  CHECK(objects({"cp", file, "s3://b/k"}) == failed);
  CHECK(contains(objects.err, "upload failed: " + file + " to s3://b/k: "));
  objects.client.stub("get_object", {Stub::error("AccessDenied", "no", 403)});
  CHECK(objects({"cp", "s3://b/k", folder / "new"}) == no_permission);
  CHECK_FALSE(folder.read("new").has_value());
  CHECK(objects({"cp", "s3://b/p/", folder.path}) == usage_error);
}

TEST_CASE("cp: objects to objects, large ones in parts; streams") {
  StubbedObjects objects;
  objects.client.stub("head_object",
                      {Stub::data({{"content_length", 12 << 20}, {"content_type", "a/b"}})});
  CHECK(objects({"cp", "s3://b/a b", "s3://c/d/"}) == success);
  auto copies = objects.calls("copy_object");
  REQUIRE(copies.size() == 1);
  CHECK(*copies[0]["copy_source"].text() == "b/a%20b");
  CHECK(*copies[0]["key"].text() == "d/a b");
  CHECK(objects({"cp", "s3://b/k", "s3://c/k", "--multipart-threshold", "1MB", "--part-size",
                 "5MB"}) == success);
  CHECK(objects.calls("copy_object").size() == 1);
  const auto begun = objects.calls("create_multipart_upload");
  REQUIRE(begun.size() == 1);
  CHECK(*begun[0]["content_type"].text() == "a/b");
  const auto parts = objects.calls("upload_part_copy");
  REQUIRE(parts.size() == 3);
  for (const auto& part : parts) CHECK(*part["copy_source_if_match"].text() == "etag");
  CHECK(objects.calls("complete_multipart_upload").size() == 1);
  objects.client.stub("upload_part_copy", {Stub::error("AccessDenied", "no", 403)});
  CHECK(objects({"cp", "s3://b/k", "s3://c/k", "--multipart-threshold", "1MB"}) == no_permission);
  CHECK(objects.calls("abort_multipart_upload").size() == 1);

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "piped", 5) == 5);
  ::close(ends[1]);
  objects.run.input = ends[0];
  CHECK(objects({"cp", "-", "s3://b/from-pipe.json"}) == success);
  ::close(ends[0]);
  CHECK(*objects.calls("put_object").back()["content_type"].text() == "application/json");
  objects.client.stub("get_object", {object_of("to the pipe")});
  CHECK(objects({"cp", "s3://b/k", "-"}) == success);
  CHECK(objects.out == "to the pipe");
  CHECK(objects({"cp", "-", "s3://b/"}) == usage_error);
  CHECK(objects({"cp", "-", "s3://b/k", "--recursive"}) == usage_error);
}

TEST_CASE("cp: expires is a time, and what an object has there is carried as one") {
  StubbedObjects objects;
  const ScratchFolder folder;
  const std::string file = folder.write("a", "1");
  CHECK(objects({"cp", file, "s3://b/k", "--expires", "2026-01-02T03:04:05Z"}) == success);
  for (const auto& [source, operation] :
       {std::pair(file, "put_object"), std::pair(std::string("s3://b/k"), "copy_object")}) {
    CHECK(objects({"cp", source, "s3://b/l", "--expires", "tomorrow"}) != success);
    CHECK(contains(objects.err, "expected params[:expires] to be a Time object"));
    CHECK(objects.calls(operation).size() == (operation == std::string("put_object") ? 1 : 0));
  }
  const std::string date = "Fri, 02 Jan 2026 03:04:05 GMT";
  for (const auto& [kept, sent] :
       {std::pair(date, date),
        std::pair(std::string("never"), std::string("1970-01-01T00:00:00.000Z"))}) {
    objects.client.stub("head_object",
                        {Stub::data({{"content_length", 12 << 20}, {"expires", kept}})});
    CHECK(objects({"cp", "s3://b/k", "s3://c/k", "--multipart-threshold", "1MB"}) == success);
    CHECK(*objects.calls("create_multipart_upload").back()["expires"].text() == sent);
  }
}

TEST_CASE("mv: what has arrived leaves, what has not stays") {
  StubbedObjects objects;
  const ScratchFolder folder;
  const std::string file = folder.write("a", "1");
  objects.client.stub("put_object", {Stub::error("AccessDenied", "no", 403), Stub::data({})});
  CHECK(objects({"mv", file, "s3://b/k"}) == no_permission);
  CHECK(folder.read("a").has_value());
  CHECK(objects({"mv", file, "s3://b/k"}) == success);
  CHECK_FALSE(folder.read("a").has_value());
  CHECK(objects({"mv", "s3://b/k", "s3://b/l"}) == success);
  CHECK(*objects.calls("delete_object").back()["key"].text() == "k");
}

TEST_CASE("sync: both ways, and what is extra") {
  StubbedObjects objects;
  const ScratchFolder folder;
  folder.write("same", "1234");
  folder.write("sub/new", "55555");
  folder.write("extra.log", "6");
  // Files that were written just now are newer than the objects of the listing.
  objects.client.stub("list_objects_v2", {listing_of({{"p/same", 4}, {"p/gone", 1}})});
  CHECK(objects({"sync", folder.path, "s3://b/p", "--size-only", "--delete", "--exclude",
                 "*.log"}) == success);
  CHECK(objects.calls("put_object").size() == 1);
  const auto deleted = objects.calls("delete_objects");
  REQUIRE(deleted.size() == 1);
  CHECK(*deleted[0]["delete"]["objects"][0]["key"].text() == "p/gone");
  CHECK(contains(objects.out, "delete: s3://b/p/gone"));

  objects.client.stub("get_object", {object_of("x")});
  CHECK(objects({"sync", "s3://b/p/", folder.path, "--delete", "--size-only"}) == success);
  CHECK(folder.read("gone") == "x");
  CHECK(folder.read("same") == "1234");
  CHECK_FALSE(folder.read("sub/new").has_value());
  CHECK_FALSE(folder.read("extra.log").has_value());

  CHECK(objects({"sync", folder.path, "s3://b/p", "--dry-run", "--delete"}) == success);
  CHECK(contains(objects.out, "(dryrun) upload: "));
  CHECK(objects.calls("put_object").size() == 1);
  CHECK(objects({"sync", folder / "nothing", "s3://b/p"}) == no_input);
  CHECK(objects({"sync", "a", "b"}) == usage_error);
}

TEST_CASE("a dry run tells what it would do in the order of the listing") {
  StubbedObjects objects;
  const ScratchFolder folder;
  std::vector<std::pair<std::string, std::int64_t>> listed;
  std::string downloads;
  std::string deletions;
  for (int i = 1000; i < 3000; ++i) {
    const std::string name = "k" + std::to_string(i);
    listed.emplace_back(name, 1);
    downloads += "(dryrun) download: s3://b/" + name + " to " + folder.path + "/" + name + "\n";
    deletions += "(dryrun) delete: s3://b/" + name + "\n";
  }
  objects.client.stub("list_objects_v2", {listing_of(listed)});
  CHECK(objects({"cp", "--recursive", "s3://b", folder.path, "--dry-run"}) == success);
  CHECK(objects.out == downloads);
  CHECK(objects({"rm", "--recursive", "s3://b", "--dry-run"}) == success);
  CHECK(objects.out == deletions);
}

TEST_CASE("sync: a source that cannot be read whole deletes nothing") {
  StubbedObjects objects;
  const ScratchFolder folder;
  REQUIRE(::symlink("nowhere", (folder / "broken").c_str()) == 0);
  objects.client.stub("list_objects_v2", {listing_of({{"broken", 4}})});
  CHECK(objects({"sync", folder.path, "s3://b", "--delete"}) != success);
  CHECK(contains(objects.err, "nothing is deleted"));
  CHECK(objects.calls("delete_objects").empty());
  CHECK(objects({"sync", folder.path, "s3://b", "--delete", "--no-follow-symlinks"}) == success);
  CHECK(objects.calls("delete_objects").size() == 1);
}

TEST_CASE("ls: buckets, prefixes, objects") {
  ::setenv("TZ", "UTC", 1);
  StubbedObjects objects;
  objects.client.stub(
      "list_buckets",
      {Stub::data({{"buckets", Value::list({Value::map(
                                   {{"name", "b"}, {"creation_date", "2026-01-31T08:05:09Z"}})})},
                   {"continuation_token", ""}})});
  CHECK(objects({"ls"}) == success);
  CHECK(objects.out == "2026-01-31 08:05:09 b\n");
  objects.client.stub(
      "list_objects_v2",
      {Stub::data(
          {{"contents",
            Value::list({Value::map(
                {{"key", "p/a\n"}, {"size", 1536}, {"last_modified", "2026-01-31T08:05:09Z"}})})},
           {"common_prefixes", Value::list({Value::map({{"prefix", "p/sub/"}})})},
           {"is_truncated", false}})});
  CHECK(objects({"ls", "s3://b/p/", "--summarize"}) == success);
  CHECK(objects.out ==
        "                           PRE sub/\n"
        "2026-01-31 08:05:09       1536 a\\x0a\n"
        "\nTotal Objects: 1\n   Total Size: 1536\n");
  CHECK(*objects.calls("list_objects_v2").back()["delimiter"].text() == "/");
  CHECK(objects({"ls", "s3://b/p/", "--recursive", "--human-readable"}) == success);
  CHECK(contains(objects.out, "2026-01-31 08:05:09    1.5 KiB p/a\\x0a\n"));
  CHECK(objects.calls("list_objects_v2").back()["delimiter"].is_null());
  CHECK(objects({"ls", "b/p/", "--json"}) == success);
  CHECK(json_lines(objects.out)[1].string_or("key") == "p/a\n");
  objects.client.stub("list_objects_v2", {listing_of({})});
  CHECK(objects({"ls", "s3://b/nothing"}) == failed);
  CHECK(objects({"ls", "s3://b"}) == success);
}

TEST_CASE("rm, rb: one, all below, versions; what the service keeps is told") {
  StubbedObjects objects;
  CHECK(objects({"rm", "s3://b/k", "--dry-run"}) == success);
  CHECK(objects.calls("delete_object").empty());
  CHECK(objects({"rm", "s3://b/k", "s3://b/l"}) == success);
  CHECK(objects.calls("delete_object").size() == 2);
  CHECK(objects({"rm", "s3://b"}) == usage_error);
  std::vector<std::pair<std::string, std::int64_t>> many;
  for (int i = 0; i < 2'500; ++i) many.emplace_back("p/" + std::to_string(i), 1);
  objects.client.stub("list_objects_v2", {listing_of(many)});
  objects.client.stub(
      "delete_objects", {Stub::function([](const auto& call) {
        const auto params = Value::map(call.params);
        const auto& first = params["delete"]["objects"][0]["key"];
        return Stub::data(
            {{"errors", Value::list({Value::map(
                            {{"key", first}, {"code", "AccessDenied"}, {"message", "kept"}})})}});
      })});
  CHECK(objects({"rm", "s3://b/p", "--recursive", "--exclude", "/0"}) == partly_failed);
  CHECK(objects.calls("delete_objects").size() == 3);
  CHECK(contains(objects.err, "2496 done, 0 Bytes, 3 failed"));

  objects.client.stub("delete_objects", {Stub::data({{"errors", Value::list({})}})});
  objects.client.stub(
      "list_object_versions",
      {Stub::data({{"versions", Value::list({Value::map({{"key", "k"}, {"version_id", "1"}}),
                                             Value::map({{"key", "kk"}, {"version_id", "2"}}),
                                             Value::map({{"key", "k"},
                                                         {"version_id", "3"},
                                                         {"delete_marker", true}})})},
                   {"is_truncated", false}})});
  CHECK(objects({"rm", "s3://b/k", "--all-versions"}) == success);
  CHECK(objects.err.empty());
  CHECK(contains(objects.out, "delete: s3://b/k (version 3)"));
  CHECK_FALSE(contains(objects.out, "s3://b/kk"));
  objects.client.stub(
      "list_multipart_uploads",
      {Stub::data({{"uploads", Value::list({Value::map({{"key", "u"}, {"upload_id", "U"}})})},
                   {"is_truncated", false}})});
  CHECK(objects({"rb", "s3://b", "--force"}) == success);
  CHECK(contains(objects.out, "abort: s3://b/u\n"));
  CHECK(contains(objects.out, "remove_bucket: b\n"));
  CHECK(objects.calls("delete_bucket").size() == 1);
  CHECK(objects({"rb", "s3://b/k"}) == usage_error);
}

TEST_CASE("table: rows of all pages, as lines of JSON and as CSV") {
  StubbedObjects objects;
  const auto stub = [&] {
    objects.client.stub("list_bucket_metadata_table_rows",
                 {Stub::data({{"rows", "{\"key\":\"a\",\"size\":1,\"object_tags\":{\"x\":\"y\"}}\n"},
                              {"next_continuation_token", "t"}}),
                  Stub::data({{"rows", "{\"key\":\"b,\",\"size\":null,\"object_tags\":{}}\n"},
                              {"next_continuation_token", ""}})});
  };
  stub();
  CHECK(objects({"table", "export", "--bucket", "b", "--table", "inventory"}) == success);
  CHECK(json_lines(objects.out).size() == 2);
  const auto calls = objects.calls("list_bucket_metadata_table_rows");
  REQUIRE(calls.size() == 2);
  CHECK(*calls[0]["table"].text() == "inventory");
  CHECK(*calls[1]["continuation_token"].text() == "t");
  stub();
  CHECK(objects({"table", "export", "--bucket", "b", "--format", "csv"}) == success);
  CHECK(objects.out ==
        "key,size,object_tags\r\n\"a\",\"1\",\"{\"\"x\"\":\"\"y\"\"}\"\r\n"
        "\"b,\",,\"{}\"\r\n");
  CHECK(objects({"table", "export"}) == usage_error);
  CHECK(objects({"table", "import", "--bucket", "b"}) == usage_error);
  CHECK(objects({"table", "export", "--bucket", "b", "--table", "t"}) == usage_error);
  CHECK(objects({"table", "export", "--bucket", "b", "--format", "xml"}) == usage_error);
}

TEST_CASE("mb, presign") {
  StubbedObjects objects;
  CHECK(objects({"mb", "s3://b"}) == success);
  CHECK(objects.out == "make_bucket: b\n");
  objects.client.stub("create_bucket", {Stub::error("BucketAlreadyOwnedByYou", "own", 409)});
  CHECK(objects({"mb", "s3://b"}) == failed);
  CHECK(objects({"mb", "s3://b", "--ignore-existing"}) == success);
  CHECK(objects({"presign", "s3://b/k", "--expires-in", "60", "--method", "put", "--content-type",
                 "text/plain", "--json"}) == success);
  const auto lines = json_lines(objects.out);
  CHECK(lines[0].string_or("method") == "PUT");
  CHECK(contains(lines[0].string_or("url"), "X-Amz-Expires=60"));
  CHECK(objects({"presign", "s3://b/k"}) == success);
  CHECK(contains(objects.out, "X-Amz-Expires=3600"));
  CHECK(objects({"presign", "s3://b/k", "--expires-in", "700000"}) == usage_error);
  CHECK(objects({"presign", "s3://b/k", "--expires-in", "soon"}) == usage_error);
  CHECK(objects({"presign", "s3://b/k", "--method", "POST"}) == usage_error);
  CHECK(objects({"presign", "s3://b"}) == usage_error);
  CHECK(objects({"presign", "s3://b/k", "--expires-in", "15m"}) == success);
  CHECK(contains(objects.out, "X-Amz-Expires=900"));
}

TEST_CASE("presign --post: a form as JSON, as a page, as a command") {
  StubbedObjects objects;
  CHECK(objects({"presign", "--post", "s3://b/in/", "--expires-in", "15m", "--content-length-range",
                 "0,10MiB", "--field", "acl=private", "--field", "x-amz-meta-a=1=2", "--starts-with",
                 "Content-Type=image/"}) == success);
  const auto lines = json_lines(objects.out);
  CHECK(lines[0].string_or("method") == "POST");
  CHECK(lines[0].string_or("url").ends_with("/b"));
  CHECK(lines[0].int_or("expires_in") == 900);
  const Json& fields = *lines[0].find("fields");
  CHECK(fields.as_object().front().first == "key");
  CHECK(fields.string_or("key") == "in/${filename}");
  CHECK(fields.string_or("acl") == "private");
  CHECK(fields.string_or("x-amz-meta-a") == "1=2");
  CHECK(fields.find("Content-Type") == nullptr);
  CHECK(fields.string_or("x-amz-signature").size() == 64);
  const auto policy = parse_json(from_base64(fields.string_or("policy")).value_or(""));
  REQUIRE(policy.ok());
  const std::string conditions = policy->find("conditions")->dump();
  for (const char* part : {R"({"bucket":"b"})", R"(["starts-with","$key","in/"])", R"({"acl":"private"})",
                           R"(["starts-with","$Content-Type","image/"])",
                           R"(["content-length-range",0,10485760])", R"({"x-amz-algorithm":"AWS4-HMAC-SHA256"})"})
    CHECK_MESSAGE(contains(conditions, part), part);
  CHECK(objects({"presign", "--post", "s3://b/k", "--html", "--field", "x-amz-meta-a=\"<&>"}) == success);
  CHECK(contains(objects.out, "enctype=\"multipart/form-data\""));
  CHECK(contains(objects.out, "name=\"x-amz-meta-a\" value=\"&quot;&lt;&amp;&gt;\""));
  CHECK(contains(objects.out, "<input type=\"file\" name=\"file\" required>"));
  CHECK(objects({"presign", "--post", "s3://b/it's", "--curl"}) == success);
  CHECK(contains(objects.out, "--form-string 'key=it'\\''s'"));
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--post", "--method", "PUT"}, {"--post", "--html", "--curl"}, {"--post", "--field", "acl"},
           {"--post", "--field", "key=x"}, {"--post", "--starts-with", "=x"}, {"--post", "--version-id", "1"},
           {"--post", "--content-length-range", "5"}, {"--post", "--content-length-range", "5,4"},
           {"--post", "--expires-in", "8d"}, {"--html"}, {"--curl"}, {"--field", "a=b"},
           {"--content-length-range", "0,1"}}) {
    std::vector<std::string> words = {"presign", "s3://b/k"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    CHECK_MESSAGE(objects(words) == usage_error, wrong.back());
  }
}
