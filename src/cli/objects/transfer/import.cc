// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/import.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/objects/places/listing.h"
#include "cli/objects/transfer/import_locks.h"
#include "cli/objects/transfer/import_plan.h"
#include "cli/objects/transfer/run_each.h"
#include "objectclient/faults.h"
#include "objectclient/token_watch.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

constexpr std::uint64_t in_memory_max = 8 << 20;  // larger bodies go through a file

using NextHistory = std::function<Result<std::optional<KeyHistory>>()>;

std::string import_text(const Value& value) {
  const std::string* const text = value.text();
  return text != nullptr ? *text : std::string();
}

std::uint64_t import_count(const Value& value) {
  const std::int64_t* const number = value.integer();
  return number != nullptr && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

std::string without_quotes(std::string etag) {
  std::erase(etag, '"');
  return etag;
}

/// All versions below a prefix, gathered by key: services list a key's versions one after another,
/// the newest first.
class Histories {
 public:
  Histories(const Service& service, std::string bucket, const std::string& prefix)
      : service_(service),
        left_(Params{{"bucket", std::move(bucket)}, {"prefix", prefix}, {"encoding_type", "url"}}) {
  }

  Result<std::optional<KeyHistory>> next() {
    for (;;) {
      while (at_ < page_.size()) {
        auto& [key, version] = page_[at_];
        if (gathered_ && gathered_->key != key) return take();
        if (!gathered_) gathered_ = KeyHistory{.key = key};
        gathered_->versions.insert(gathered_->versions.begin(), std::move(version));
        ++at_;
      }
      if (!left_) return gathered_ ? take() : std::optional<KeyHistory>();
      CAIRN_CHECK(load());
    }
  }

 private:
  std::optional<KeyHistory> take() { return std::exchange(gathered_, std::nullopt); }

  Status load() {
    CAIRN_TRY(const Value result, service_.call("list_object_versions", *left_));
    page_.clear();
    at_ = 0;
    add(result["versions"]);
    const bool* const more = result["is_truncated"].boolean();
    if (more == nullptr || !*more) return left_.reset(), ok_status();
    const std::string key = import_text(result["next_key_marker"]);
    const std::string version = import_text(result["next_version_id_marker"]);
    if (key.empty())
      return objectclient::unexpected_reply("the listing says that it goes on, and not where");
    CAIRN_CHECK(watch_.see(key + '\0' + version));
    std::erase_if(*left_, [](const auto& one) { return one.first.ends_with("_marker"); });
    left_->emplace_back("key_marker", key);
    if (!version.empty()) left_->emplace_back("version_id_marker", version);
    return ok_status();
  }

  /// Delete markers stand among them.
  void add(const Value& list) {
    const Value::List* const elements = list.elements();
    if (elements == nullptr) return;
    for (const Value& one : *elements) {
      const bool* const marker = one["delete_marker"].boolean();
      page_.emplace_back(import_text(one["key"]),
                         ListedVersion{.version_id = import_text(one["version_id"]),
                                       .etag = without_quotes(import_text(one["etag"])),
                                       .size = import_count(one["size"]),
                                       .modified_ms = time_ms_of(one["last_modified"]),
                                       .is_marker = marker != nullptr && *marker});
    }
  }

  const Service& service_;
  std::optional<Params> left_;
  objectclient::TokenWatch watch_;
  std::vector<std::pair<std::string, ListedVersion>> page_;
  std::size_t at_ = 0;
  std::optional<KeyHistory> gathered_;
};

NextHistory histories(const Service& service, const Address& side, bool versions) {
  const std::string prefix = as_folder(side.key);
  if (versions) {
    const auto walk = std::make_shared<Histories>(service, side.bucket, prefix);
    return [walk] { return walk->next(); };
  }
  const auto entries = std::make_shared<NextEntry>(listed_entries(service, side.bucket, prefix));
  return [entries]() -> Result<std::optional<KeyHistory>> {
    CAIRN_TRY(const auto entry, (*entries)());
    if (!entry) return std::optional<KeyHistory>();
    return std::optional(
        KeyHistory{.key = entry->place,
                   .versions = {{.size = entry->size, .modified_ms = entry->modified_ms}}});
  };
}

/// A file that goes with its owner.
class ImportFile {
 public:
  ImportFile() {
    static std::atomic<unsigned> count{0};
    const char* const folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
    path_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/cairn-import-" +
            std::to_string(::getpid()) + "-" + std::to_string(++count);
  }
  ~ImportFile() { (void)os::system_files().remove(path_).ok(); }
  ImportFile(const ImportFile&) = delete;
  ImportFile& operator=(const ImportFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What an object carries besides its bytes, by the names of get_object and put_object alike.
constexpr std::string_view carried[] = {
    "content_type",     "cache_control",    "content_disposition",
    "content_encoding", "content_language", "expires",
    "metadata",         "storage_class",    "website_redirect_location"};

/// One run. Safe from several threads.
class Import {
 public:
  Import(const Service& from, const Service& to, const Address& source, const Address& target,
         const ImportOptions& options, const TransferSettings& settings, Report& report)
      : from_(from),
        to_(to),
        source_(source),
        target_(target),
        options_(options),
        settings_(settings),
        report_(report) {}

  Status run() {
    if (options_.versions) CAIRN_CHECK(check_versioning());
    if (!report_.dry_run()) locks_.emplace(from_, to_, source_.bucket, target_.bucket);
    const NextHistory sources = histories(from_, source_, options_.versions);
    const NextHistory targets = histories(to_, target_, options_.versions);
    std::optional<KeyHistory> there;
    bool ended = false;
    const std::function<Result<std::optional<Step>>()> next = [&]() -> Result<std::optional<Step>> {
      CAIRN_TRY(auto source, sources());
      if (!source) return std::optional<Step>();
      Step step{.source = std::move(*source)};
      step.target_key =
          as_folder(target_.key) + step.source.key.substr(as_folder(source_.key).size());
      // Both lists are in the order of keys.
      while (!ended && (!there || there->key < step.target_key)) {
        CAIRN_TRY(there, targets());
        ended = !there.has_value();
      }
      const KeyHistory none;
      const KeyHistory& has = there && there->key == step.target_key ? *there : none;
      step.plan =
          options_.versions ? plan_versions(step.source, has) : plan_current(step.source, has);
      return std::optional(std::move(step));
    };
    return run_each<Step>(report_.dry_run() ? 1 : settings_.jobs, to_.deadline(), next,
                          [this](Step& step) { make(step); });
  }

 private:
  struct Step {
    KeyHistory source;
    std::string target_key = {};
    ImportPlan plan = {};
  };

  /// Versions that a bucket without versioning got would replace one another.
  Status check_versioning() const {
    CAIRN_TRY(const Value state, to_.call("get_bucket_versioning", {{"bucket", target_.bucket}}));
    if (import_text(state["status"]) == "Enabled") return ok_status();
    return Error{ErrorKind::invalid_argument,
                 {},
                 "the bucket [" + target_.bucket +
                     "] keeps no versions: cairn objects put-bucket-versioning --bucket " +
                     target_.bucket + " --versioning-configuration '{\"status\": \"Enabled\"}'"};
  }

  void make(const Step& step) const {
    const Action about{"copy", object_text(source_.bucket, step.source.key),
                       object_text(target_.bucket, step.target_key), 0};
    if (!step.plan.refusal.empty()) return report_.odd(about.source, step.plan.refusal);
    for (std::size_t i = step.plan.first; i < step.source.versions.size(); ++i) {
      const ListedVersion& version = step.source.versions[i];
      Action action = about;
      action.bytes = version.size;
      if (report_.dry_run()) {
        report_.done(action);
        continue;
      }
      std::string lost;
      const Status copied = version.is_marker ? mark_deleted(step) : copy(step, version, lost);
      // What comes behind it would be in its place.
      if (!copied.ok()) return report_.failed(action, copied.error());
      report_.done(action);
      if (!lost.empty()) report_.without(action, lost);
    }
  }

  Status mark_deleted(const Step& step) const {
    CAIRN_CHECK(to_.call("delete_object", {{"bucket", target_.bucket}, {"key", step.target_key}}));
    return ok_status();
  }

  Params source_params(const Step& step, const ListedVersion& version) const {
    Params params = {{"bucket", source_.bucket}, {"key", step.source.key}};
    if (!version.version_id.empty()) params.emplace_back("version_id", version.version_id);
    return params;
  }

  /// `lost`: what does not come along.
  Status copy(const Step& step, const ListedVersion& version, std::string& lost) const {
    const Params asked = source_params(step, version);
    std::uint64_t counted = 0;
    const auto progress = [&](std::uint64_t bytes, std::optional<std::uint64_t>) {
      report_.moved(counted, bytes);
    };
    const ImportFile file;
    std::string bytes;
    Value got;
    if (version.size <= in_memory_max) {
      CAIRN_TRY(got, from_.call("get_object", asked, {},
                                objectclient::Target::function([&](std::string_view piece) {
                                  bytes += piece;
                                  return ok_status();
                                })));
    } else {
      PartSettings parts = settings_.parts;
      CAIRN_TRY(got, from_.download(asked, file.path(), parts, progress));
    }
    Params put = {{"bucket", target_.bucket}, {"key", step.target_key}};
    for (const std::string_view name : carried)
      if (const Value& value = got[name]; !value.is_null())
        put.emplace_back(std::string(name), value);
    lost = locks_->add(asked, got, put);
    CAIRN_CHECK(add_tags(asked, got, put));
    if (options_.acls) CAIRN_CHECK(add_acl(asked, put));
    const std::uint64_t part_bytes = part_bytes_of(asked, got);
    if (version.size <= in_memory_max && part_bytes == 0) {
      CAIRN_CHECK(to_.call("put_object", put, bytes));
      report_.moved(counted, version.size);
      return ok_status();
    }
    if (version.size <= in_memory_max) CAIRN_CHECK(os::replace_file(file.path(), bytes, 0600));
    PartSettings parts = settings_.parts;
    if (part_bytes != 0) parts.part_bytes = part_bytes;
    parts.threshold_bytes = part_bytes != 0 ? std::min(version.size, parts.threshold_bytes)
                                            : std::max(version.size + 1, parts.threshold_bytes);
    CAIRN_CHECK(to_.upload_file(put, file.path(), parts, {}));
    return ok_status();
  }

  /// Of an object that was uploaded in parts, how large its first one is: with parts of that size
  /// it gets the same ETag. 0 for others, and where the service does not say.
  std::uint64_t part_bytes_of(const Params& asked, const Value& got) const {
    constexpr std::uint64_t least = 5 << 20;
    const std::string etag = without_quotes(import_text(got["etag"]));
    const std::size_t dash = etag.rfind('-');
    if (dash == std::string::npos) return 0;
    Params first = asked;
    first.emplace_back("part_number", 1);
    const auto head = from_.call("head_object", first);
    if (!head.ok()) return 0;
    const std::uint64_t size = import_count((*head)["content_length"]);
    const auto count = parse_number<std::uint64_t>(std::string_view(etag).substr(dash + 1));
    return count.value_or(0) > 1 && size >= least ? size : 0;
  }

  Status add_tags(const Params& asked, const Value& got, Params& put) const {
    if (import_count(got["tag_count"]) == 0) return ok_status();
    CAIRN_TRY(const Value tags, from_.call("get_object_tagging", asked));
    const Value::List* const set = tags["tag_set"].elements();
    if (set == nullptr) return ok_status();
    std::string text;
    for (const Value& tag : *set)
      text += (text.empty() ? "" : "&") + percent_encode(import_text(tag["key"])) + "=" +
              percent_encode(import_text(tag["value"]));
    if (!text.empty()) put.emplace_back("tagging", text);
    return ok_status();
  }

  /// Grants to everybody become the canned ACL that says the same.
  Status add_acl(const Params& asked, Params& put) const {
    CAIRN_TRY(const Value acl, from_.call("get_object_acl", asked));
    const Value::List* const grants = acl["grants"].elements();
    std::string canned;
    for (const Value& grant : grants == nullptr ? Value::List() : *grants) {
      const std::string group = import_text(grant["grantee"]["uri"]);
      if (import_text(grant["permission"]) != "READ") continue;
      if (group.ends_with("/global/AllUsers")) canned = "public-read";
      if (group.ends_with("/global/AuthenticatedUsers") && canned.empty())
        canned = "authenticated-read";
    }
    if (!canned.empty()) put.emplace_back("acl", canned);
    return ok_status();
  }

  const Service& from_;
  const Service& to_;
  const Address& source_;
  const Address& target_;
  const ImportOptions& options_;
  const TransferSettings& settings_;
  Report& report_;
  std::optional<ImportLocks> locks_ = {};
};

}  // namespace

Status import_objects(const Service& from, const Service& to, const Address& source,
                      const Address& target, const ImportOptions& options,
                      const TransferSettings& settings, Report& report) {
  return Import(from, to, source, target, options, settings, report).run();
}

}  // namespace cairn::cli
