// SPDX-License-Identifier: Apache-2.0
// The answers of async searches in the forms that are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "format/json.h"

namespace cairn::tasks {

/// How parts of an answer are written.
struct AnswerForm {
  bool typed_keys = false;         // names of aggregations and suggesters with their types
  bool total_hits_as_int = false;  // totals as numbers
};

/// Whether an answer that is written in one form has to be changed for another.
bool differs(const AnswerForm& from, const AnswerForm& to);

/// The JSON text of an answer, written in one form, in another. Names lose their types and never
/// get any, so an answer is kept with them. Errors: corrupt, where it is no answer.
Result<std::string> in_form(std::string answer, const AnswerForm& from, const AnswerForm& to);

/// What a search that runs has found so far: nothing, of none of its shards.
std::string answer_so_far(std::size_t shards, std::int64_t took_ms, const AnswerForm& form);

}  // namespace cairn::tasks
