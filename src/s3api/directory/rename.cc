// SPDX-License-Identifier: Apache-2.0
// RenameObject.
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "s3/errors.h"
#include "s3api/directory/rename_tokens.h"
#include "s3api/handlers.h"
#include "s3api/wire/conditions.h"

namespace cairn::s3api {
namespace {

// A key, percent-encoded, with or without the bucket before it.
Result<std::string> source_key(const Call& call, const std::string& text) {
  const auto bad = [&](std::string message) {
    return bad_argument("x-amz-rename-source", text, std::move(message));
  };
  auto key = percent_decode(text);
  if (!key) return bad("The rename source must be percent-encoded.");
  const std::string with_bucket = "/" + call.session_name() + "/";
  for (const std::string_view start : {std::string_view(with_bucket),
                                       std::string_view(with_bucket).substr(1)}) {
    if (!key->starts_with(start)) continue;
    key->erase(0, start.size());
    break;
  }
  if (key->empty()) return bad("The rename source must name an object of the bucket.");
  CAIRN_CHECK(check_key(*key));
  if (key->ends_with('/')) return bad("Keys that end with a slash are not renamed.");
  return *key;
}

// Through an access point the scope must let the source go, too.
Status allow_source_of_rename(const Call& call, const std::string& from) {
  AccessSubject source = subject_of(call);
  source.key = from;
  for (const std::string_view action : {"s3:GetObject", "s3:DeleteObject"})
    CAIRN_CHECK(decide(action, access_of(call), source));
  return ok_status();
}

Status judge(const ReadConditions& conditions, const s3::Object& object, std::int64_t now_ms,
             const std::string& prefix = {}) {
  const Judgement judged = judge_read(conditions, object, now_ms);
  if (judged.verdict == Verdict::proceed) return ok_status();
  return precondition_failed(prefix + std::string(judged.condition));
}

Status judge_source(const s3::RenameObjectInput& in, const s3::Object& source,
                    std::int64_t now_ms) {
  return judge({.if_match = in.source_if_match,
                .if_none_match = in.source_if_none_match,
                .if_modified_since = in.source_if_modified_since,
                .if_unmodified_since = in.source_if_unmodified_since},
               source, now_ms, "x-amz-rename-source-");
}

// Of what is there under the new key; of nothing only a match fails.
Status judge_target(const s3::RenameObjectInput& in, const s3::Object* target,
                    std::int64_t now_ms) {
  if (target == nullptr)
    return in.destination_if_match ? Status(precondition_failed("If-Match")) : ok_status();
  return judge({.if_match = in.destination_if_match,
                .if_none_match = in.destination_if_none_match,
                .if_modified_since = in.destination_if_modified_since,
                .if_unmodified_since = in.destination_if_unmodified_since},
               *target, now_ms);
}

}  // namespace

Result<s3::EmptyOutput> rename_object(Call& call, const s3::RenameObjectInput& in) {
  if (!call.directory)
    return s3::error("NotImplemented", "Only objects of directory buckets are renamed.");
  if (in.key.ends_with('/'))
    return bad_argument("key", in.key, "Keys that end with a slash are not renamed.");
  CAIRN_TRY(const std::string from, source_key(call, in.rename_source));
  CAIRN_CHECK(allow_source_of_rename(call, from));
  RenameTokens& tokens = call.context.rename_tokens;
  const RenameTokens::Rename rename{.bucket = in.bucket, .from = from, .to = in.key};
  if (in.client_token) {
    CAIRN_TRY(const bool done, tokens.is_done(*in.client_token, rename));
    if (done) return s3::EmptyOutput{};
  }
  const std::int64_t now_ms = call.context.clock.unix_ms();
  const auto renamed = call.engine().rename(
      in.bucket, from, in.key,
      {.judge =
           [&](const s3::Object& source, const s3::Object* target) -> Status {
             CAIRN_CHECK(judge_source(in, source, now_ms));
             return judge_target(in, target, now_ms);
           },
       .origin = origin_of(call)},
      call.deadline());
  if (!renamed.ok()) return object_fault(call, renamed.error(), from);
  if (in.client_token) tokens.done(*in.client_token, rename);
  return s3::EmptyOutput{};
}

}  // namespace cairn::s3api
