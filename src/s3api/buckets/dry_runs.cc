// SPDX-License-Identifier: Apache-2.0
#include "s3api/buckets/dry_runs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "objectstore/core/lifecycle.h"
#include "objectstore/core/multipart.h"
#include "s3/errors.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/buckets/checks.h"

namespace cairn::s3api {
namespace {

namespace ops = s3::operations;

constexpr std::uint64_t looked_at_max = 100'000;  // versions, markers and uploads
constexpr std::int64_t looking_ns_max = 2'000'000'000;
constexpr std::size_t page_size = 1000;

/// Ends a walk that a large bucket would make long.
class Bound {
 public:
  explicit Bound(const os::Clock& clock) : clock_(clock), begin_ns_(clock.steady_ns()) {}
  bool is_reached(std::uint64_t looked_at) const {
    return looked_at >= looked_at_max || clock_.steady_ns() - begin_ns_ >= looking_ns_max;
  }

 private:
  const os::Clock& clock_;
  const std::int64_t begin_ns_;
};

Json count_of(std::uint64_t count) { return static_cast<std::int64_t>(count); }

// --- the deletion of a bucket

struct Content {
  std::uint64_t objects = 0, versions = 0, markers = 0, bytes = 0, uploads = 0;
  bool more = false;
  std::uint64_t looked_at() const { return versions + markers + uploads; }
};

Status count_versions(const Call& call, const Bound& bound, Content& content) {
  s3::ListVersionsParams at{.limit = page_size};
  for (;;) {
    CAIRN_TRY(const auto page,
              call.engine().list_versions(call.address.bucket, at, call.deadline()));
    for (const s3::Object& version : page.versions) {
      if (version.delete_marker) {
        ++content.markers;
        continue;
      }
      ++content.versions;
      content.objects += version.latest ? 1 : 0;
      content.bytes += version.size_bytes;
    }
    if (!page.truncated || page.versions.empty()) return ok_status();
    at.key_marker = page.versions.back().key;
    at.version_id_marker = page.versions.back().version_id;
    content.more = bound.is_reached(content.looked_at());
    if (content.more) return ok_status();
  }
}

Status count_uploads(const Call& call, const Bound& bound, Content& content) {
  objectstore::ListUploadsParams at{.limit = page_size};
  for (;;) {
    CAIRN_TRY(const auto page,
              call.engine().uploads().list(call.address.bucket, at, call.deadline()));
    content.uploads += page.uploads.size();
    if (!page.truncated || page.uploads.empty()) return ok_status();
    at.key_marker = page.uploads.back().key;
    at.upload_id_marker = page.uploads.back().upload_id;
    content.more = bound.is_reached(content.looked_at());
    if (content.more) return ok_status();
  }
}

Result<Json> try_delete_bucket(Call& call) {
  CAIRN_CHECK(s3::read_request(ops::delete_bucket, call.view(), call.dialect));
  const Status deletable = call.engine().check_delete_bucket(call.address.bucket, call.deadline());
  const bool refused =
      !deletable.ok() && (deletable.error().code == "BucketNotEmpty" ||
                          deletable.error().code == "BucketHasAccessPointsAttached");
  if (!deletable.ok() && !refused) return deletable.error();
  const Bound bound(call.context.clock);
  Content content;
  CAIRN_CHECK(count_versions(call, bound, content));
  if (!content.more) CAIRN_CHECK(count_uploads(call, bound, content));
  Json out = Json::object({{"dry_run", true},
                           {"bucket", call.address.bucket},
                           {"objects", count_of(content.objects)},
                           {"versions", count_of(content.versions)},
                           {"delete_markers", count_of(content.markers)},
                           {"bytes", count_of(content.bytes)},
                           {"unfinished_uploads", count_of(content.uploads)},
                           {"more", content.more},
                           {"would", refused ? "refuse" : "delete"}});
  if (refused) {
    const Error fault = worded_deletion_fault(call, deletable.error());
    out.set("reason", fault.code + ": " + fault.message);
  }
  return out;
}

// --- rules of lifecycles

struct Tally {
  std::uint64_t objects = 0, object_bytes = 0, noncurrent = 0, noncurrent_bytes = 0;
  std::uint64_t markers = 0, uploads = 0;

  void add(objectstore::LifecycleEffect effect, std::uint64_t size_bytes) {
    switch (effect) {
      case objectstore::LifecycleEffect::expired:
        ++objects;
        object_bytes += size_bytes;
        return;
      case objectstore::LifecycleEffect::noncurrent_removed:
        ++noncurrent;
        noncurrent_bytes += size_bytes;
        return;
      case objectstore::LifecycleEffect::marker_removed:
        ++markers;
        return;
      case objectstore::LifecycleEffect::upload_aborted:
        ++uploads;
        return;
    }
  }
};

Json shown_rule(const s3::LifecycleRuleElement& rule, const Tally& tally) {
  return Json::object(
      {{"id", rule.id.value_or("")},
       {"enabled", rule.status == "Enabled"},
       {"expire_now", Json::object({{"objects", count_of(tally.objects)},
                                    {"bytes", count_of(tally.object_bytes)}})},
       {"noncurrent_now", Json::object({{"objects", count_of(tally.noncurrent)},
                                        {"bytes", count_of(tally.noncurrent_bytes)}})},
       {"delete_markers_now", count_of(tally.markers)},
       {"uploads_now", count_of(tally.uploads)}});
}

Result<Json> try_lifecycle(Call& call) {
  CAIRN_TRY(const auto in,
            s3::read_request(ops::put_bucket_lifecycle_configuration, call.view(), call.dialect));
  CAIRN_TRY(const auto configuration, checked_lifecycle(in));
  std::map<std::string, Tally> tallies;  // names of rules are unique
  objectstore::LifecycleWalk walk(
      call.engine(), call.address.bucket, enabled_rules(configuration),
      {.only_try = true,
       .told = [&tallies](objectstore::LifecycleEffect effect,
                          const objectstore::LifecycleRule& rule,
                          std::uint64_t size_bytes) { tallies[rule.id].add(effect, size_bytes); }});
  const Bound bound(call.context.clock);
  bool more = true;
  while (more && !bound.is_reached(walk.count().examined)) {
    CAIRN_TRY(more, walk.step(page_size, call.deadline()));
  }
  Json rules = Json::array();
  for (const s3::LifecycleRuleElement& rule : configuration.rules)
    rules.push(shown_rule(rule, tallies[rule.id.value_or("")]));
  return Json::object({{"dry_run", true}, {"rules", std::move(rules)}, {"more", more}});
}

// --- policies

/// The statements of a document that was read already.
Json::Array statements_of(std::string_view policy) {
  const auto document = parse_json(policy);
  const Json* statements = document.ok() ? document->find("Statement") : nullptr;
  if (statements == nullptr) return {};
  return statements->is_array() ? statements->as_array() : Json::Array{*statements};
}

Json change_of(std::string_view what, std::size_t number, const Json& statement) {
  Json out = Json::object({{"change", what}, {"statement", count_of(number)}});
  const std::string sid = statement.string_or("Sid");
  if (!sid.empty()) out.set("sid", sid);
  return out;
}

/// Statements are the same by their Sid, and without one by all that they say.
Json changes_of(const Json::Array& before, const Json::Array& after) {
  std::multimap<std::string, std::size_t> old_ones;
  const auto name = [](const Json& statement) {
    const std::string sid = statement.string_or("Sid");
    return sid.empty() ? statement.dump() : "Sid:" + sid;
  };
  for (std::size_t i = 0; i < before.size(); ++i) old_ones.emplace(name(before[i]), i);
  Json out = Json::array();
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto found = old_ones.find(name(after[i]));
    if (found == old_ones.end()) {
      out.push(change_of("added", i, after[i]));
      continue;
    }
    if (before[found->second].dump() != after[i].dump())
      out.push(change_of("changed", i, after[i]));
    old_ones.erase(found);
  }
  std::vector<std::size_t> gone;
  for (const auto& [text, number] : old_ones) gone.push_back(number);
  std::sort(gone.begin(), gone.end());
  for (const std::size_t number : gone) out.push(change_of("removed", number, before[number]));
  return out;
}

Result<Json> try_policy(Call& call) {
  CAIRN_TRY(const auto in, s3::read_request(ops::put_bucket_policy, call.view(), call.dialect));
  CAIRN_TRY(const auto policy, checked_policy(call, in));
  const auto now = call.bucket->document(s3::document::policy);
  return Json::object(
      {{"dry_run", true},
       {"valid", true},
       {"public", policy->is_public()},
       {"changes", changes_of(now == nullptr ? Json::Array{} : statements_of(now->text()),
                              statements_of(in.policy))}});
}

}  // namespace

bool can_be_tried(const s3::Operation& operation) {
  return &operation == &ops::delete_bucket || &operation == &ops::put_bucket_policy ||
         &operation == &ops::put_bucket_lifecycle_configuration;
}

Result<Json> try_operation(Call& call) {
  if (call.operation == &ops::delete_bucket) return try_delete_bucket(call);
  if (call.operation == &ops::put_bucket_policy) return try_policy(call);
  return try_lifecycle(call);
}

}  // namespace cairn::s3api
