// SPDX-License-Identifier: Apache-2.0
// The rig of service_rig.h, in the test program only.
#include "s3api/service_rig.h"

#include <atomic>

#include "base/assert.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

class CollectedReply final : public net::ReplyWriter {
 public:
  CollectedReply(Answer& answer, bool head, const ServiceRig& rig)
      : answer_(answer), head_(head), rig_(rig) {}
  Status send_continue() override { return ok_status(); }
  Status begin(int status, const net::Headers& headers,
               std::optional<std::uint64_t> length) override {
    CAIRN_ASSERT(!begun_);
    if (rig_.before_reply) rig_.before_reply();
    begun_ = true;
    answer_.status = status;
    answer_.headers = headers;
    standing.add_to(answer_.headers);
    answer_.length = length;
    return ok_status();
  }
  Status write(std::string_view bytes) override {
    CAIRN_ASSERT(begun_);
    answer_.body += bytes;
    return ok_status();
  }
  Status write_file(int, std::uint64_t, std::uint64_t) override { return ok_status(); }
  Status flush() override {
    if (rig_.on_flush) rig_.on_flush();
    return ok_status();
  }
  Status end(const net::Headers&) override {
    const bool bodiless = head_ || answer_.status == 204 || answer_.status == 304;
    answer_.complete =
        bodiless ? answer_.body.empty() : !answer_.length || answer_.body.size() == *answer_.length;
    return ok_status();
  }
  Status reply(int status, const net::Headers& headers, std::string_view body) override {
    CAIRN_CHECK(begin(status, headers, body.size()));
    CAIRN_CHECK(write(body));
    return end({});
  }
  bool begun() const override { return begun_; }
  int status() const override { return answer_.status; }

 private:
  Answer& answer_;
  bool head_;
  const ServiceRig& rig_;
  bool begun_ = false;
};

class WatchedBody final : public net::BodyReader {
 public:
  WatchedBody(std::string text, bool& was_read) : inner_(std::move(text)), was_read_(was_read) {}
  Result<std::size_t> read(std::span<char> into) override {
    was_read_ = true;
    return inner_.read(into);
  }
  std::optional<std::uint64_t> length() const override { return inner_.length(); }
  const net::Headers& trailers() const override { return inner_.trailers(); }

 private:
  net::StringBody inner_;
  bool& was_read_;
};

// One key, whose id, alias and ARN are known; data keys are sealed by its name and context.
class TestKeys final : public objectstore::KeyRing, public KeyNames {
 public:
  Result<std::string> resolve(std::string_view name, std::string_view account_id) override {
    const std::string arn = "arn:aws:kms:us-east-1:" + std::string(account_id) + ":key/one";
    if (name.empty() || name == "one" || name == "alias/first" || name == arn) return arn;
    return s3::error("KMS.NotFoundException", "Invalid keyId '" + std::string(name) + "'");
  }
  Result<std::string> seal(const s3::Encryption& how, std::string_view data_key) override {
    return how.kms_key_id + how.kms_context + std::string(data_key);
  }
  Result<std::string> unseal(const s3::Encryption& how, std::string_view sealed) override {
    const std::string under = how.kms_key_id + how.kms_context;
    if (!sealed.starts_with(under)) return Error{.kind = ErrorKind::corrupt};
    return std::string(sealed.substr(under.size()));
  }
};

AccountBook two_accounts() {
  const auto account = [](char digit, const std::string& name) {
    return std::make_shared<const auth::Account>(
        auth::Account{.id = std::string(12, digit),
                      .canonical_id = std::string(64, digit),
                      .name = name,
                      .email = name + "@example.org"});
  };
  const auto mine = account('1', "mine"), theirs = account('2', "theirs");
  const auto find = [mine, theirs](auto field) {
    return [mine, theirs, field](std::string_view value) {
      return (*mine).*field == value ? mine : (*theirs).*field == value ? theirs : nullptr;
    };
  };
  return {.by_canonical_id = find(&auth::Account::canonical_id),
          .by_email = find(&auth::Account::email)};
}

// The root of the key's account, with its e-mail address.
std::shared_ptr<const auth::ObjectCaller> caller_of(const auth::ObjectKey& key) {
  auth::ObjectCaller caller = *root_of(key);
  caller.email = key.account_id.starts_with('1') ? "mine@example.org" : "theirs@example.org";
  return std::make_shared<const auth::ObjectCaller>(std::move(caller));
}

}  // namespace

std::string Answer::header(std::string_view name) const {
  return std::string(headers.find(name).value_or(""));
}

XmlElement Answer::xml() const {
  auto root = parse_xml(body);
  CAIRN_ASSERT(root.ok());
  return std::move(*root);
}

std::string Answer::code() const { return text("Code"); }

std::string Answer::text(std::string_view path) const {
  const auto root = parse_xml(body);
  if (!root.ok()) return "(no XML)";
  const XmlElement* element = &*root;
  for (std::string_view name : split(path, '/')) {
    element = element->child(name);
    if (element == nullptr) return "(none)";
  }
  return element->text;
}

ServiceRig::ServiceRig(Options options)
    : mine{"AKMINE00000000000001", "secret-of-mine"},
      theirs{"AKTHEIRS000000000001", "secret-of-theirs"} {
  restart(std::move(options));
}

void ServiceRig::restart(Options options, const std::function<void()>& meanwhile) {
  service.reset();
  engine.reset();
  if (meanwhile) meanwhile();
  objectstore::EngineOptions engine_options;
  engine_options.data_dir = "/data";
  engine_options.files = &files;
  engine_options.clock = &clock;
  static TestKeys test_keys;
  engine_options.key_ring = &test_keys;
  auto opened = objectstore::Engine::open(engine_options);
  CAIRN_ASSERT(opened.ok());
  engine = std::move(*opened);
  const auto key = [](const s3::Credentials& c, char digit) {
    return std::make_shared<const auth::ObjectKey>(
        auth::ObjectKey{.access_key_id = c.access_key_id,
                        .secret = c.secret_access_key,
                        .account_id = std::string(12, digit),
                        .canonical_id = std::string(64, digit),
                        .user = "user",
                        .active = true,
                        .creation_ms = 0});
  };
  const auto find = [one = key(mine, '1'), two = key(theirs, '2')](std::string_view id) {
    return one->access_key_id == id ? one : two->access_key_id == id ? two : nullptr;
  };
  service = std::make_unique<Service>(ServiceParams{.engine = *engine,
                                                    .find_key = find,
                                                    .find_caller =
                                                        [this](const auth::ObjectKey& key) {
                                                          return whose ? whose(key) : caller_of(key);
                                                        },
                                                    .options = std::move(options),
                                                    .key_names = &test_keys,
                                                    .table_copy =
                                                        [this](std::string_view bucket,
                                                               std::string_view table) {
                                                          return table_copy
                                                                     ? table_copy(bucket, table)
                                                                     : TableCopy{.filled = true};
                                                        },
                                                    .accounts = two_accounts(),
                                                    .clock = clock,
                                                    .seal = auth::Seal(std::string(32, 's')),
                                                    .grants = grants});
}

ServiceRig::~ServiceRig() = default;

Answer ServiceRig::ask(const Ask& ask) {
  net::RequestHead head;
  head.method = ask.method;
  head.target = ask.target;
  head.peer_address = "127.0.0.1";
  head.tls = ask.tls;
  head.headers.add("Host", ask.host);
  for (const auto& [name, value] : ask.headers) head.headers.add(name, value);
  if (ask.send_length && (!ask.body.empty() || ask.method == "PUT" || ask.method == "POST"))
    head.headers.add("Content-Length", std::to_string(ask.body.size()));
  if (!ask.session_token.empty())
    head.headers.add(s3::header_name("x-amz-s3session-token", ask.dialect), ask.session_token);
  if (ask.sign) {
    s3::SigningParams params{
        .credentials = ask.credentials.access_key_id.empty() ? mine : ask.credentials,
        .region = ask.region,
        .service = ask.service,
        .dialect = ask.dialect,
        .time_ms = clock.unix_ms() + ask.clock_off_ms};
    const std::string hash = ask.payload_hash.empty() ? to_hex(sha256(ask.body)) : ask.payload_hash;
    s3::sign_headers(head.method, head.path(), head.query(), head.headers, hash, params, keys);
  }
  Answer answer;
  bool was_read = false;
  WatchedBody body(ask.body, was_read);
  CollectedReply reply(answer, ask.method == "HEAD", *this);
  net::Exchange exchange{.head = head,
                         .body = body,
                         .reply = reply,
                         .deadline = ask.deadline,
                         .request_id = "0123456789ABCDEF"};
  service->handle(exchange);
  std::atomic_ref(body_was_read).store(was_read);
  return answer;
}

using Fields = std::vector<std::pair<std::string, std::string>>;

Answer ServiceRig::get(std::string target, Fields headers) {
  return ask({.target = std::move(target), .headers = std::move(headers)});
}
Answer ServiceRig::head(std::string target, Fields headers) {
  return ask({.method = "HEAD", .target = std::move(target), .headers = std::move(headers)});
}
Answer ServiceRig::put(std::string target, std::string body, Fields headers) {
  return ask({.method = "PUT",
              .target = std::move(target),
              .headers = std::move(headers),
              .body = std::move(body)});
}
Answer ServiceRig::remove(std::string target) {
  return ask({.method = "DELETE", .target = std::move(target)});
}
Answer ServiceRig::post(std::string target, std::string body, Fields headers) {
  return ask({.method = "POST",
              .target = std::move(target),
              .headers = std::move(headers),
              .body = std::move(body)});
}

}  // namespace cairn::s3api
