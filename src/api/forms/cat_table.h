// SPDX-License-Identifier: Apache-2.0
// Tables for people: rows of texts as the parameters h, s, v, help, format, bytes and time want
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/call.h"
#include "base/result.h"

namespace cairn::api {

struct CatColumn {
  std::string name;
  std::string other_name = {};  // short form, for h and s
  bool shown = true;            // where h is absent
  bool right = false;           // numbers stand at the right
};

using CatRow = std::vector<std::string>;  // a text for each column

/// The table in the form that the call asks for: text, or a list of objects.
/// Errors: illegal_argument_exception for a key of `s` that is no column.
Result<Reply> cat_reply(Call& call, const std::vector<CatColumn>& columns,
                        std::vector<CatRow> rows);
/// A size as `bytes` wants it: a plain number in that unit, or for people.
/// Errors: illegal_argument_exception for an unknown unit.
Result<std::string> cat_size(const Call& call, std::uint64_t bytes);
/// A time as `time` wants it: a plain number in that unit, or for people.
/// Errors: illegal_argument_exception for an unknown unit.
Result<std::string> cat_time(const Call& call, std::int64_t ms);
/// The parameters of all tables, and `more`.
std::vector<gate::Parameter> with_cat_options(std::vector<gate::Parameter> more = {});

}  // namespace cairn::api
