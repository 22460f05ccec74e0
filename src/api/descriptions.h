// SPDX-License-Identifier: Apache-2.0
// What bodies and answers of operations look like, as src/api/schemas/*.json say it. Each of those
// texts has two members: "operations", by the operation of a row of the table of routes, and
// "schemas", which all of them refer to as #/components/schemas/NAME. An operation has
//   body           the JSON Schema of the request's body,
//   line           that of each line, where the body is lines of JSON,
//   body_media     the media type of a body that is no JSON,
//   example        a body that is answered,
//   answers        schemas of answers by status,
//   answer_lines   that of each line, where the answer is lines of JSON,
//   texts          media types of answers that are no JSON, by status,
//   undescribed    instead of all that: the reason why nothing is said.
#pragma once

#include <span>
#include <string_view>

#include "format/json.h"

namespace cairn::api {

/// The texts, in the order of their names; CMake puts them in.
extern const std::span<const std::string_view> description_texts;

class Descriptions {
 public:
  /// Those of this program. Read when they are first asked for; a text that is no JSON, or a name
  /// that two of them have, is a bug and aborts.
  static const Descriptions& of_program();
  explicit Descriptions(std::span<const std::string_view> texts);

  /// Null where nothing is said of it.
  const Json* operation(std::string_view name) const { return operations_.find(name); }
  const Json& operations() const { return operations_; }
  const Json& schemas() const { return schemas_; }

 private:
  Json operations_ = Json::object();
  Json schemas_ = Json::object();
};

}  // namespace cairn::api
