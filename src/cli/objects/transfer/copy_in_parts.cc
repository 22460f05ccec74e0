// SPDX-License-Identifier: Apache-2.0
// Copies of objects that are too large for one request.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "cli/objects/transfer/run_each.h"
#include "cli/objects/transfer/transfer.h"
#include "objectclient/call/params.h"
#include "objectclient/faults.h"
#include "s3/model.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t abort_ms = 60'000;

/// What an object carries besides its bytes, that a new one can be begun with.
constexpr std::string_view carried_members[] = {"cache_control",    "content_disposition",
                                                "content_encoding", "content_language",
                                                "content_type",     "expires",
                                                "metadata",         "storage_class"};

bool names_param(const Params& params, std::string_view name) {
  return std::any_of(params.begin(), params.end(),
                     [&](const auto& param) { return param.first == name; });
}

/// One copy, its parts, and what is known of them.
class PartedCopy {
 public:
  PartedCopy(const Service& service, const Transfer& transfer, const Params& params,
             const PartSettings& parts, const objectclient::Progress& progress)
      : service_(service),
        transfer_(transfer),
        params_(params),
        parts_(parts),
        progress_(progress),
        source_(copy_source_of(transfer.source_bucket, transfer.source.place)) {}

  Result<Json> run() {
    CAIRN_TRY(const Value head, service_.call("head_object", head_params()));
    const auto* const size = head["content_length"].integer();
    size_ = size != nullptr ? static_cast<std::uint64_t>(*size) : 0;
    etag_ = head["etag"];
    const std::uint64_t least =
        std::max<std::uint64_t>({parts_.part_bytes, s3::part_bytes_min,
                                 (size_ + s3::part_number_max - 1) / s3::part_number_max});
    part_bytes_ = least;
    CAIRN_TRY(const Value begun, service_.call("create_multipart_upload", begin_params(head)));
    upload_id_ = begun["upload_id"];
    auto done = fill_and_complete();
    if (done.ok()) return done;
    static_cast<void>(
        service_.until(os::Deadline::in_ms(abort_ms))
            .call("abort_multipart_upload", target_params({{"upload_id", upload_id_}}))
            .ok());
    return done;
  }

 private:
  Params target_params(Params more) const {
    more.emplace_back("bucket", transfer_.target_bucket);
    more.emplace_back("key", transfer_.target_key);
    return more;
  }

  Params head_params() const {
    Params out = {{"bucket", transfer_.source_bucket}, {"key", transfer_.source.place}};
    for (const auto& [name, value] : params_)
      if (name.starts_with("copy_source_sse")) out.emplace_back(name.substr(12), value);
    return out;
  }

  /// An object may have any text there. One that is no date means a time in the past (RFC 9111,
  /// 5.3), and only a time can be sent.
  static Value expiry(const Value& carried) {
    const auto* const text = carried.text();
    return text != nullptr && objectclient::http_date_of(*text) ? carried : Value(s3::Time{});
  }

  Params begin_params(const Value& head) const {
    Params out = target_params(params_of_operation("create_multipart_upload", params_));
    if (!names_param(params_, "metadata_directive"))
      for (const std::string_view name : carried_members)
        if (!head[name].is_null() && !names_param(out, name))
          out.emplace_back(std::string(name), name == "expires" ? expiry(head[name]) : head[name]);
    return out;
  }

  Result<Json> fill_and_complete() {
    const auto count = (size_ + part_bytes_ - 1) / part_bytes_;
    results_.resize(static_cast<std::size_t>(count));
    std::uint64_t next = 0;
    CAIRN_CHECK(run_each<std::uint64_t>(
        parts_.threads, service_.deadline(),
        [&]() -> Result<std::optional<std::uint64_t>> {
          if (const auto fault = first_failure()) return *fault;
          return next < count ? std::optional(next++) : std::nullopt;
        },
        [&](std::uint64_t& index) { copy_part(index); }));
    if (const auto fault = first_failure()) return *fault;
    Value::List parts;
    for (std::size_t i = 0; i < results_.size(); ++i)
      parts.push_back(Value::map({{"part_number", i + 1}, {"etag", results_[i]}}));
    Params params = target_params(params_of_operation("complete_multipart_upload", params_));
    params.emplace_back("upload_id", upload_id_);
    params.emplace_back("multipart_upload", Value::map({{"parts", Value::list(std::move(parts))}}));
    CAIRN_TRY(const Value done, service_.call("complete_multipart_upload", params));
    const auto* const etag = done["etag"].text();
    return Json::object({{"etag", etag != nullptr ? *etag : std::string()}});
  }

  void copy_part(std::uint64_t index) {
    const std::uint64_t begin = index * part_bytes_;
    const std::uint64_t end = std::min(begin + part_bytes_, size_) - 1;
    Params params = target_params(params_of_operation("upload_part_copy", params_));
    params.emplace_back("upload_id", upload_id_);
    params.emplace_back("part_number", index + 1);
    params.emplace_back("copy_source", source_);
    params.emplace_back("copy_source_if_match", etag_);
    params.emplace_back("copy_source_range",
                        "bytes=" + std::to_string(begin) + "-" + std::to_string(end));
    const auto done = service_.call("upload_part_copy", params);
    MutexLock lock(mutex_);
    if (!done.ok()) {
      if (!failure_) failure_ = done.error();
      return;
    }
    const Value& etag = (*done)["copy_part_result"]["etag"];
    if (etag.text() == nullptr || etag.text()->empty()) {
      if (!failure_)
        failure_ = objectclient::unexpected_reply(
            "part " + std::to_string(index + 1) +
            " was copied, and the reply has no ETag to complete the upload with");
      return;
    }
    results_[static_cast<std::size_t>(index)] = etag;
    done_bytes_ += end + 1 - begin;
    if (progress_) progress_(done_bytes_, size_);
  }

  std::optional<Error> first_failure() {
    MutexLock lock(mutex_);
    return failure_;
  }

  const Service& service_;
  const Transfer& transfer_;
  const Params& params_;
  const PartSettings& parts_;
  const objectclient::Progress& progress_;
  const std::string source_;
  Value etag_;
  Value upload_id_;
  std::uint64_t size_ = 0;
  std::uint64_t part_bytes_ = 0;
  std::vector<Value> results_;  // each written by the thread that has copied its part
  Mutex mutex_;
  std::optional<Error> failure_ CAIRN_GUARDED_BY(mutex_);
  std::uint64_t done_bytes_ CAIRN_GUARDED_BY(mutex_) = 0;
};

}  // namespace

Result<Json> copy_in_parts(const Service& service, const Transfer& transfer, const Params& params,
                           const PartSettings& parts, const objectclient::Progress& progress) {
  return PartedCopy(service, transfer, params, parts, progress).run();
}

}  // namespace cairn::cli
