// SPDX-License-Identifier: Apache-2.0
// Conditions of reads, writes and copies: what a request states, and whether it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/model.h"
#include "s3/operations/shape.h"

namespace cairn::s3api {

/// What a read, or the source of a copy, must be.
struct ReadConditions {
  std::optional<std::string> if_match = {};
  std::optional<std::string> if_none_match = {};
  std::optional<s3::Time> if_modified_since = {};
  std::optional<s3::Time> if_unmodified_since = {};
};

enum class Verdict { proceed, not_modified, failed };

struct Judgement {
  Verdict verdict = Verdict::proceed;
  std::string_view condition = {};  // the one that decided: "If-Match"
};

/// By RFC 9110 13.2.2, with dates in the future ignored and whole seconds compared.
Judgement judge_read(const ReadConditions& conditions, const s3::Object& object,
                     std::int64_t now_ms);
/// Of a copy's source: the same order, but whatever does not hold fails.
Judgement judge_copy_source(const ReadConditions& conditions, const s3::Object& object,
                            std::int64_t now_ms);

/// The condition of a write. Errors: NotImplemented for values that writes do not take.
Result<s3::WriteCondition> read_write_condition(const std::optional<std::string>& if_match,
                                                const std::optional<std::string>& if_none_match);

/// An etag without its quotes.
std::string_view bare_etag(std::string_view etag);

/// PreconditionFailed, naming the condition.
Error precondition_failed(std::string_view condition);

}  // namespace cairn::s3api
