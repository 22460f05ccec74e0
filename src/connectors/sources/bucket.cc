// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/bucket.h"

#include <algorithm>
#include <utility>

#include "connectors/configuration.h"
#include "connectors/errors.h"
#include "connectors/file_documents.h"
#include "connectors/sources/bucket_events.h"
#include "objectclient/client.h"

namespace cairn::connectors {
namespace {

constexpr std::int64_t object_bytes_default = 10 << 20;
constexpr std::int64_t object_bytes_most = 1 << 30;
constexpr std::int64_t attempts_of_a_call = 5;
constexpr std::size_t told_page = 100;  // objects that are asked for one by one

struct BucketValues {
  std::string endpoint = {};
  std::string region = {};
  std::string bucket = {};
  std::string prefix = {};
  objectclient::Credentials keys = {};
  bool path_style = true;
  std::size_t object_bytes_max = 0;
};

/// What a call of the client failed with, as one of a source.
Error call_error(Error error) {
  if (!error.code.empty()) error.message = error.code + ": " + error.message;
  error.code.clear();
  error.details.clear();
  return error;
}

/// Nothing of this machine: the keys are the configuration's.
objectclient::Environment closed_environment(const Outreach& outreach) {
  objectclient::Environment out = objectclient::system_environment();
  out.variable = [](std::string_view) { return std::optional<std::string>(); };
  out.read_file = [](const std::string&) -> Result<std::optional<std::string>> {
    return std::optional<std::string>();
  };
  out.run = [](const std::string&, const os::Deadline&) -> Result<std::string> {
    return Error{.kind = ErrorKind::permission_denied, .message = "no program is run for keys"};
  };
  out.send = [](const net::ClientRequest&, const os::Deadline&) -> Result<net::ClientReply> {
    return Error{.kind = ErrorKind::permission_denied, .message = "nobody is asked for keys"};
  };
  out.check_address = [rules = outreach.rules()](std::string_view host,
                                                 const net::Address& address) {
    return rules.check(host, address);
  };
  return out;
}

Result<objectclient::Client> client_of(const BucketValues& values, const Outreach& outreach) {
  objectclient::ClientOptions options;
  options.endpoint = values.endpoint;
  options.region = values.region;
  options.force_path_style = values.path_style;
  options.credentials = objectclient::static_credentials(values.keys);
  options.follow_redirects = false;  // keys and objects are for the endpoint that was named
  options.raise_response_errors = false;
  options.retry_mode = "standard";
  options.max_attempts = attempts_of_a_call;
  options.user_agent_suffix = "cairn-connectors";
  auto client = objectclient::Client::open(std::move(options), closed_environment(outreach));
  if (!client.ok()) return call_error(std::move(client).error());
  return client;
}

class BucketWalk final : public Walk {
 public:
  BucketWalk(const objectclient::Client& client, const BucketValues& values)
      : client_(client), values_(values) {}

  Result<SourcePage> next(const os::Deadline& deadline) override {
    s3::ListObjectsV2Input input{.bucket = values_.bucket};
    input.encoding_type = "url";  // keys may have characters that XML has not
    if (!values_.prefix.empty()) input.prefix = values_.prefix;
    if (!token_.empty()) input.continuation_token = token_;
    const auto listed = client_.list_objects_v2(input, {.deadline = deadline});
    if (!listed.ok()) return call_error(listed.error());
    SourcePage page;
    for (const auto& object : listed->contents) add(object, page);
    page.last = !listed->is_truncated.value_or(false);
    std::string next = listed->next_continuation_token.value_or("");
    if (!page.last && (next.empty() || next == token_))
      return Error{.kind = ErrorKind::corrupt,
                   .message = "the listing of the bucket goes on, and does not say where"};
    token_ = std::move(next);
    return page;
  }

 private:
  template <class Element>
  static void add(const Element& object, SourcePage& page) {
    const std::string& key = object.key;
    if (key.empty() || key.ends_with('/')) return;  // a folder's marker
    if (const std::string_view why = why_skipped(key); !why.empty()) {
      ++page.skipped;
      page.left_out.push_back({key, "it is " + std::string(why)});
      return;
    }
    SourceItem item{.path = key, .version = object.etag.value_or("")};
    item.size_bytes =
        static_cast<std::uint64_t>(std::max<std::int64_t>(object.size.value_or(0), 0));
    if (object.last_modified) item.modified_ms = object.last_modified->unix_ms;
    page.items.push_back(std::move(item));
  }

  const objectclient::Client& client_;
  const BucketValues& values_;
  std::string token_;
};

/// Objects of which the store sent word: what each is now, it is asked, so that late and repeated
/// words do no harm.
class ToldWalk final : public Walk {
 public:
  ToldWalk(const objectclient::Client& client, const BucketValues& values,
           std::vector<std::string> keys)
      : client_(client), values_(values), keys_(std::move(keys)) {}

  bool is_whole() const override { return false; }

  Result<SourcePage> next(const os::Deadline& deadline) override {
    SourcePage page{.total = keys_.size()};
    for (std::size_t i = 0; i < told_page && next_ < keys_.size(); ++i)
      CAIRN_CHECK(ask(keys_[next_++], page, deadline));
    page.last = next_ == keys_.size();
    return page;
  }

 private:
  Status ask(const std::string& key, SourcePage& page, const os::Deadline& deadline) {
    if (!key.starts_with(values_.prefix)) return ok_status();  // it was another one
    const auto head =
        client_.head_object({.bucket = values_.bucket, .key = key}, {.deadline = deadline});
    if (!head.ok()) {
      Error error = call_error(head.error());
      if (error.kind == ErrorKind::permission_denied) {
        page.unreadable.push_back({key, error.message});
        return ok_status();
      }
      if (error.kind != ErrorKind::not_found) return with_context(std::move(error), key);
      CAIRN_CHECK(check_bucket(deadline));
      page.removed.push_back(key);
      return ok_status();
    }
    SourceItem item{.path = key, .version = head->etag.value_or("")};
    item.size_bytes =
        static_cast<std::uint64_t>(std::max<std::int64_t>(head->content_length.value_or(0), 0));
    if (head->last_modified) item.modified_ms = head->last_modified->unix_ms;
    page.items.push_back(std::move(item));
    return ok_status();
  }

  // A bucket that is away is no bucket whose objects are gone.
  Status check_bucket(const os::Deadline& deadline) {
    if (bucket_is_there_) return ok_status();
    const auto there = client_.head_bucket({.bucket = values_.bucket}, {.deadline = deadline});
    if (!there.ok()) return call_error(there.error());
    bucket_is_there_ = true;
    return ok_status();
  }

  const objectclient::Client& client_;
  const BucketValues& values_;
  const std::vector<std::string> keys_;
  std::size_t next_ = 0;
  bool bucket_is_there_ = false;
};

class Bucket final : public Source {
 public:
  Bucket(objectclient::Client client, BucketValues values)
      : client_(std::move(client)), values_(std::move(values)) {}

  Result<std::unique_ptr<Walk>> walk(const std::string&, const os::Deadline&) override {
    return std::unique_ptr<Walk>(std::make_unique<BucketWalk>(client_, values_));
  }

  Result<std::unique_ptr<Walk>> walk_told(const std::vector<std::string>& paths,
                                          const os::Deadline&) override {
    return std::unique_ptr<Walk>(std::make_unique<ToldWalk>(client_, values_, paths));
  }

  Status read(const SourceItem& item, DocumentSink& sink, const os::Deadline& deadline) override {
    if (item.size_bytes > values_.object_bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = item.path + " has " + std::to_string(item.size_bytes) +
                              " bytes, more than " + std::to_string(values_.object_bytes_max)};
    auto got = client_.get_object({.bucket = values_.bucket, .key = item.path},
                                  objectclient::Target::memory(values_.object_bytes_max),
                                  {.deadline = deadline});
    if (!got.ok()) return with_context(call_error(got.error()), item.path);
    return give_file(item.path, std::string(got.body()), sink);
  }

  Result<Json> check(const os::Deadline& deadline) override {
    s3::ListObjectsV2Input input{.bucket = values_.bucket};
    input.max_keys = 1;
    if (!values_.prefix.empty()) input.prefix = values_.prefix;
    const auto listed = client_.list_objects_v2(input, {.deadline = deadline});
    if (!listed.ok()) return call_error(listed.error());
    return Json::object({{"bucket", values_.bucket}, {"empty", listed->contents.empty()}});
  }

 private:
  const objectclient::Client client_;
  const BucketValues values_;
};

class BucketType final : public SourceType {
 public:
  explicit BucketType(Outreach outreach) : outreach_(std::move(outreach)) {}

  Json configuration_schema() const override {
    return Json::object(
        {{"endpoint", configuration_entry({.label = "Endpoint",
                                           .tooltip = "https:// or http://, and the host",
                                           .order = 1,
                                           .required = true})},
         {"region", configuration_entry({.label = "Region", .value = "us-east-1", .order = 2})},
         {"bucket", configuration_entry({.label = "Bucket", .order = 3, .required = true})},
         {"prefix", configuration_entry({.label = "Prefix of keys", .order = 4})},
         {"access_key_id",
          configuration_entry({.label = "Access key id", .order = 5, .required = true})},
         {"secret_access_key",
          configuration_entry(
              {.label = "Secret access key", .order = 6, .required = true, .sensitive = true})},
         {"session_token",
          configuration_entry({.label = "Session token", .order = 7, .sensitive = true})},
         {"path_style", configuration_entry({.label = "Bucket in the path",
                                             .type = "bool",
                                             .tooltip = "Not in the host's name",
                                             .value = true,
                                             .order = 8})},
         {"max_file_size",
          configuration_entry({.label = "Largest object in bytes",
                               .type = "int",
                               .tooltip = "Larger objects are counted and named, not read",
                               .value = object_bytes_default,
                               .order = 9})},
         {std::string(error_budget_field), error_budget_entry(10)}});
  }

  Status validate(const Json& configuration) const override {
    CAIRN_CHECK(error_budget_of(configuration));
    CAIRN_TRY(const BucketValues values, values_of(configuration));
    CAIRN_CHECK(client_of(values, outreach_));
    return ok_status();
  }

  Result<ToldChange> concerns(const Json& configuration, const Json& event) const override {
    CAIRN_TRY(const std::string bucket, configured_text(configuration, "bucket"));
    CAIRN_TRY(const std::string prefix, configured_text(configuration, "prefix"));
    return told_objects(event, bucket, prefix);
  }

  Result<std::unique_ptr<Source>> open(const Json& configuration) const override {
    CAIRN_TRY(BucketValues values, values_of(configuration));
    CAIRN_TRY(auto client, client_of(values, outreach_));
    return std::unique_ptr<Source>(std::make_unique<Bucket>(std::move(client), std::move(values)));
  }

 private:
  Result<BucketValues> values_of(const Json& configuration) const {
    BucketValues out;
    CAIRN_TRY(out.endpoint, required_text(configuration, "endpoint", "where the store answers"));
    CAIRN_TRY(const net::Url url, outreach_.check_url("endpoint", out.endpoint));
    CAIRN_TRY(out.region, configured_text(configuration, "region", "us-east-1"));
    CAIRN_TRY(out.bucket, required_text(configuration, "bucket", "a bucket"));
    CAIRN_TRY(out.prefix, configured_text(configuration, "prefix"));
    CAIRN_TRY(out.path_style, configured_flag(configuration, "path_style", true));
    // A bucket in the host's name makes another host of it.
    if (!out.path_style)
      CAIRN_CHECK(outreach_.check_host("endpoint", out.bucket + "." + url.host, url.port));
    CAIRN_TRY(out.keys.access_key_id, required_text(configuration, "access_key_id", "a key"));
    CAIRN_TRY(out.keys.secret_access_key,
              required_text(configuration, "secret_access_key", "the key's secret"));
    CAIRN_TRY(out.keys.session_token, configured_text(configuration, "session_token"));
    CAIRN_TRY(const std::int64_t largest,
              configured_number(configuration, "max_file_size", object_bytes_default, 1,
                                object_bytes_most));
    out.object_bytes_max = static_cast<std::size_t>(largest);
    return out;
  }

  const Outreach outreach_;
};

}  // namespace

std::unique_ptr<const SourceType> bucket_source(Outreach outreach) {
  return std::make_unique<BucketType>(std::move(outreach));
}

}  // namespace cairn::connectors
