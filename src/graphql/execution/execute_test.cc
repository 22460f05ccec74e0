// SPDX-License-Identifier: Apache-2.0
#include "graphql/execution/execute.h"

#include <doctest/doctest.h>

#include <string>

#include "graphql/execution/introspection.h"

namespace cairn::graphql {
namespace {

constexpr std::string_view animals = R"(
interface Named { name: String }
type Dog implements Named { name: String barks: Boolean! owner: Person }
type Cat implements Named { name: String lives: Int }
type Person { name: String! pets(first: Int, last: Int): PetConnection strict: Named! list: [Int!] }
type PetConnection { nodes: [Named] edges: [PetEdge] }
type PetEdge { node: Named }
union Pet = Dog | Cat
enum Mood { HAPPY SAD }
input Wish { text: String! times: Int = 2 moods: [Mood!] }
type Query {
  me: Person
  pet(kind: String): Pet
  echo(wish: Wish, id: ID, number: Float, any: JSON): JSON
  mood: Mood
  fails: Int
  failsHard: Int!
  nested: Person @from(path: "x.y")
}
type Mutation { count(by: Int! = 1): Int! }
scalar JSON
)";

struct Counter final : Host {
  int count = 0;
};

Schema animals_schema() {
  auto made = Schema::make(animals);
  REQUIRE_MESSAGE(made.ok(), made.error().message);
  Schema schema = std::move(*made);
  REQUIRE(bind_introspection(schema).ok());
  const auto person = Json::object({{"name", "Ann"}, {"list", Json::array({1, 2})}});
  const auto dog = Json::object({{"__typename", "Dog"}, {"name", "Rex"}, {"barks", true}});
  const auto bind = [&](const char* type, const char* field, Resolver resolver) {
    REQUIRE(schema.bind(type, field, std::move(resolver)).ok());
  };
  bind("Query", "me", [=](const FieldCall&) { return person; });
  bind("Query", "pet", [=](const FieldCall& call) -> Result<Json> {
    const std::string kind = call.arguments.string_or("kind", "dog");
    if (kind == "dog") return dog;
    return Json::object({{"__typename", kind}, {"name", "Tom"}});
  });
  bind("Person", "pets", [=](const FieldCall& call) -> Result<Json> {
    Json out = Json::object({{"nodes", Json::array({dog})}});
    if (call.selects("edges")) out.set("edges", Json::array({Json::object({{"node", dog}})}));
    return out;
  });
  bind("Query", "echo", [](const FieldCall& call) { return call.arguments; });
  bind("Query", "mood", [](const FieldCall&) { return Json("happy"); });
  const auto fail = [](const FieldCall&) -> Result<Json> {
    return Error{ErrorKind::not_found, "gone", "it is gone"};
  };
  bind("Query", "fails", fail);
  bind("Query", "failsHard", fail);
  bind("Mutation", "count", [](const FieldCall& call) {
    auto& host = static_cast<Counter&>(call.host);
    return Json(host.count += static_cast<int>(call.arguments.int_or("by")));
  });
  return schema;
}

/// The answer as text, or the messages of what is wrong before.
std::string run(const std::string& query, const std::string& variables = "{}",
                const Options& options = {}) {
  static const Schema schema = animals_schema();
  const auto prepared =
      prepare(schema, {.query = query, .variables = parse_json(variables).value()}, options);
  std::string faults;
  for (const Fault& fault : prepared->faults)
    faults += (faults.empty() ? "" : "; ") + fault.message;
  if (!faults.empty()) return faults;
  Counter host;
  return execute(schema, *prepared,
                 {.host = host, .deadline = os::Deadline::never(), .options = options})
      .dump();
}

Weight weight_of(const std::string& query) {
  static const Schema schema = animals_schema();
  const auto prepared = prepare(schema, {.query = query});
  REQUIRE_MESSAGE(prepared->faults.empty(), prepared->faults.front().message);
  return prepared->weight;
}

}  // namespace

TEST_CASE("graphql execution: fields, aliases, fragments, conditions") {
  CHECK(run("{ a: me { name } me { list ...F } } fragment F on Person { name }") ==
        R"({"data":{"a":{"name":"Ann"},"me":{"list":[1,2],"name":"Ann"}}})");
  CHECK(run("query($no: Boolean!) { me { name @skip(if: $no) list @include(if: $no) } }",
            R"({"no":true})") == R"({"data":{"me":{"list":[1,2]}}})");
  CHECK(run("{ me { name } me { list } }") == R"({"data":{"me":{"name":"Ann","list":[1,2]}}})");
  CHECK(run("{ __typename mood me { __typename } }") ==
        R"({"data":{"__typename":"Query","mood":"HAPPY","me":{"__typename":"Person"}}})");
  CHECK(run("{ nested { name } }") == R"({"data":{"nested":null}})");
}

TEST_CASE("graphql execution: abstract types") {
  CHECK(run("{ pet { ... on Dog { barks name } ... on Cat { lives } } }") ==
        R"({"data":{"pet":{"barks":true,"name":"Rex"}}})");
  CHECK(run("{ pet(kind: \"Cat\") { __typename ... on Named { name } } }") ==
        R"({"data":{"pet":{"__typename":"Cat","name":"Tom"}}})");
  CHECK(run("{ pet(kind: \"Person\") { __typename } }").find("resolved to no object of type Pet") !=
        std::string::npos);
}

TEST_CASE("graphql execution: errors have paths, and null goes up to what may be null") {
  CHECK(
      run("{ fails me { name } }") ==
      R"({"errors":[{"path":["fails"],"locations":[{"line":1,"column":3}],"message":"it is gone"}],)"
      R"("data":{"fails":null,"me":{"name":"Ann"}}})");
  CHECK(
      run("{ failsHard me { name } }") ==
      R"({"errors":[{"path":["failsHard"],"locations":[{"line":1,"column":3}],"message":"it is gone"}],)"
      R"("data":null})");
  CHECK(run("{ me { strict { name } } }") ==
        R"({"errors":[{"path":["me","strict"],"locations":[{"line":1,"column":8}],)"
        R"("message":"Cannot return null for non-nullable field strict."}],"data":{"me":null}})");
}

TEST_CASE("graphql execution: arguments and variables are coerced") {
  CHECK(
      run("{ echo(wish: {text: \"x\", moods: SAD}, id: 5, number: 1, any: {a: [1, E, null]}) }") ==
      R"({"data":{"echo":{"wish":{"text":"x","times":2,"moods":["SAD"]},"id":"5","number":1,)"
      R"("any":{"a":[1,"E",null]}}}})");
  CHECK(run("query($w: Wish, $n: Float) { echo(wish: $w, number: $n) }",
            R"({"w":{"text":"x","times":null}})") ==
        R"({"data":{"echo":{"wish":{"text":"x","times":null}}}})");
  CHECK(run("query($w: Wish) { echo(wish: $w) }", R"({"w":{"times":"2","more":1}})") ==
        "Variable \"$w\" got invalid value { times: \"2\", more: 1 }; Field \"text\" of required "
        "type \"String!\" was not provided.; Variable \"$w\" got invalid value \"2\" at "
        "\"w.times\"; Int cannot represent non-integer value: \"2\"; Variable \"$w\" got invalid "
        "value { times: \"2\", more: 1 }; Field \"more\" is not defined by type \"Wish\".");
  CHECK(run("query($w: Wish!) { echo(wish: $w) }") ==
        "Variable \"$w\" of required type \"Wish!\" was not provided.");
  CHECK(run("query($w: [Int!]) { echo(any: $w) }").find("used in position") != std::string::npos);
  CHECK(run("query($w: JSON) { echo(any: $w) }", R"({"w":[{"a":1}]})") ==
        R"({"data":{"echo":{"any":[{"a":1}]}}})");
}

TEST_CASE("graphql execution: mutations run in the order of the text") {
  CHECK(run("mutation { a: count b: count(by: 5) c: count }") == R"({"data":{"a":1,"b":6,"c":7}})");
}

TEST_CASE("graphql execution: weight") {
  CHECK(weight_of("{ me { name } }").cost() == 1);
  const Weight pages = weight_of(
      "{ me { pets(first: 100) { nodes { ... on Dog { owner { pets(first: 50) { edges { node { ... "
      "on Dog { owner { pets(last: 60) { nodes { name } } } } } } } } } } } } }");
  CHECK(pages.requests == 1 + 100 + 5000);
  CHECK(pages.nodes == 100 + 5000 + 300'000);
  CHECK(pages.cost() == 51);
  CHECK(weight_of("{ __schema { types { fields { type { name } } } } }").calls == 0);
}

TEST_CASE("graphql execution: bounds before anything runs") {
  CHECK(run("{ me { pets { nodes { name } } } }")
            .starts_with("You must provide a `first` or `last`"));
  CHECK(run("{ me { pets(first: 101) { nodes { name } } } }")
            .find("exceeds the `first` limit of 100") != std::string::npos);
  CHECK(run("{ me { pets(first: 1, last: 1) { nodes { name } } } }").starts_with("Passing both"));
  CHECK(run("{ me { pets(first: -1) { nodes { name } } } }").find("less than zero") !=
        std::string::npos);
  std::string deep = "name", open;
  for (int i = 0; i < 12; ++i)
    deep = "pets(first: 1) { nodes { ... on Dog { owner { " + deep + " } } } }";
  CHECK(run("{ me { " + deep + " } }").find("deeper than 20 fields") != std::string::npos);
  // Fragments that hold two of the next one each: exponential, once they are put in.
  std::string bomb = "{ me { ...F0 } }";
  for (int i = 0; i < 15; ++i) {
    const std::string next = i == 14 ? "name" : "...F" + std::to_string(i + 1);
    bomb += " fragment F" + std::to_string(i) + " on Person { a" + std::to_string(i) +
            ": pets(first: 1) { nodes { ... on Dog { owner { " + next + " } } } } b" +
            std::to_string(i) + ": pets(first: 1) { nodes { ... on Dog { owner { " + next +
            " } } } } }";
  }
  CHECK(run(bomb).starts_with("Comparing the fields of this document would take too long"));
  CHECK(run("{ me { name } }", "{}", {.aliases = 0}).starts_with("{\"data\""));
  CHECK(run("{ a: me { name } }", "{}", {.aliases = 0}).find("another name") != std::string::npos);
  CHECK(
      run("{ me { pets(first: 100) { nodes { ... on Dog { owner { pets(first: 100) { nodes { name "
          "} } } } } } } }",
          "{}", {.nodes = 10'000})
          .find("10,100 possible nodes") != std::string::npos);
  CHECK(run("{ me { list } }", "{}", {.answer_values = 2}).find("too large") == std::string::npos);
  CHECK(run("{ a: me { list } b: me { list } }", "{}", {.answer_values = 2}).find("too large") !=
        std::string::npos);
}

TEST_CASE("graphql execution: introspection") {
  const std::string query = R"({
    __schema { queryType { name } mutationType { name } subscriptionType { name } directives { name isRepeatable args { name type { kind ofType { name } } } } }
    __type(name: "Wish") { kind name inputFields { name defaultValue type { kind name ofType { kind name } } } }
    other: __type(name: "Named") { possibleTypes { name } fields { name } }
    none: __type(name: "None") { name }
  })";
  const Json answer = parse_json(run(query)).value();
  CHECK(answer.find("errors") == nullptr);
  CHECK(answer.find_path("data.__schema.queryType.name")->as_string() == "Query");
  CHECK(answer.find_path("data.__schema.mutationType.name")->as_string() == "Mutation");
  CHECK(answer.find_path("data.__schema.subscriptionType")->is_null());
  CHECK(
      answer.find_path("data.__type.inputFields")->dump() ==
      R"([{"name":"text","defaultValue":null,"type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"SCALAR","name":"String"}}},)"
      R"({"name":"times","defaultValue":"2","type":{"kind":"SCALAR","name":"Int","ofType":null}},)"
      R"({"name":"moods","defaultValue":null,"type":{"kind":"LIST","name":null,"ofType":{"kind":"NON_NULL","name":null}}}])");
  CHECK(answer.find_path("data.other.possibleTypes")->dump() ==
        R"([{"name":"Dog"},{"name":"Cat"}])");
  CHECK(answer.find_path("data.none")->is_null());
}

TEST_CASE("graphql validation: one of each rule") {
  const std::pair<const char*, const char*> rows[] = {
      {"{ none }", "Cannot query field \"none\" on type \"Query\"."},
      {"{ me }",
       "Field \"me\" of type \"Person\" must have a selection of subfields. Did you mean "
       "\"me { ... }\"?"},
      {"{ mood { x } }",
       "Field \"mood\" must not have a selection since type \"Mood\" has no "
       "subfields."},
      {"{ me { name } } { mood }",
       "This anonymous operation must be the only defined operation.; "
       "This anonymous operation must be the only defined operation."},
      {"query A { mood } query A { mood }", "There can be only one operation named \"A\"."},
      {"{ ...F }", "Unknown fragment \"F\"."},
      {"{ mood } fragment F on Query { mood }", "Fragment \"F\" is never used."},
      {"{ ...F } fragment F on Query { ...F }", "Cannot spread fragment \"F\" within itself."},
      {"{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }",
       "Cannot spread fragment \"F\" within itself via \"G\"."},
      {"{ ...F } fragment F on Mood { x }",
       "Fragment \"F\" cannot condition on non composite type \"Mood\"."},
      {"{ ... on Nope { x } }", "Unknown type \"Nope\"."},
      {"{ pet { ... on Person { name } } }",
       "Fragment cannot be spread here as objects of type \"Pet\" can never be of type "
       "\"Person\"."},
      {"{ mood @nope }", "Unknown directive \"@nope\"."},
      {"query @skip(if: true) { mood }", "Directive \"@skip\" may not be used on QUERY."},
      {"{ mood @skip }",
       "Directive \"@skip\" argument \"if\" of type \"Boolean!\" is required, but "
       "it was not provided."},
      {"{ pet(nope: 1) { __typename } }", "Unknown argument \"nope\" on field \"Query.pet\"."},
      {"{ pet(kind: \"a\", kind: \"b\") { __typename } }",
       "There can be only one argument named \"kind\"."},
      {"{ pet(kind: 5) { __typename } }", "String cannot represent a non string value: 5"},
      {"{ echo(wish: {times: 1}) }",
       "Field \"Wish.text\" of required type \"String!\" was not provided."},
      {"{ echo(any: {a: 1, a: 2}) }", "There can be only one input field named \"a\"."},
      {"query($a: Int) { mood }", "Variable \"$a\" is never used."},
      {"{ pet(kind: $a) { __typename } }", "Variable \"$a\" is not defined."},
      {"query($a: Dog) { pet(kind: $a) { __typename } }",
       "Variable \"$a\" cannot be non-input type \"Dog\".; Variable \"$a\" of type \"Dog\" used in "
       "position expecting type \"String\"."},
      {"{ a: mood a: fails }",
       "Fields \"a\" conflict because \"mood\" and \"fails\" are different fields. Use different "
       "aliases on the fields to fetch both if this was intentional."},
      {"{ me { a: name } me { a: list } }",
       "Fields \"me\" conflict because subfields \"a\" conflict because \"name\" and \"list\" are "
       "different fields. Use different aliases on the fields to fetch both if this was "
       "intentional."},
      {"type T { a: Int }", "The \"T\" definition is not executable."},
      {"subscription { x }", "Schema is not configured to execute subscription operation."},
  };
  for (const auto& [query, faults] : rows) CHECK_MESSAGE(run(query) == faults, query);
}

}  // namespace cairn::graphql
