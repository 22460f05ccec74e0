// SPDX-License-Identifier: Apache-2.0
// Fields with one response name must be able to merge (5.3.2). Where not all of one name are the
// same, each set of selections is compared within itself, and the sets below two such fields with
// each other; pairs are compared once, and a budget bounds how many.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>

#include "graphql/schema/values.h"
#include "graphql/validation/context.h"

namespace cairn::graphql {
namespace {

constexpr std::size_t pairs_max = 500'000;
constexpr std::size_t depth_max = 64;  // of fields in fields; deeper documents do not run
constexpr std::size_t arguments_max = 100;
constexpr std::size_t reason_max = 4'096;  // bytes of one message

struct Placed {
  const Selection* node;
  const SchemaType* parent;  // null: unknown
  const SchemaField* field;  // null: unknown
};
/// By response name, in the order in which names came.
struct FieldsByName {
  std::vector<std::string_view> names = {};
  std::map<std::string_view, std::vector<Placed>> fields = {};
};

struct Conflict {
  std::string name;
  std::string reason;
  std::vector<Location> first = {}, second = {};
};

bool same_arguments(const Selection& a, const Selection& b) {
  if (&a == &b) return true;
  if (a.arguments.size() != b.arguments.size()) return false;
  if (a.arguments.size() > arguments_max) return true;  // no field has so many: told elsewhere
  return std::all_of(a.arguments.begin(), a.arguments.end(), [&](const Argument& one) {
    return std::any_of(b.arguments.begin(), b.arguments.end(), [&](const Argument& other) {
      return one.name == other.name && print_value(one.value) == print_value(other.value);
    });
  });
}

class OverlapRules {
 public:
  explicit OverlapRules(ValidationContext& context) : context_(context) {}

  void run() {
    for (const Operation& one : context_.document.operations)
      check_whole(one.selections, context_.schema.root(one.kind));
    for (const Fragment& one : context_.document.fragments)
      check_whole(one.selections, context_.composite(one.type_condition));
    if (steps_ > pairs_max)
      context_.fault(
          "Comparing the fields of this document would take too long: it has too many "
          "with one name.",
          {});
  }

 private:
  using Set = std::pair<const std::vector<Selection>*, const SchemaType*>;

  bool spent() const { return steps_ > pairs_max || context_.full(); }

  void check_whole(const std::vector<Selection>& selections, const SchemaType* parent) {
    if (!merges({{&selections, parent}}, 0)) check_set(selections, parent);
  }

  /// True where all fields of one name are the same field with the same arguments, and so are those
  /// below them, taken together: then no pair conflicts. Nearly all documents are like that, and
  /// this is linear. False says nothing.
  bool merges(std::vector<Set> sets, std::size_t depth) {
    if (depth > depth_max) return false;
    const FieldsByName all = collect(std::move(sets));
    if (spent()) return false;
    for (const auto& [name, fields] : all.fields) {
      const Placed& first = fields.front();
      std::vector<Set> below;
      for (const Placed& one : fields) {
        const bool same = one.parent == first.parent && one.node->name == first.node->name &&
                          same_arguments(*one.node, *first.node);
        if (!same) return false;
        if (!one.node->selections.empty())
          below.emplace_back(&one.node->selections, type_below(one.field));
      }
      if (!below.empty() && !merges(std::move(below), depth + 1)) return false;
    }
    return true;
  }

  /// The set, and those below it.
  void check_set(const std::vector<Selection>& selections, const SchemaType* parent) {
    if (spent() || selections.empty()) return;
    const FieldsByName all = collect({{&selections, parent}});
    for (const std::string_view name : all.names) {
      const auto& fields = all.fields.at(name);
      for (std::size_t i = 0; i < fields.size(); ++i)
        for (std::size_t j = i + 1; j < fields.size() && !spent(); ++j)
          if (const auto conflict = compare(false, name, fields[i], fields[j])) tell(*conflict);
    }
    walk(selections, parent);
  }

  void walk(const std::vector<Selection>& selections, const SchemaType* parent) {
    for (const Selection& one : selections) {
      if (one.kind == Selection::Kind::inline_fragment)
        check_set(one.selections, one.name.empty() ? parent : context_.composite(one.name));
      else if (one.kind == Selection::Kind::field)
        check_set(one.selections, type_below(field_of(one, parent)));
    }
  }

  const SchemaField* field_of(const Selection& one, const SchemaType* parent) const {
    return parent == nullptr ? nullptr : parent->field(one.name);  // of __typename nothing is known
  }
  const SchemaType* type_below(const SchemaField* field) const {
    return field == nullptr ? nullptr : context_.composite(named_type(field->definition.type));
  }

  /// All fields of sets, those of fragments included, each fragment once. The sets of fragments
  /// are taken from a list, for a chain of them may be as long as the document.
  FieldsByName collect(std::vector<Set> sets) {
    FieldsByName out;
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < sets.size() && !spent(); ++i) add(sets, i, out, seen);
    return out;
  }

  void add(std::vector<Set>& sets, std::size_t which, FieldsByName& out,
           std::unordered_set<std::string_view>& seen) {
    const auto [selections, parent] = sets[which];
    for (const Selection& one : *selections) {
      ++steps_;
      if (one.kind == Selection::Kind::field) {
        auto& fields = out.fields[one.response_name()];
        if (fields.empty()) out.names.push_back(one.response_name());
        fields.push_back({&one, parent, field_of(one, parent)});
      } else if (one.kind == Selection::Kind::inline_fragment) {
        sets.emplace_back(&one.selections,
                          one.name.empty() ? parent : context_.composite(one.name));
      } else if (const Fragment* const fragment = context_.fragment(one.name);
                 fragment != nullptr && seen.insert(one.name).second) {
        sets.emplace_back(&fragment->selections, context_.composite(fragment->type_condition));
      }
    }
  }

  std::optional<Conflict> compare(bool exclusive_above, std::string_view name, const Placed& a,
                                  const Placed& b) {
    ++steps_;
    if (a.node == b.node) return std::nullopt;
    const bool exclusive = exclusive_above || apart(a, b);
    // What was compared as not exclusive needs no weaker look.
    if (compared_.contains({a.node, b.node, false})) return std::nullopt;
    if (!compared_.insert({a.node, b.node, exclusive}).second) return std::nullopt;
    Conflict out{
        .name = std::string(name), .reason = {}, .first = {a.node->at}, .second = {b.node->at}};
    if (!exclusive && a.node->name != b.node->name) {
      out.reason = "\"" + a.node->name + "\" and \"" + b.node->name + "\" are different fields";
      return out;
    }
    if (!exclusive && !same_arguments(*a.node, *b.node)) {
      out.reason = "they have differing arguments";
      return out;
    }
    if (a.field != nullptr && b.field != nullptr &&
        types_differ(a.field->definition.type, b.field->definition.type)) {
      out.reason = "they return conflicting types \"" + text_of(a.field->definition.type) +
                   "\" and \"" + text_of(b.field->definition.type) + "\"";
      return out;
    }
    if (a.node->selections.empty() || b.node->selections.empty()) return std::nullopt;
    if (depth_ == depth_max) {
      steps_ = pairs_max + 1;
      return std::nullopt;
    }
    ++depth_;
    auto below = compare_below(exclusive, std::move(out), a, b);
    --depth_;
    return below;
  }

  std::optional<Conflict> compare_below(bool exclusive, Conflict out, const Placed& a,
                                        const Placed& b) {
    const FieldsByName mine = collect({{&a.node->selections, type_below(a.field)}});
    const FieldsByName theirs = collect({{&b.node->selections, type_below(b.field)}});
    for (const std::string_view name : mine.names) {
      const auto other = theirs.fields.find(name);
      if (other == theirs.fields.end()) continue;
      for (const Placed& one : mine.fields.at(name))
        for (const Placed& two : other->second) {
          if (spent()) return std::nullopt;
          if (out.reason.size() > reason_max) return out;
          const auto inside = compare(exclusive, name, one, two);
          if (!inside) continue;
          out.reason += (out.reason.empty() ? "" : " and ") + ("subfields \"" + inside->name) +
                        "\" conflict because " + inside->reason;
          out.first.insert(out.first.end(), inside->first.begin(), inside->first.end());
          out.second.insert(out.second.end(), inside->second.begin(), inside->second.end());
        }
    }
    if (out.reason.empty()) return std::nullopt;
    return out;
  }

  static bool apart(const Placed& a, const Placed& b) {
    const auto is_object = [](const SchemaType* type) {
      return type != nullptr && type->definition.kind == TypeDefinition::Kind::object;
    };
    return a.parent != b.parent && is_object(a.parent) && is_object(b.parent);
  }

  bool types_differ(const TypeRef& a, const TypeRef& b) const {
    if (a.kind != b.kind) return true;
    if (a.kind != TypeRef::Kind::named) return types_differ(a.inner(), b.inner());
    const SchemaType* const one = context_.schema.find(a.name);
    const SchemaType* const two = context_.schema.find(b.name);
    const bool leaf = (one != nullptr && one->is_leaf()) || (two != nullptr && two->is_leaf());
    return leaf && one != two;
  }

  void tell(const Conflict& conflict) {
    std::vector<Location> at = conflict.first;
    at.insert(at.end(), conflict.second.begin(), conflict.second.end());
    context_.fault("Fields \"" + conflict.name + "\" conflict because " + conflict.reason +
                       ". Use different aliases on the fields to fetch both if this was "
                       "intentional.",
                   std::move(at));
  }

  ValidationContext& context_;
  std::set<std::tuple<const Selection*, const Selection*, bool>> compared_ = {};
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

void check_overlap(ValidationContext& context) { OverlapRules(context).run(); }

}  // namespace cairn::graphql
