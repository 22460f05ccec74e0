// SPDX-License-Identifier: Apache-2.0
// One file after another over HTTP, by a client that goes to public addresses and its own host
// only.
#include "cli/models/model_download.h"

#include <set>
#include <utility>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "cli/models/model_folder.h"
#include "format/json.h"
#include "net/client/client.h"
#include "net/client/outbound.h"

namespace cairn::cli {
namespace {

constexpr int redirects_max = 5;
constexpr std::size_t fetch_step_bytes = 256 << 10;
constexpr std::size_t small_file_max = 4 << 20;
constexpr std::size_t etag_max = 1'000;

/// What a model of this layout has at its root; what is needed is found missing by the server.
constexpr std::string_view usual_files[] = {"config.json",
                                            "tokenizer.json",
                                            "tokenizer_config.json",
                                            "special_tokens_map.json",
                                            "vocab.txt",
                                            "modules.json",
                                            "sentence_bert_config.json",
                                            "config_sentence_transformers.json",
                                            "README.md",
                                            "LICENSE",
                                            "LICENSE.txt",
                                            "LICENSE.md",
                                            "NOTICE",
                                            "NOTICE.txt"};

/// What is asked of a file that is there in part, or was there once.
struct Ask {
  std::uint64_t offset = 0;
  std::string if_range = {};      // the rest alone where the file is still this one
  std::string if_none_match = {};  // nothing where it is
};

class ModelAddress {
 public:
  static Result<ModelAddress> open(const std::string& text) {
    CAIRN_TRY(net::Url url, net::parse_url(text));
    if (url.target.find('?') != std::string::npos) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "[" + text + "] must be an address without a query"};
    }
    if (!url.target.ends_with('/')) url.target += '/';
    CAIRN_TRY(net::OutboundRules rules,
              net::OutboundRules::parse({}, "the address on the command line"));
    rules.allow_host(url.host, url.port);
    net::ClientOptions options;
    options.check_address = [rules = std::move(rules)](std::string_view host,
                                                       const net::Address& address) {
      return rules.check(host, address);
    };
    return ModelAddress(std::move(url), std::move(options));
  }

  /// The reply to a GET, after redirects: 200, 206 or 304. Errors: not_found; precondition_failed
  /// where the file ends before the offset.
  Result<std::unique_ptr<net::ClientStream>> get(const std::string& name, const Ask& ask,
                                                 const os::Deadline& deadline) {
    net::ClientRequest request{.url = base_};
    request.url.target += percent_encode(name, "/");
    request.headers.set("Accept-Encoding", "identity");
    if (ask.offset > 0) {
      request.headers.set("Range", "bytes=" + std::to_string(ask.offset) + "-");
      request.headers.set("If-Range", ask.if_range);
    }
    if (!ask.if_none_match.empty()) request.headers.set("If-None-Match", ask.if_none_match);
    for (int hop = 0;; ++hop) {
      auto reply = client_->open(request, deadline);
      const std::string shown = request.url.scheme + "://" + request.url.authority() +
                                request.url.target.substr(0, request.url.target.find('?'));
      if (!reply.ok()) return with_context(std::move(reply).error(), shown);
      const int status = (*reply)->status();
      if (status == 200 || status == 206 || status == 304) return reply;
      const auto to = (*reply)->headers().find("Location");
      if (status < 300 || status >= 400 || !to || hop == redirects_max) {
        return Error{.kind = kind_of(status),
                     .message = shown + " answers " + std::to_string(status)};
      }
      CAIRN_TRY(net::Url next, target_of(request.url, std::string(*to)));
      // Whoever can change the reply on the way must not lead further without TLS.
      if (request.url.scheme == "https" && next.scheme != "https") {
        return Error{.kind = ErrorKind::permission_denied,
                     .message = shown + " redirects from https to " + next.scheme};
      }
      request.url = std::move(next);
    }
  }

 private:
  static ErrorKind kind_of(int status) {
    if (status == 404 || status == 410) return ErrorKind::not_found;
    return status == 416 ? ErrorKind::precondition_failed : ErrorKind::unavailable;
  }

  ModelAddress(net::Url base, net::ClientOptions options)
      : base_(std::move(base)), client_(std::make_unique<net::Client>(std::move(options))) {}

  static Result<net::Url> target_of(const net::Url& from, const std::string& to) {
    if (to.starts_with('/') && !to.starts_with("//")) {
      net::Url out = from;
      out.target = to;
      return out;
    }
    return net::parse_url(to);
  }

  net::Url base_;
  std::unique_ptr<net::Client> client_;
};

class ModelDownload {
 public:
  ModelDownload(ModelAddress address, os::Files& files, std::string folder,
                const std::function<void(const std::string&, std::uint64_t)>& progress,
                os::Deadline deadline)
      : address_(std::move(address)),
        files_(files),
        folder_(std::move(folder)),
        progress_(progress),
        deadline_(std::move(deadline)) {}

  Status run() {
    CAIRN_TRY(listed_, try_fetch("SHA256SUMS"));
    return listed_ ? listed_files() : known_files();
  }
  Status run_one(const std::string& name) { return fetch(name); }

 private:
  Status listed_files() {
    CAIRN_TRY(const std::string sums, small("SHA256SUMS"));
    for (const std::string_view line : split(sums, '\n')) {
      if (line.size() < 67) continue;
      std::string name(line.substr(66));
      if (name.starts_with("./")) name.erase(0, 2);
      CAIRN_CHECK(fetch(name));
    }
    return ok_status();
  }

  Status known_files() {
    for (const std::string_view name : usual_files) CAIRN_CHECK(try_fetch(std::string(name)));
    CAIRN_TRY(const std::string config, small("config.json"));
    CAIRN_TRY(const bool single, try_fetch("model.safetensors"));
    if (!single) CAIRN_CHECK(shards());
    if (files_.info(folder_ + "/modules.json").ok()) CAIRN_CHECK(modules());
    return ok_status();
  }

  Status shards() {
    CAIRN_CHECK(fetch("model.safetensors.index.json"));
    CAIRN_TRY(const std::string text, small("model.safetensors.index.json"));
    CAIRN_TRY(const Json index, parse_json(text));
    const Json* map = index.find("weight_map");
    std::set<std::string> names;
    if (map != nullptr && map->is_object()) {
      for (const auto& [tensor, file] : map->as_object()) {
        if (file.is_string()) names.insert(file.as_string());
      }
    }
    for (const std::string& name : names) CAIRN_CHECK(fetch(name));
    return ok_status();
  }

  /// The layers behind the encoder, each in a folder of its own.
  Status modules() {
    CAIRN_TRY(const std::string text, small("modules.json"));
    CAIRN_TRY(const Json list, parse_json(text));
    if (!list.is_array()) return ok_status();
    for (const Json& one : list.as_array()) {
      const std::string path = one.is_object() ? one.string_or("path") : std::string();
      if (path.empty()) continue;
      CAIRN_CHECK(try_fetch(path + "/config.json"));
      CAIRN_CHECK(try_fetch(path + "/model.safetensors"));
    }
    return ok_status();
  }

  Result<std::string> small(const std::string& name) {
    return os::read_file(files_, folder_ + "/" + name, small_file_max);
  }

  /// False where the address has no such file.
  Result<bool> try_fetch(const std::string& name) {
    const Status fetched = fetch(name);
    if (fetched.ok()) return true;
    if (fetched.error().kind == ErrorKind::not_found) return false;
    return fetched.error();
  }

  Status fetch(const std::string& name) {
    for (const std::string_view part : split(name, '/')) {
      if (part.empty() || part == "." || part == "..") {
        return Error{.kind = ErrorKind::invalid_argument,
                     .message = "[" + name + "] is not the name of a file of a model"};
      }
    }
    return download(name, folder_ + "/" + name);
  }

  /// What an earlier run left goes on where the address says that the file is still the same: by its
  /// ETag. Where there is none, a file whose digest is known stays: it is compared in the end.
  Status download(const std::string& name, const std::string& path) {
    const bool whole = files_.info(path).ok();
    const std::string part = path + ".part";
    const std::string note = etag_folder(folder_) + "/" + to_hex(sha256(name));
    const std::string etag = os::read_file(files_, note, etag_max).value_or("");
    if (whole && listed_ && etag.empty()) return ok_status();
    const auto begun = files_.info(part);
    Ask ask;
    if (whole) {
      ask.if_none_match = etag;
    } else if (begun.ok() && !etag.empty()) {
      ask = {.offset = begun->size_bytes, .if_range = etag};
    }
    auto reply = address_.get(name, ask, deadline_);
    if (!reply.ok() && reply.error().kind == ErrorKind::precondition_failed && ask.offset > 0) {
      reply = address_.get(name, {}, deadline_);  // there are fewer bytes than were here
    }
    if (!reply.ok()) return std::move(reply).error();
    const int status = (*reply)->status();
    if (status == 304) return ok_status();
    const bool goes_on = status == 206 && continues((*reply)->headers(), ask.offset);
    if (status == 206 && !goes_on) {
      return Error{.kind = ErrorKind::unavailable,
                   .message = "[" + name + "]: another range came than was asked for"};
    }
    CAIRN_CHECK(files_.make_directories(path.substr(0, path.rfind('/'))));
    if (!goes_on) {
      if (begun.ok()) CAIRN_CHECK(files_.remove(part));  // before the ETag: it is of another file
      CAIRN_CHECK(note_etag(note, (*reply)->headers()));
    }
    CAIRN_CHECK(receive(name, part, goes_on, (*reply)->body()));
    return files_.rename(part, path);
  }

  Status receive(const std::string& name, const std::string& part, bool goes_on,
                 net::BodyReader& body) {
    CAIRN_TRY(const auto file,
              files_.open(part, goes_on ? os::OpenMode::append : os::OpenMode::truncate));
    std::string buffer(fetch_step_bytes, '\0');
    while (true) {
      CAIRN_CHECK(deadline_.check("downloading [" + name + "]"));
      CAIRN_TRY(const std::size_t count, body.read(buffer));
      if (count == 0) break;
      CAIRN_CHECK(file->append(std::string_view(buffer).substr(0, count)));
      progress_(name, received_ += count);
    }
    return file->sync_data();
  }

  static bool continues(const net::Headers& headers, std::uint64_t offset) {
    const auto range = headers.find("Content-Range");
    return range && range->starts_with("bytes " + std::to_string(offset) + "-");
  }

  /// Keeps the ETag of a file before its first byte is there; a weak one says nothing of bytes.
  Status note_etag(const std::string& note, const net::Headers& headers) {
    const auto etag = headers.find("ETag");
    const bool strong = etag && etag->starts_with('"') && etag->size() <= etag_max;
    CAIRN_TRY(const auto file, files_.open(note, os::OpenMode::truncate));
    if (strong) CAIRN_CHECK(file->append(*etag));
    return file->sync_data();
  }

  ModelAddress address_;
  os::Files& files_;
  const std::string folder_;
  const std::function<void(const std::string&, std::uint64_t)>& progress_;
  const os::Deadline deadline_;
  std::uint64_t received_ = 0;
  bool listed_ = false;  // whether SHA256SUMS names the files
};

}  // namespace

std::string etag_folder(const std::string& folder) { return folder + ".etags"; }

Status download_model(const std::string& url, os::Files& files, const std::string& folder,
                      const std::function<void(const std::string&, std::uint64_t)>& progress,
                      const os::Deadline& deadline) {
  const bool one_file = names_gguf(url);
  const std::size_t name = one_file ? url.rfind('/') + 1 : url.size();
  CAIRN_TRY(ModelAddress address, ModelAddress::open(url.substr(0, name)));
  CAIRN_CHECK(files.make_directories(folder, 0700));
  CAIRN_CHECK(files.make_directories(etag_folder(folder), 0700));
  ModelDownload download(std::move(address), files, folder, progress, deadline);
  return one_file ? download.run_one(url.substr(name)) : download.run();
}

}  // namespace cairn::cli
