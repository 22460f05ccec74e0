// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/operation_fields.h"

#include <algorithm>
#include <set>

#include "api/forms/error_json.h"
#include "api/graphql/rest.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

struct LeftOut {
  std::string_view operation;  // or a beginning of it, with * at the end
  std::string_view reason;
};

constexpr LeftOut left_out[] = {
    {"graphql", "it is the request itself"},
    {"console.*", "files for browsers"},
    {"cairn.events", "a stream that does not end; the fields that it tells of give the same"},
    {"cairn.pass_objects", "the object storage's own protocol; object fields give the same"},
    {"cairn.presign_object", "an address for pages; other clients sign theirs"},
    {"health.*", "probes of supervisors, which have no key"},
    {"metrics", "text for a collector of metrics"},
    {"docs.*", "a page of the documentation, as text"},
    {"cat.help", "a list of addresses, as text"},
    {"connector.event_by_key",
     "for stores that send no header fields; connectorEvent takes the same"},
    {"inference.stream_completion", "answers piece by piece; infer gives the whole text"},
    {"openai.*", "the same inference in another interface; infer and inference fields give it"},
    {"lfs.*", "git-lfs speaks its own protocol"},
    {"sessions.*", "sign browsers in and out, by cookies"},
    {"cairn.put_model_piece", "its body is bytes of a file"},
    {"cairn.check_limits", "asked for every request of another program, and costs nothing there"},
    {"cairn.authorize_limits", "answers in header fields, to a proxy"},
    {"openapi", "describes REST; introspection describes this"},
    {"cairn.routes", "describes REST; introspection describes this"},
    {"capabilities", "describes REST; introspection describes this"},
    {"test.*", "for tests of the limits"},
};

bool fits(std::string_view pattern, std::string_view operation) {
  if (!pattern.ends_with('*')) return pattern == operation;
  pattern.remove_suffix(1);
  return operation.starts_with(pattern);
}

/// "indices.put_mapping": indicesPutMapping. Characters that no name has count as dots.
std::string camel_case(std::string_view text) {
  std::string out;
  bool upper = false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !(digit && !out.empty())) {
      upper = !out.empty();
      continue;
    }
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = false;
  }
  return out;
}

std::vector<std::string> path_names(const std::string& path) {
  std::vector<std::string> out;
  for (const auto segment : split(path, '/'))
    if (segment.size() > 2 && segment.front() == '{')
      out.emplace_back(segment.substr(1, segment.size() - 2));
  return out;
}

std::string type_of_parameter(const std::string& type) {
  if (type == "boolean") return "Boolean";
  if (type == "integer") return "Long";
  if (type == "number") return "Float";
  return type == "list" ? "[String!]" : "String";
}

bool takes_body(const gate::Route& row) {
  if (row.body_required || row.method == "POST" || row.method == "PUT") return true;
  return row.method == "DELETE" && path_names(row.path).empty();  // what, says the body
}

bool changes(const gate::Route& row) { return row.method == "DELETE" || !gate::reads_only(row); }

/// In which order rows of one operation are tried: few literal segments first, then the methods
/// that carry bodies, for a body may be left out.
bool is_more_general(const gate::Route& a, const gate::Route& b) {
  const auto literals = [](const gate::Route& row) {
    return split(row.path, '/').size() - path_names(row.path).size();
  };
  if (literals(a) != literals(b)) return literals(a) < literals(b);
  return takes_body(a) && !takes_body(b);
}

class Arguments {
 public:
  explicit Arguments(OperationField& field) : field_(field) {}

  void add(OperationArgument argument) {
    if (names_.insert(argument.name).second) field_.arguments.push_back(std::move(argument));
  }

 private:
  OperationField& field_;
  std::set<std::string> names_ = {};
};

void add_arguments(OperationField& field) {
  Arguments arguments(field);
  const auto& rows = field.rows;
  const auto all_rows = [&](auto holds) { return std::all_of(rows.begin(), rows.end(), holds); };
  for (const gate::Route& row : rows)
    for (const std::string& name : path_names(row.path)) {
      const bool needed = all_rows([&](const gate::Route& other) {
        const auto names = path_names(other.path);
        return std::find(names.begin(), names.end(), name) != names.end();
      });
      arguments.add({.kind = OperationArgument::Kind::path,
                     .name = camel_case(name),
                     .wire = name,
                     .type = needed ? "String!" : "String"});
    }
  if (all_rows([](const gate::Route& row) { return row.ndjson; }))
    arguments.add({.kind = OperationArgument::Kind::lines,
                   .name = "lines",
                   .wire = {},
                   .type = "[JSON!]!",
                   .description = "The lines of the body, a JSON value each."});
  else if (std::any_of(rows.begin(), rows.end(), takes_body))
    arguments.add({.kind = OperationArgument::Kind::body,
                   .name = "body",
                   .wire = {},
                   .type = all_rows([](const gate::Route& row) { return row.body_required; })
                               ? "JSON!"
                               : "JSON",
                   .description = "The body of the request."});
  for (const gate::Route& row : rows)
    for (const gate::Parameter& one : row.query)
      if (const std::string name = camel_case(one.name); !name.empty())
        arguments.add({.kind = OperationArgument::Kind::query,
                       .name = name,
                       .wire = one.name,
                       .type = type_of_parameter(one.type),
                       .description = one.description});
}

std::string quoted_text(const std::string& text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

/// The row that the given arguments fit: all of its path names are there, and no others.
const gate::Route* row_for(const OperationField& field, const Json& arguments) {
  std::vector<std::string> given;
  for (const OperationArgument& one : field.arguments)
    if (const Json* const value = arguments.find(one.name);
        one.kind == OperationArgument::Kind::path && value != nullptr && !value->is_null())
      given.push_back(one.wire);
  std::sort(given.begin(), given.end());
  const Json* const body = arguments.find("body");
  const bool has_body = body != nullptr && !body->is_null();
  for (const gate::Route& row : field.rows) {
    auto wanted = path_names(row.path);
    std::sort(wanted.begin(), wanted.end());
    if (wanted == given && (takes_body(row) || !has_body)) return &row;
  }
  return nullptr;
}

Error no_such_row(const OperationField& field) {
  std::string forms;
  for (const gate::Route& row : field.rows)
    forms += (forms.empty() ? "[" : ", [") + row.method + " " + row.path + "]";
  return illegal_argument("[" + field.name + "] takes the arguments of one of " + forms);
}

std::string text_of_argument(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> out;
  for (const Json& one : value.as_array())
    out.push_back(one.is_string() ? one.as_string() : one.dump());
  return join(out, ",");
}

Result<InnerRequest> request_of(const OperationField& field, const Json& arguments) {
  const gate::Route* const row = row_for(field, arguments);
  if (row == nullptr) return no_such_row(field);
  InnerRequest out{.method = row->method};
  std::string path;
  for (const auto segment : split(std::string_view(row->path).substr(1), '/')) {
    path += '/';
    if (segment.size() < 3 || segment.front() != '{') {
      path += segment;
      continue;
    }
    const std::string name = camel_case(segment.substr(1, segment.size() - 2));
    const std::string& value = arguments.find(name)->as_string();
    if (value.empty()) return illegal_argument("[" + name + "] must not be empty");
    path += Target::segment(value);
  }
  Target target(path);
  if (row->operation.starts_with("cat.")) target.set("format", "json");
  for (const OperationArgument& one : field.arguments) {
    const Json* const value = arguments.find(one.name);
    if (value == nullptr || value->is_null()) continue;
    if (one.kind == OperationArgument::Kind::query) target.set(one.wire, text_of_argument(*value));
    if (one.kind == OperationArgument::Kind::body) out.body = value->dump();
    if (one.kind == OperationArgument::Kind::lines)
      for (const Json& line : value->as_array()) out.body += line.dump() + "\n";
  }
  out.target = target.text();
  return out;
}

}  // namespace

std::string_view reason_left_out(const gate::Route& route) {
  if (route.method == "HEAD") return "HEAD says whether GET would answer";
  for (const LeftOut& one : left_out)
    if (fits(one.operation, route.operation)) return one.reason;
  return {};
}

std::vector<OperationField> operation_fields(const std::vector<gate::Route>& routes,
                                             const std::vector<std::string>& taken) {
  std::vector<OperationField> out;
  std::map<std::string, std::size_t> at;
  for (const gate::Route& route : routes) {
    if (!reason_left_out(route).empty()) continue;
    const auto [place, fresh] = at.emplace(route.operation, out.size());
    if (fresh) out.push_back({.name = camel_case(route.operation), .summary = route.summary});
    OperationField& field = out[place->second];
    field.rows.push_back(route);
    field.mutation = field.mutation || changes(route);
    field.content = field.content || route.content;
  }
  for (OperationField& field : out) {
    std::stable_sort(field.rows.begin(), field.rows.end(), is_more_general);
    add_arguments(field);
  }
  std::erase_if(out, [&](const OperationField& field) {
    const std::string name = (field.mutation ? "Mutation." : "Query.") + field.name;
    return std::find(taken.begin(), taken.end(), name) != taken.end();
  });
  return out;
}

std::string text_of_fields(const std::vector<OperationField>& fields, bool mutations) {
  std::string out;
  for (const OperationField& field : fields) {
    if (field.mutation != mutations) continue;
    std::string description = field.summary;
    for (const gate::Route& row : field.rows)
      description += (description.empty() ? "" : "\n") + row.method + " " + row.path;
    out += "  " + quoted_text(description) + "\n  " + field.name;
    std::string arguments;
    for (const OperationArgument& one : field.arguments) {
      arguments += arguments.empty() ? "(" : ", ";
      if (!one.description.empty()) arguments += quoted_text(one.description) + " ";
      arguments += one.name + ": " + one.type;
    }
    if (!arguments.empty()) out += arguments + ")";
    out += mutations ? ": Answer\n" : ": JSON\n";
  }
  return out;
}

Status bind_operation_fields(graphql::Schema& schema, const std::vector<OperationField>& fields) {
  for (const OperationField& field : fields) {
    const auto shared = std::make_shared<const OperationField>(field);
    const auto resolve = [shared](const graphql::FieldCall& call) -> Result<Json> {
      CAIRN_TRY(InnerRequest request, request_of(*shared, call.arguments));
      CAIRN_TRY(Reply reply, ask_reply(call, std::move(request)));
      if (!shared->mutation) return value_of(std::move(reply));
      const int status = reply.status;
      return Json::object(
          {{"status", status}, {"body", value_of(std::move(reply))}, {"query", Json::object()}});
    };
    CAIRN_CHECK(schema.bind(field.mutation ? "Mutation" : "Query", field.name, resolve));
  }
  return ok_status();
}

}  // namespace cairn::api
