// SPDX-License-Identifier: Apache-2.0
// How the searchable copies of tables stand, which others keep.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::s3api {

struct TableCopy {
  bool filled = false;     // it has had all that the table held
  std::string fault = {};  // why it does not follow its table; empty: it does
};

/// Of the table ("journal", "inventory") of a bucket; nothing where there is no copy by now. Is called
/// from any thread and does not block.
using FindTableCopy =
    std::function<std::optional<TableCopy>(std::string_view bucket, std::string_view table)>;

}  // namespace cairn::s3api
