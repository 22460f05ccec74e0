// SPDX-License-Identifier: Apache-2.0
// Values of fields as functions, and chance.
#include "index/functions/score_function.h"

#include <array>
#include <cmath>
#include <string_view>

#include "base/hash.h"
#include "index/errors.h"
#include "index/query/column_numbers.h"
#include "index/query/explain.h"
#include "index/view.h"

namespace cairn::index {
namespace {

constexpr std::array<std::string_view, 10> modifier_names = {
    "none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"};

double changed(FieldModifier modifier, double n) {
  switch (modifier) {
    case FieldModifier::none:
      return n;
    case FieldModifier::log:
      return std::log10(n);
    case FieldModifier::log1p:
      return std::log10(n + 1);
    case FieldModifier::log2p:
      return std::log10(n + 2);
    case FieldModifier::ln:
      return std::log(n);
    case FieldModifier::ln1p:
      return std::log1p(n);
    case FieldModifier::ln2p:
      return std::log1p(n + 1);
    case FieldModifier::square:
      return n * n;
    case FieldModifier::sqrt:
      return std::sqrt(n);
    case FieldModifier::reciprocal:
      return 1 / n;
  }
  return n;
}

/// The field of a function: one with numbers, dates or booleans. Null where the mapping lacks it.
Result<const Field*> field_of_numbers(const QueryContext& context, const std::string& name) {
  static const Field seq_no{.name = "_seq_no", .type = FieldType::long_};
  if (name == seq_no.name) return &seq_no;
  const Field* field = context.view.mapping->find(name);
  if (field == nullptr) return field;
  const bool fits =
      is_number(field->type) || field->type == FieldType::date || field->type == FieldType::boolean;
  if (fits && field->doc_values) return field;
  return illegal_argument("field [" + name + "] is of type [" +
                          std::string(name_of(field->declared_type())) +
                          "], but a function of scores needs numbers, dates or booleans with doc "
                          "values");
}

class ValueOfField final : public ViewFunction {
 public:
  ValueOfField(FieldValueFunction given, const Field* field)
      : given_(std::move(given)), field_(field) {}

  Result<DocFunctionPtr> in(const QueryContext& context, std::size_t segment) const override {
    ColumnNumbers numbers;
    if (field_ != nullptr) {
      CAIRN_TRY(numbers, ColumnNumbers::open(context, segment, *field_));
    }
    return DocFunctionPtr(std::make_unique<InSegment>(given_, std::move(numbers), context.steps));
  }
  Explanation explain(double value, const Explanation&) const override {
    const std::string missing =
        given_.missing ? "?:" + number_text(static_cast<float>(*given_.missing)) : std::string();
    return Explanation::match(
        static_cast<float>(value),
        "field value function: " +
            std::string(modifier_names[static_cast<std::size_t>(given_.modifier)]) + "(doc['" +
            given_.field + "'].value" + missing +
            " * factor=" + number_text(static_cast<float>(given_.factor)) + ")");
  }

 private:
  class InSegment final : public DocFunction {
   public:
    InSegment(const FieldValueFunction& given, ColumnNumbers numbers, os::Steps& steps)
        : given_(given), numbers_(std::move(numbers)), steps_(steps) {}
    double of(std::uint32_t doc, float) override {
      const auto [first, last] = numbers_.range(doc);
      if (first == last && !given_.missing) {
        steps_.fail(illegal_argument("Missing value for field [" + given_.field + "]"));
        return 0;
      }
      const double value = first == last ? *given_.missing : numbers_.number(first);
      const double out = changed(given_.modifier, value * given_.factor);
      if (out < 0) steps_.fail(negative(out, value));
      return out;
    }

   private:
    Error negative(double out, double value) const {
      std::string hint;
      if (given_.modifier == FieldModifier::ln)
        hint = "; consider using ln1p or ln2p instead of ln to avoid negative scores";
      if (given_.modifier == FieldModifier::log)
        hint = "; consider using log1p or log2p instead of log to avoid negative scores";
      return illegal_argument("field value function must not produce negative scores, but got: [" +
                              Json(out).dump() + "] for field value: [" + Json(value).dump() + "]" +
                              hint);
    }
    const FieldValueFunction& given_;
    ColumnNumbers numbers_;
    os::Steps& steps_;
  };
  FieldValueFunction given_;
  const Field* field_;
};

class Chance final : public ViewFunction {
 public:
  Chance(RandomFunction given, const Field* field) : given_(std::move(given)), field_(field) {}
  Result<DocFunctionPtr> in(const QueryContext& context, std::size_t segment) const override {
    ColumnNumbers numbers;
    if (field_ != nullptr) {
      CAIRN_TRY(numbers, ColumnNumbers::open(context, segment, *field_));
    }
    return DocFunctionPtr(
        std::make_unique<InSegment>(given_.seed, field_ != nullptr, std::move(numbers), segment));
  }
  Explanation explain(double value, const Explanation&) const override {
    return Explanation::match(
        static_cast<float>(value),
        "random score function (seed: " + std::to_string(given_.seed) +
            (given_.field.empty() ? std::string() : ", field: " + given_.field) + ")");
  }

 private:
  class InSegment final : public DocFunction {
   public:
    InSegment(std::uint64_t seed, bool by_field, ColumnNumbers numbers, std::size_t segment)
        : seed_(seed), by_field_(by_field), numbers_(std::move(numbers)), segment_(segment) {}
    double of(std::uint32_t doc, float) override {
      if (!by_field_) return chance_of(seed_, std::uint64_t{segment_} << 32 | doc);
      const auto [first, last] = numbers_.range(doc);
      return chance_of(seed_, first == last ? 0 : static_cast<std::uint64_t>(numbers_.raw(first)));
    }

   private:
    std::uint64_t seed_;
    bool by_field_;
    ColumnNumbers numbers_;
    std::size_t segment_;
  };
  RandomFunction given_;
  const Field* field_;
};

Result<ViewFunctionPtr> value_function(const QueryContext& context,
                                       const FieldValueFunction& given) {
  CAIRN_TRY(const Field* field, field_of_numbers(context, given.field));
  if (field == nullptr && !given.missing)
    return illegal_argument("Unable to find a field mapper for field [" + given.field +
                            "]. No 'missing' value defined.");
  return ViewFunctionPtr(std::make_shared<ValueOfField>(given, field));
}

Result<ViewFunctionPtr> random_function(const QueryContext& context, const RandomFunction& given) {
  if (given.field.empty()) return ViewFunctionPtr(std::make_shared<Chance>(given, nullptr));
  CAIRN_TRY(const Field* field, field_of_numbers(context, given.field));
  if (field == nullptr)
    return illegal_argument("Field [" + given.field + "] is not mapped on [" +
                            context.view.index_name +
                            "] and cannot be used as a source of random numbers.");
  return ViewFunctionPtr(std::make_shared<Chance>(given, field));
}

}  // namespace

double chance_of(std::uint64_t seed, std::uint64_t key) {
  const std::uint64_t both[2] = {seed, key};
  const std::uint64_t hash = fast_hash({reinterpret_cast<const char*>(both), sizeof both});
  return static_cast<double>(hash & 0xFFFFFF) / (1 << 24);
}

Result<ViewFunctionPtr> view_function(const QueryContext& context, const ScoreFunction& function) {
  if (const auto* value = std::get_if<FieldValueFunction>(&function.of))
    return value_function(context, *value);
  if (const auto* random = std::get_if<RandomFunction>(&function.of))
    return random_function(context, *random);
  if (const auto* decay = std::get_if<DecayFunction>(&function.of))
    return decay_function(context, *decay);
  if (const auto* script = std::get_if<Script>(&function.of))
    return script_function(context, *script);
  return ViewFunctionPtr();
}

}  // namespace cairn::index
