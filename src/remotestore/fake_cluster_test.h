// SPDX-License-Identifier: Apache-2.0
// A cluster for tests: a small object service on this machine that can ignore conditions, and can
// do what it is asked and then lose the answer.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "net/testing.h"
#include "remotestore/cluster.h"

namespace cairn::remotestore {

/// What happens to one request.
enum class Fate {
  served,
  answer_lost,   // done, and the connection breaks
  request_lost,  // not done, and the connection breaks
  slow_down,     // 503 SlowDown, not done
  denied,        // 403, not done
};

class FakeCluster {
 public:
  struct Request {
    std::string method = {};
    std::string name = {};  // of the object; empty for the bucket
    std::map<std::string, std::string> query = {};
    net::Headers headers = {};
    std::string body = {};
    std::string header(std::string_view field) const {
      return std::string(headers.find(field).value_or(std::string_view()));
    }
    bool has(const std::string& parameter) const { return query.count(parameter) > 0; }
  };
  struct Kept {
    std::string bytes;
    std::map<std::string, std::string> metadata;
    std::string etag;
  };

  // Set before requests come.
  bool heeds_put_conditions = true;
  bool heeds_complete_conditions = true;
  bool heeds_delete_conditions = true;
  bool knows_bare_etags_only = false;  // If-Match is compared as it was sent
  std::function<Fate(const Request&)> fate = {};
  /// Called after a request was done, before it is answered; for what others do meanwhile.
  std::function<void(const Request&)> after = {};

  FakeCluster() : server_(net::serve([this](net::Exchange& e) { serve(e); }, as_sent())) {}

  ClusterParams params(std::string prefix = "p/") const {
    ClusterParams out;
    out.place = {.bucket = "b",
                 .prefix = std::move(prefix),
                 .endpoint = "http://127.0.0.1:" + std::to_string(server_->port()),
                 .region = "eu-west-1"};
    out.access = {.access_key = "AKID", .secret_key = "SECRET", .max_attempts = 2};
    return out;
  }
  std::unique_ptr<Cluster> open(std::string prefix = "p/") const {
    auto cluster = Cluster::open(params(std::move(prefix)));
    REQUIRE_MESSAGE(cluster.ok(), (cluster.ok() ? std::string() : cluster.error().message));
    return std::move(*cluster);
  }

  std::map<std::string, Kept> objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }
  std::size_t open_uploads() const {
    const std::lock_guard lock(mutex_);
    return uploads_.size();
  }
  /// Puts as another writer does.
  void put_foreign(const std::string& name, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    objects_[name] = {.bytes = bytes, .metadata = {}, .etag = to_hex(md5(bytes))};
  }
  std::size_t requests(const std::string& method) const {
    const std::lock_guard lock(mutex_);
    return counts_.count(method) ? counts_.at(method) : 0;
  }

 private:
  struct Upload {
    std::string name;
    std::map<std::string, std::string> metadata;
    std::map<int, std::string> parts;
  };
  struct Answer {
    int status = 200;
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
  };

  static net::ServerOptions as_sent() {
    net::ServerOptions options;
    options.inflate_request_bodies = false;
    return options;
  }

  static Answer error(int status, const std::string& code) {
    return {.status = status,
            .body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code +
                    "</Code><Message>m</Message><RequestId>R</RequestId></Error>"};
  }

  static Request parse(net::Exchange& exchange) {
    Request out{.method = exchange.head.method, .headers = exchange.head.headers};
    auto body = net::read_all(exchange.body, 256u << 20);
    if (body.ok()) out.body = std::move(*body);
    std::string path(exchange.head.path());
    const auto slash = path.find('/', 1);
    if (slash != std::string::npos) out.name = percent_decode(path.substr(slash + 1)).value_or("");
    for (const std::string_view pair : split(exchange.head.query(), '&')) {
      if (pair.empty()) continue;
      const auto equals = std::min(pair.find('='), pair.size());
      out.query[std::string(pair.substr(0, equals))] =
          equals == pair.size() ? "" : percent_decode(pair.substr(equals + 1), true).value_or("");
    }
    return out;
  }

  void serve(net::Exchange& exchange) {
    const Request request = parse(exchange);
    const Fate what = fate ? fate(request) : Fate::served;
    Answer answer;
    {
      const std::lock_guard lock(mutex_);
      ++counts_[request.method];
      if (what == Fate::served || what == Fate::answer_lost) answer = act(request);
    }
    if (what == Fate::slow_down) answer = error(503, "SlowDown");
    if (what == Fate::denied) answer = error(403, "AccessDenied");
    if (after) after(request);
    net::Headers headers;
    for (const auto& [name, value] : answer.headers) headers.set(name, value);
    if (what == Fate::answer_lost || what == Fate::request_lost) {
      // Less than was promised, and the end.
      static_cast<void>(exchange.reply.begin(200, {}, 1000).ok());
      static_cast<void>(exchange.reply.flush().ok());
      return;
    }
    if (request.method == "HEAD" && answer.status == 200) {
      static_cast<void>(exchange.reply.begin(200, headers, answer.body.size()).ok());
      static_cast<void>(exchange.reply.end().ok());
      return;
    }
    static_cast<void>(exchange.reply.reply(answer.status, headers, answer.body).ok());
  }

  Answer act(const Request& r) {
    if (r.name.empty()) return act_on_bucket(r);
    if (r.has("uploads") && r.method == "POST") return begin(r);
    if (r.has("uploadId")) return act_on_upload(r);
    if (r.method == "PUT") return put(r, r.body, metadata_of(r), heeds_put_conditions);
    if (r.method == "DELETE") return remove(r);
    return get(r);
  }

  static std::map<std::string, std::string> metadata_of(const Request& r) {
    std::map<std::string, std::string> out;
    for (const auto* field : {"x-amz-meta-cairn-put", "x-amz-meta-cairn-key"})
      if (const auto value = r.headers.find(field)) out[field] = std::string(*value);
    return out;
  }

  /// The status of a condition that does not hold, or 0.
  int broken_condition(const Request& r) const {
    const auto there = objects_.find(r.name);
    if (r.header("If-None-Match") == "*" && there != objects_.end()) return 412;
    const std::string match = r.header("If-Match");
    if (match.empty()) return 0;
    if (there == objects_.end()) return 404;
    const std::string quote = knows_bare_etags_only ? "" : "\"";
    return match == quote + there->second.etag + quote ? 0 : 412;
  }

  Answer put(const Request& r, const std::string& bytes,
             const std::map<std::string, std::string>& metadata, bool heeds) {
    const int broken = heeds ? broken_condition(r) : 0;
    if (broken != 0) return error(broken, broken == 412 ? "PreconditionFailed" : "NoSuchKey");
    const std::string etag = to_hex(md5(bytes));
    objects_[r.name] = {.bytes = bytes, .metadata = metadata, .etag = etag};
    return {.headers = {{"ETag", "\"" + etag + "\""}}};
  }

  Answer remove(const Request& r) {
    const int broken = heeds_delete_conditions ? broken_condition(r) : 0;
    if (broken != 0) return error(broken, broken == 412 ? "PreconditionFailed" : "NoSuchKey");
    objects_.erase(r.name);
    return {.status = 204};
  }

  Answer get(const Request& r) const {
    const auto found = objects_.find(r.name);
    if (found == objects_.end()) return error(404, "NoSuchKey");
    const Kept& kept = found->second;
    Answer out{.body = kept.bytes,
               .headers = {{"ETag", "\"" + kept.etag + "\""},
                           {"Last-Modified", "Wed, 21 Oct 2015 07:28:00 GMT"}}};
    for (const auto& [field, value] : kept.metadata) out.headers.emplace_back(field, value);
    const std::string range = r.header("Range");
    if (range.empty()) return out;
    const auto dash = range.find('-');
    const auto begin = parse_number<std::size_t>(range.substr(6, dash - 6)).value_or(0);
    const auto end = parse_number<std::size_t>(range.substr(dash + 1)).value_or(SIZE_MAX - 1);
    if (begin >= kept.bytes.size()) return error(416, "InvalidRange");
    const std::size_t last = std::min(end, kept.bytes.size() - 1);
    out.status = 206;
    out.body = kept.bytes.substr(begin, last - begin + 1);
    out.headers.emplace_back("Content-Range", "bytes " + std::to_string(begin) + "-" +
                                                  std::to_string(last) + "/" +
                                                  std::to_string(kept.bytes.size()));
    return out;
  }

  Answer begin(const Request& r) {
    const std::string id = "u" + std::to_string(++last_upload_);
    uploads_[id] = {.name = r.name, .metadata = metadata_of(r), .parts = {}};
    return {.body = "<InitiateMultipartUploadResult><UploadId>" + id +
                    "</UploadId></InitiateMultipartUploadResult>"};
  }

  Answer act_on_upload(const Request& r) {
    const auto found = uploads_.find(r.query.at("uploadId"));
    if (found == uploads_.end()) return error(404, "NoSuchUpload");
    Upload& upload = found->second;
    if (r.method == "PUT") {
      std::string bytes = r.body;
      if (const std::string source = r.header("x-amz-copy-source"); !source.empty()) {
        Request from{.method = "GET", .name = percent_decode(source).value_or("").substr(2)};
        from.headers.set("Range", r.header("x-amz-copy-source-range"));
        const Answer got = get(from);
        if (got.status != 206) return got;
        bytes = got.body;
      }
      const std::string etag = "\"" + to_hex(md5(bytes)) + "\"";
      upload.parts[std::stoi(r.query.at("partNumber"))] = bytes;
      if (bytes.size() == r.body.size()) return {.headers = {{"ETag", etag}}};
      return {.body = "<CopyPartResult><ETag>" + etag + "</ETag></CopyPartResult>"};
    }
    if (r.method == "DELETE") {
      uploads_.erase(found);
      return {.status = 204};
    }
    if (r.method == "GET") return {.body = "<ListPartsResult></ListPartsResult>"};
    std::string all;
    for (const auto& [number, bytes] : upload.parts) all += bytes;
    Answer done = put(r, all, upload.metadata, heeds_complete_conditions);
    if (done.status != 200) return done;
    uploads_.erase(found);
    return {.body = "<CompleteMultipartUploadResult><ETag>" + done.headers.front().second +
                    "</ETag></CompleteMultipartUploadResult>"};
  }

  Answer act_on_bucket(const Request& r) {
    if (r.method == "HEAD") return {};
    if (r.has("delete")) return remove_named(r.body);
    if (r.has("uploads")) {
      std::string out = "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>";
      for (const auto& [id, upload] : uploads_)
        out += "<Upload><Key>" + percent_encode(upload.name) + "</Key><UploadId>" + id +
               "</UploadId></Upload>";
      return {.body = out + "<EncodingType>url</EncodingType></ListMultipartUploadsResult>"};
    }
    return list(r);
  }

  Answer remove_named(const std::string& document) {
    for (std::size_t at = document.find("<Key>"); at != std::string::npos;
         at = document.find("<Key>", at + 1)) {
      const std::size_t end = document.find("</Key>", at);
      objects_.erase(document.substr(at + 5, end - at - 5));
    }
    return {.body = "<DeleteResult></DeleteResult>"};
  }

  static std::string of(const Request& r, const std::string& parameter) {
    const auto found = r.query.find(parameter);
    return found == r.query.end() ? std::string() : found->second;
  }

  Answer list(const Request& r) const {
    const std::string prefix = of(r, "prefix"), delimiter = of(r, "delimiter");
    const std::string token = from_hex(of(r, "continuation-token")).value_or("");
    const std::string past = std::max(of(r, "start-after"), token);
    const auto limit = parse_number<std::size_t>(of(r, "max-keys")).value_or(1000);
    std::string entries, last;
    std::set<std::string> folds;
    std::size_t count = 0;
    bool truncated = false;
    for (const auto& [name, kept] : objects_) {
      if (!name.starts_with(prefix) || name <= past) continue;
      std::string fold;
      if (!delimiter.empty())
        if (const auto at = name.find(delimiter, prefix.size()); at != std::string::npos)
          fold = name.substr(0, at + delimiter.size());
      if (!fold.empty() && (folds.count(fold) || token.starts_with(fold))) continue;
      if (count == limit) {
        truncated = true;
        break;
      }
      ++count;
      last = fold.empty() ? name : fold + "\x7f";
      if (!fold.empty()) {
        folds.insert(fold);
        entries += "<CommonPrefixes><Prefix>" + percent_encode(fold) + "</Prefix></CommonPrefixes>";
        continue;
      }
      entries += "<Contents><Key>" + percent_encode(name) +
                 "</Key><LastModified>2015-10-21T07:28:00.000Z</LastModified><ETag>&quot;" +
                 kept.etag + "&quot;</ETag><Size>" + std::to_string(kept.bytes.size()) +
                 "</Size></Contents>";
    }
    return {.body =
                "<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>" +
                std::string(truncated ? "true" : "false") + "</IsTruncated>" +
                (truncated ? "<NextContinuationToken>" + to_hex(last) + "</NextContinuationToken>"
                           : std::string()) +
                entries + "</ListBucketResult>"};
  }

  mutable std::mutex mutex_;
  std::map<std::string, Kept> objects_;
  std::map<std::string, Upload> uploads_;
  std::map<std::string, std::size_t> counts_;
  int last_upload_ = 0;
  std::unique_ptr<net::Server> server_;
};

}  // namespace cairn::remotestore
