// SPDX-License-Identifier: Apache-2.0
#include "graphql/execution/plan.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graphql/schema/values.h"

namespace cairn::graphql {
namespace {

std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

class Planner {
 public:
  Planner(const Schema& schema, const Document& document, const Json& variables,
          const Options& options)
      : schema_(schema), variables_(variables), options_(options) {
    for (const Fragment& one : document.fragments) fragments_.emplace(one.name, &one);
  }

  std::vector<Fault> plan(const Operation& operation, PlannedSet& out) {
    out.type = schema_.root(operation.kind);
    Nodes roots;
    collect(operation.selections, *out.type, roots);
    fill(roots, out, 1);
    return std::move(faults_);
  }

 private:
  using Nodes = std::vector<std::pair<std::string_view, std::vector<const Selection*>>>;

  /// Which way a condition goes that a directive states; true where it is not there.
  bool holds(const Selection& one, std::string_view directive, bool wanted) const {
    for (const Directive& given : one.directives) {
      if (given.name != directive) continue;
      for (const Argument& argument : given.arguments) {
        const Json* value = nullptr;
        if (argument.value.kind == Value::Kind::variable)
          value = variables_.find(argument.value.text);
        const bool truth =
            value != nullptr ? value->is_bool() && value->as_bool() : argument.value.truth;
        if (argument.name == "if" && truth != wanted) return false;
      }
    }
    return true;
  }

  void collect(const std::vector<Selection>& selections, const SchemaType& type, Nodes& out) {
    std::unordered_set<std::string_view> visited;
    std::unordered_map<std::string_view, std::size_t> at;
    for (std::size_t i = 0; i < out.size(); ++i) at.emplace(out[i].first, i);
    collect(selections, type, out, at, visited);
  }

  void collect(const std::vector<Selection>& selections, const SchemaType& type, Nodes& out,
               std::unordered_map<std::string_view, std::size_t>& at,
               std::unordered_set<std::string_view>& visited) {
    for (const Selection& one : selections) {
      if (!holds(one, "skip", false) || !holds(one, "include", true)) continue;
      if (one.kind == Selection::Kind::field) {
        const auto [place, fresh] = at.emplace(one.response_name(), out.size());
        if (fresh) out.push_back({one.response_name(), {}});
        out[place->second].second.push_back(&one);
        count();
        continue;
      }
      const std::vector<Selection>* inside = &one.selections;
      std::string_view condition = one.name;
      if (one.kind == Selection::Kind::spread) {
        if (!visited.insert(one.name).second) continue;
        const Fragment& fragment = *fragments_.at(one.name);
        inside = &fragment.selections;
        condition = fragment.type_condition;
      }
      if (!condition.empty() && !schema_.may_be(*schema_.find(condition), type)) continue;
      // Deep chains of fragments are as long as a document allows, and no deeper than fields may
      // be.
      if (++chain_ > options_.nesting)
        too_deep(one);
      else
        collect(*inside, type, out, at, visited);
      --chain_;
    }
  }

  void count() {
    if (++fields_ == options_.fields + 1)
      faults_.push_back({.message = "This query has more than " + with_commas(options_.fields) +
                                    " fields, once its fragments are put in.",
                         .type = "MAX_FIELDS_EXCEEDED"});
  }
  bool spent() const { return fields_ > options_.fields || deep_; }

  void too_deep(const Selection& at) {
    if (!std::exchange(deep_, true))
      faults_.push_back(
          {.message = "This query is deeper than " + std::to_string(options_.depth) + " fields.",
           .locations = {at.at},
           .type = "MAX_DEPTH_EXCEEDED"});
  }

  void fill(const Nodes& nodes, PlannedSet& out, std::size_t depth) {
    if (spent()) return;
    if (depth > options_.depth) return too_deep(*nodes.front().second.front());
    out.fields.reserve(nodes.size());
    for (const auto& [response, group] : nodes) {
      if (spent()) return;
      PlannedField& one = out.fields.emplace_back();
      one.response = std::string(response);
      one.nodes = group;
      one.field = schema_.field(*out.type, group.front()->name);
      path_.push_back(one.response);
      read_arguments(one);
      if (one.field->is_connection) check_page(one);
      plan_below(one, depth);
      path_.pop_back();
    }
  }

  void plan_below(PlannedField& one, std::size_t depth) {
    const SchemaType& type = *schema_.find(named_type(one.field->definition.type));
    if (!type.is_composite()) return;
    const std::vector<const SchemaType*> itself = {&type};
    for (const SchemaType* const object : type.is_abstract() ? type.possible : itself) {
      Nodes inside;
      for (const Selection* const node : one.nodes) collect(node->selections, *object, inside);
      auto set = std::make_unique<PlannedSet>();
      set->type = object;
      if (!inside.empty()) fill(inside, *set, depth + 1);
      one.below.emplace_back(object, std::move(set));
    }
  }

  void read_arguments(PlannedField& one) {
    const Selection& node = *one.nodes.front();
    one.arguments = Json::object();
    for (const InputValueDefinition& input : one.field->definition.arguments) {
      const Argument* given = nullptr;
      for (const Argument& argument : node.arguments)
        if (argument.name == input.name) given = &argument;
      bool there = given != nullptr;
      Result<Json> value = Json();
      if (there) value = literal_value(schema_, input.type, given->value, variables_, there);
      if (value.ok() && !there && input.initial) {
        there = true;
        value = literal_value(schema_, input.type, *input.initial, variables_, there);
      }
      const bool missing = !there && input.type.kind == TypeRef::Kind::non_null;
      if (value.ok() && missing)
        value = Error{ErrorKind::invalid_argument, "graphql_value",
                      "of required type \"" + text_of(input.type) + "\" was not provided."};
      if (!value.ok()) {
        one.fault = Error{ErrorKind::invalid_argument, "graphql_value",
                          "Argument \"" + input.name + "\": " + value.error().message};
        return;
      }
      if (there) one.arguments.set(input.name, std::move(*value));
    }
  }

  void check_page(const PlannedField& one) {
    const auto tell = [&](std::string message, std::string type) {
      if (faults_.size() >= options_.errors) return;
      faults_.push_back({.message = std::move(message),
                         .locations = {one.nodes.front()->at},
                         .type = std::move(type),
                         .path = Json(Json::Array(path_.begin(), path_.end()))});
    };
    const Json* const first = number_of(one, "first");
    const Json* const last = number_of(one, "last");
    const std::string name = "`" + one.name() + "` connection";
    if (first == nullptr && last == nullptr)
      return tell(
          "You must provide a `first` or `last` value to properly paginate the " + name + ".",
          "MISSING_PAGINATION_BOUNDARIES");
    if (first != nullptr && last != nullptr)
      return tell(
          "Passing both `first` and `last` values to paginate the " + name + " is not supported.",
          "EXCESSIVE_PAGINATION");
    const std::int64_t count = (first != nullptr ? first : last)->as_int();
    const std::string word = first != nullptr ? "first" : "last";
    if (count < 0)
      return tell("`" + word + "` on the " + name + " cannot be less than zero.",
                  "NEGATIVE_PAGINATION");
    if (static_cast<std::size_t>(count) > options_.page_max)
      tell("Requesting " + std::to_string(count) + " records on the " + name + " exceeds the `" +
               word + "` limit of " + std::to_string(options_.page_max) + " records.",
           "EXCESSIVE_PAGINATION");
  }

  static const Json* number_of(const PlannedField& one, std::string_view name) {
    const Json* const value = one.arguments.find(name);
    return value != nullptr && value->is_integer() ? value : nullptr;
  }

  const Schema& schema_;
  const Json& variables_;
  const Options& options_;
  std::unordered_map<std::string_view, const Fragment*> fragments_ = {};
  std::vector<Fault> faults_ = {};
  std::vector<std::string> path_ = {};
  std::size_t fields_ = 0;
  std::size_t chain_ = 0;
  bool deep_ = false;
};

std::uint64_t page_of(const PlannedField& one) {
  for (const char* name : {"first", "last"})
    if (const Json* const count = one.arguments.find(name); count != nullptr && count->is_integer())
      return static_cast<std::uint64_t>(std::max<std::int64_t>(count->as_int(), 0));
  return 0;
}

/// Numbers stay far below overflow: pages of at most 100 on at most 20 levels are cut off here.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t enough = std::uint64_t{1} << 40;
  return b != 0 && a > enough / b ? enough : a * b;
}

Weight weigh(const PlannedSet& set, std::uint64_t count) {
  Weight out;
  for (const PlannedField& one : set.fields) {
    if (one.name().starts_with("__")) continue;
    std::uint64_t below = count;
    if (one.field->resolver) out.calls += count;
    if (one.field->is_connection) {
      out.requests += count;
      below = times(count, page_of(one));
      out.nodes += below;
    }
    Weight most;
    for (const auto& [type, inside] : one.below) {
      const Weight this_one = weigh(*inside, below);
      most.requests = std::max(most.requests, this_one.requests);
      most.nodes = std::max(most.nodes, this_one.nodes);
      most.calls = std::max(most.calls, this_one.calls);
    }
    out.requests += most.requests;
    out.nodes += most.nodes;
    out.calls += most.calls;
  }
  return out;
}

}  // namespace

std::uint32_t Weight::cost() const {
  const std::uint64_t points = (requests + 50) / 100;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(points, 1, 1'000'000'000));
}

std::vector<Fault> plan_operation(const Schema& schema, const Document& document,
                                  const Operation& operation, const Json& variables,
                                  const Options& options, PlannedSet& out, Weight& weight) {
  auto faults = Planner(schema, document, variables, options).plan(operation, out);
  if (!faults.empty()) return faults;
  weight = weigh(out, 1);
  if (weight.nodes > options.nodes)
    faults.push_back({.message = "This query requests up to " + with_commas(weight.nodes) +
                                 " possible nodes which exceeds the maximum limit of " +
                                 with_commas(options.nodes) + ".",
                      .type = "MAX_NODE_LIMIT_EXCEEDED"});
  if (weight.calls > options.calls)
    faults.push_back({.message = "This query may ask for up to " + with_commas(weight.calls) +
                                 " fields that are looked up one by one, which exceeds the "
                                 "maximum of " +
                                 with_commas(options.calls) + ".",
                      .type = "MAX_COMPLEXITY_EXCEEDED"});
  return faults;
}

}  // namespace cairn::graphql
