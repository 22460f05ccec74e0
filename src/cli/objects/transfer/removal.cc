// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/removal.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/objects/places/address.h"
#include "cli/objects/transfer/run_each.h"

namespace cairn::cli {
namespace {

constexpr int batches_at_once = 4;
constexpr std::size_t batch_size_max = 1'000;

std::string member_text(const Value& value, std::string_view name) {
  const std::string* const text = value[name].text();
  return text != nullptr ? *text : std::string();
}

/// Key and version: what tells the objects of a batch apart.
std::pair<std::string, std::string> identity_of(const Value& one) {
  return {member_text(one, "key"), member_text(one, "version_id")};
}

Action delete_action(const std::string& bucket, const Value& one) {
  const auto [key, version] = identity_of(one);
  return {"delete",
          object_text(bucket, key) + (version.empty() ? "" : " (version " + version + ")"),
          {},
          0};
}

Error error_of_element(const Value& one) {
  const std::string code = member_text(one, "code");
  return {code == "AccessDenied" ? ErrorKind::permission_denied : ErrorKind::internal, code,
          member_text(one, "message") + " (" + code + ")"};
}

void remove_batch(const Service& service, const std::string& bucket, const Value::List& batch,
                  Report& report) {
  if (report.dry_run()) {
    for (const Value& one : batch) report.done(delete_action(bucket, one));
    return;
  }
  const auto done =
      service.call("delete_objects",
                   {{"bucket", bucket},
                    {"delete", Value::map({{"objects", Value::list(batch)}, {"quiet", true}})}});
  if (!done.ok()) {
    for (const Value& one : batch) report.failed(delete_action(bucket, one), done.error());
    return;
  }
  std::set<std::pair<std::string, std::string>> faulty;
  if (const auto* const errors = (*done)["errors"].elements())
    for (const Value& one : *errors) {
      faulty.insert(identity_of(one));
      report.failed(delete_action(bucket, one), error_of_element(one));
    }
  for (const Value& one : batch)
    if (!faulty.contains(identity_of(one))) report.done(delete_action(bucket, one));
}

}  // namespace

Status remove_batches(const Service& service, const std::string& bucket, const NextBatch& next,
                      Report& report) {
  const int at_once = report.dry_run() ? 1 : batches_at_once;
  return run_each<Value::List>(at_once, service.deadline(), next, [&](Value::List& batch) {
    if (!batch.empty()) remove_batch(service, bucket, batch, report);
  });
}

Status remove_keys(const Service& service, const std::string& bucket,
                   const std::vector<std::string>& keys, Report& report) {
  std::size_t at = 0;
  return remove_batches(
      service, bucket,
      [&]() -> Result<std::optional<Value::List>> {
        if (at == keys.size()) return std::optional<Value::List>();
        Value::List batch;
        while (at < keys.size() && batch.size() < batch_size_max)
          batch.push_back(Value::map({{"key", keys[at++]}}));
        return std::optional(std::move(batch));
      },
      report);
}

}  // namespace cairn::cli
