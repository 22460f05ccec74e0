// SPDX-License-Identifier: Apache-2.0
#include "graphql/execution/execute.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphql/execution/output.h"

namespace cairn::graphql {
namespace {

/// About what a value takes in the answer.
std::size_t size_of(const Json& value) {
  switch (value.type()) {
    case Json::Type::string:
      return value.as_string().size() + 16;
    case Json::Type::array: {
      std::size_t out = 16;
      for (const Json& one : value.as_array()) out += size_of(one);
      return out;
    }
    case Json::Type::object: {
      std::size_t out = 16;
      for (const auto& [name, one] : value.as_object()) out += name.size() + size_of(one);
      return out;
    }
    default:
      return 16;
  }
}

class Run {
 public:
  Run(const Schema& schema, const Prepared& prepared, const ExecuteParams& params)
      : schema_(schema), prepared_(prepared), params_(params) {}

  Json answer() {
    const Json nothing;
    auto data = object(prepared_.plan, nothing);
    Json out = Json::object();
    // Errors come first, so that whoever reads an answer sees them before a long one.
    if (!errors_.empty()) out.set("errors", Json(std::move(errors_)));
    out.set("data", data ? std::move(*data) : Json());
    return out;
  }

 private:
  /// Nothing: an error inside reaches what the value stands in.
  using Completed = std::optional<Json>;

  Completed object(const PlannedSet& set, const Json& source) {
    Json::Object out;
    out.reserve(set.fields.size());
    for (const PlannedField& one : set.fields) {
      path_.emplace_back(one.response);
      Completed value = field(set, one, source);
      path_.pop_back();
      if (!value) return std::nullopt;
      out.emplace_back(one.response, std::move(*value));
    }
    return Json(std::move(out));
  }

  Completed field(const PlannedSet& set, const PlannedField& one, const Json& source) {
    const TypeRef& type = one.field->definition.type;
    if (one.name() == "__typename") return Json(set.type->name());
    if (const Status goes_on = check_bounds(); !goes_on.ok())
      return failed(one, type, goes_on.error());
    if (one.fault) return failed(one, type, *one.fault);
    if (!one.field->resolver) {
      const Json* const value = source.find_path(one.field->from);
      const Json null;
      return complete(one, type, value == nullptr ? null : *value);
    }
    const auto selects = [&one](std::string_view name) {
      for (const auto& [object, below] : one.below)
        for (const PlannedField& inside : below->fields)
          if (inside.name() == name) return true;
      return false;
    };
    const Result<Json> value = one.field->resolver({.host = params_.host,
                                                    .schema = schema_,
                                                    .source = source,
                                                    .arguments = one.arguments,
                                                    .selects = selects});
    if (!value.ok()) return failed(one, type, value.error());
    return complete(one, type, *value);
  }

  Status check_bounds() {
    if (full_) return *full_;
    const bool large =
        values_ > params_.options.answer_values || bytes_ > params_.options.answer_bytes;
    if (large)
      full_ = Error{ErrorKind::too_large, "graphql_answer",
                    "The answer is too large: ask for fewer nodes, or for fewer fields of them."};
    else if (const Status in_time = params_.deadline.check("a GraphQL operation"); !in_time.ok())
      full_ = in_time.error();
    if (full_) return *full_;
    return ok_status();
  }

  Completed failed(const PlannedField& one, const TypeRef& type, const Error& error) {
    // Once the answer is full, every field fails; that is told a few times.
    if (errors_.size() < params_.options.errors) {
      Json out = Json::object();
      Json at = Json::array();
      for (const Selection* const node : one.nodes)
        at.push(Json::object({{"line", static_cast<std::int64_t>(node->at.line)},
                              {"column", static_cast<std::int64_t>(node->at.column)}}));
      if (params_.describe) params_.describe(error, out);
      out.set("path", Json(path_));
      out.set("locations", std::move(at));
      out.set("message", error.message);
      errors_.push_back(std::move(out));
    }
    if (type.kind == TypeRef::Kind::non_null) return std::nullopt;
    return Json();
  }

  Completed complete(const PlannedField& one, const TypeRef& type, const Json& value) {
    if (type.kind != TypeRef::Kind::non_null) {
      Completed out = complete_nullable(one, type, value);
      return out ? std::move(out) : Completed(Json());
    }
    if (value.is_null())
      return failed(one, type,
                    {ErrorKind::internal, "graphql_null",
                     "Cannot return null for non-nullable field " + one.name() + "."});
    return complete_nullable(one, type.inner(), value);
  }

  Completed complete_nullable(const PlannedField& one, const TypeRef& type, const Json& value) {
    ++values_;
    if (value.is_null()) return Json();
    if (type.kind == TypeRef::Kind::list) return complete_list(one, type, value);
    const SchemaType& named = *schema_.find(type.name);
    if (named.is_composite()) return complete_object(one, named, value);
    Result<Json> out = leaf_output(named, value);
    if (!out.ok()) {
      (void)failed(one, type, out.error());
      return std::nullopt;
    }
    bytes_ += size_of(*out);
    return std::move(*out);
  }

  Completed complete_list(const PlannedField& one, const TypeRef& type, const Json& value) {
    if (!value.is_array()) {
      (void)failed(
          one, type,
          {ErrorKind::internal, "graphql_output", "Expected a list for field " + one.name() + "."});
      return std::nullopt;
    }
    Json::Array out;
    out.reserve(value.as_array().size());
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      path_.emplace_back(static_cast<std::int64_t>(i));
      Completed item = complete(one, type.inner(), value.as_array()[i]);
      path_.pop_back();
      if (!item) return std::nullopt;
      out.push_back(std::move(*item));
    }
    return Json(std::move(out));
  }

  Completed complete_object(const PlannedField& one, const SchemaType& type, const Json& value) {
    const std::string name = type.is_abstract() ? value.string_or("__typename") : type.name();
    for (const auto& [object_type, below] : one.below)
      if (object_type->name() == name) return object(*below, value);
    (void)failed(one, {},
                 {ErrorKind::internal, "graphql_output",
                  "Field " + one.name() + " resolved to no object of type " + type.name() + "."});
    return std::nullopt;
  }

  const Schema& schema_;
  const Prepared& prepared_;
  const ExecuteParams& params_;
  Json::Array path_ = {};
  Json::Array errors_ = {};
  std::optional<Error> full_ = {};
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Json execute(const Schema& schema, const Prepared& prepared, const ExecuteParams& params) {
  return Run(schema, prepared, params).answer();
}

}  // namespace cairn::graphql
