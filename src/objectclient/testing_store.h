// SPDX-License-Identifier: Apache-2.0
// A small store that the tests of transfers talk to, and that they can trouble.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "objectclient/testing.h"

namespace cairn::objectclient {

/// One bucket with one key, and one upload at a time. `trouble` may answer instead.
class SmallStore {
 public:
  using Trouble = std::function<std::optional<Answer>(const Seen& seen)>;

  Answer answer(const Seen& seen) {
    const Trouble now = trouble;  // which may take itself away
    if (now)
      if (auto given = now(seen)) return *given;
    const std::string query = seen.target.find('?') == std::string::npos
                                  ? ""
                                  : seen.target.substr(seen.target.find('?') + 1);
    if (seen.method == "POST" && query == "uploads") return begin();
    if (seen.method == "PUT" && query.find("partNumber=") != std::string::npos)
      return part(seen, query);
    if (query.find("uploadId=") != std::string::npos && !open)
      return {.status = 404, .body = error_xml("NoSuchUpload")};
    if (seen.method == "POST") return complete();
    if (seen.method == "DELETE") return abort();
    if (seen.method == "GET" && !query.empty()) return list();
    if (seen.method == "PUT") return put(seen);
    return get(seen);
  }

  Trouble trouble = {};
  bool open = false;
  int begun = 0;
  int aborted = 0;
  std::map<int, std::string> parts = {};
  std::string object = {};
  std::string etag = {};

 private:
  Answer begin() {
    open = true;
    ++begun;
    parts.clear();
    return {.body = "<InitiateMultipartUploadResult><UploadId>U" + std::to_string(begun) +
                    "</UploadId></InitiateMultipartUploadResult>"};
  }
  Answer part(const Seen& seen, const std::string& query) {
    const int number = std::stoi(query.substr(query.find("partNumber=") + 11));
    parts[number] = seen.body;
    return {.headers = {{"ETag", "\"" + to_hex(md5(seen.body)) + "\""},
                        {"x-amz-checksum-crc32", seen.header("x-amz-checksum-crc32")}}};
  }
  Answer complete() {
    std::string digests;
    object.clear();
    for (const auto& [number, bytes] : parts) {
      object += bytes;
      digests += md5(bytes);
    }
    etag = "\"" + to_hex(md5(digests)) + "-" + std::to_string(parts.size()) + "\"";
    open = false;
    return {.body = "<CompleteMultipartUploadResult><ETag>" + etag +
                    "</ETag></CompleteMultipartUploadResult>"};
  }
  Answer abort() {
    ++aborted;
    open = false;
    parts.clear();
    return {.status = 204};
  }
  Answer list() const {
    std::string xml = "<ListPartsResult>";
    for (const auto& [number, bytes] : parts)
      xml += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>\"" +
             to_hex(md5(bytes)) + "\"</ETag><Size>" + std::to_string(bytes.size()) +
             "</Size></Part>";
    return {.body = xml + "</ListPartsResult>"};
  }
  Answer put(const Seen& seen) {
    object = seen.body;
    etag = "\"" + to_hex(md5(object)) + "\"";
    return {.headers = {{"ETag", etag}}};
  }
  Answer get(const Seen& seen) const {
    if (etag.empty()) return {.status = 404, .body = error_xml("NoSuchKey")};
    const std::string range = seen.header("range");
    if (range.empty() || seen.method == "HEAD")
      return {.body = object, .headers = {{"ETag", etag}}};
    const std::string wanted = seen.header("if-match");
    if (!wanted.empty() && wanted != etag)
      return {.status = 412, .body = error_xml("PreconditionFailed")};
    const auto dash = range.find('-');
    const std::size_t first = *parse_number<std::size_t>(range.substr(6, dash - 6));
    if (first >= object.size()) return {.status = 416, .body = error_xml("InvalidRange")};
    const std::size_t last =
        std::min(*parse_number<std::size_t>(range.substr(dash + 1)), object.size() - 1);
    return {.status = 206,
            .body = object.substr(first, last - first + 1),
            .headers = {
                {"ETag", etag},
                {"Content-Range", "bytes " + std::to_string(first) + "-" + std::to_string(last) +
                                      "/" + std::to_string(object.size())}}};
  }
};

/// The store, its service, and clients of it.
struct Rig {
  SmallStore store;
  ScriptedService service{[this](const Seen& seen) { return store.answer(seen); }};
  MadeUp environment;
  Client client() {
    ClientOptions options = at(service);
    options.raise_response_errors = false;
    return environment.client(options);
  }
};

inline std::string bytes_of(std::size_t count) {
  std::string out(count, '\0');
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<char>(i * 2'654'435'761u >> 13);
  return out;
}

}  // namespace cairn::objectclient
