// SPDX-License-Identifier: Apache-2.0
// Documents in JSON, for tests of scripts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "format/time.h"
#include "os/deadline.h"
#include "os/steps.h"
#include "script/script.h"

namespace cairn::script {

/// The fields that tests use, by the first letter of their names: l(ong), d(ouble), b(oolean),
/// t(ime), k(eyword), v(ector of 3), y (vector of 3 bytes), x: none; any other is not mapped.
class TestFields final : public Fields {
 public:
  std::optional<FieldFacts> find(std::string_view name) const override {
    if (name.empty()) return std::nullopt;
    switch (name[0]) {
      case 'l': return FieldFacts{.kind = FieldKind::whole};
      case 'd': return FieldFacts{.kind = FieldKind::real};
      case 'b': return FieldFacts{.kind = FieldKind::boolean};
      case 't': return FieldFacts{.kind = FieldKind::date};
      case 'k': return FieldFacts{.kind = FieldKind::text};
      case 'v': return FieldFacts{.kind = FieldKind::vector, .elements = 3};
      case 'y': return FieldFacts{.kind = FieldKind::vector, .byte_elements = true, .elements = 3};
      case 'x': return FieldFacts{.kind = FieldKind::none, .fault = "no doc values"};
      default: return std::nullopt;
    }
  }
  Result<std::int64_t> date(std::string_view text) const override {
    const auto read = parse_iso8601(text);
    if (read) return *read;
    return Error{.kind = ErrorKind::invalid_argument, .message = "not a date"};
  }
};

/// The values of one document: {"l": [1, 2], "k": ["a"]}.
class TestDocument final : public Document {
 public:
  TestDocument(const Program& program, const Json& values) : fields_(program.fields()), values_(values) {}
  const Json* source() override { return &values_; }
  std::size_t count(std::size_t field) override { return list(field).size(); }
  bool first_whole(std::size_t field, std::int64_t& out) override {
    if (list(field).empty()) return false;
    out = whole(field, 0);
    return true;
  }
  bool first_real(std::size_t field, double& out) override {
    if (list(field).empty()) return false;
    out = real(field, 0);
    return true;
  }
  std::int64_t whole(std::size_t field, std::size_t i) override {
    const Json& value = list(field)[i];
    if (value.is_bool()) return value.as_bool() ? 1 : 0;
    if (value.is_string()) return parse_iso8601(value.as_string()).value_or(0);
    return value.as_int();
  }
  double real(std::size_t field, std::size_t i) override { return list(field)[i].as_double(); }
  std::string text(std::size_t field, std::size_t i) override { return list(field)[i].as_string(); }
  std::span<const float> vector(std::size_t field) override {
    numbers_.clear();
    for (const Json& one : list(field)) numbers_.push_back(static_cast<float>(one.as_double()));
    return numbers_;
  }
  double chance(std::int64_t seed, std::optional<std::size_t> field) override {
    return field ? 0.5 : static_cast<double>(seed % 10) / 10;
  }

 private:
  const Json::Array& list(std::size_t field) {
    static const Json::Array none;
    const Json* found = values_.find(fields_[field].name);
    return found == nullptr ? none : found->as_array();
  }
  const std::vector<UsedField>& fields_;
  const Json& values_;
  std::vector<float> numbers_;
};

}  // namespace cairn::script
