// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/operation_help.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cli/objects/command.h"
#include "cli/objects/parameters.h"
#include "cli/objects/service_options.h"
#include "s3/operations/operation.h"

namespace cairn::cli {
namespace {

using s3::Member;
using s3::Type;

constexpr std::size_t width_max = 96;
constexpr std::size_t nesting_max = 4;

std::string_view type_word(const Member& member) {
  switch (member.type) {
    case Type::text:
      return member.wire.place == s3::Place::raw_body ? "document" : "text";
    case Type::integer:
      return "integer";
    case Type::boolean:
      return "switch";
    case Type::time:
      return "time";
    case Type::text_list:
      return "list";
    case Type::text_map:
      return "map";
    case Type::structure:
    case Type::structure_list:
      return "JSON";
  }
  return "text";
}

/// "{rules:[{id, status, …}]}": what stands in a structure. `*` marks what must be there.
std::string structure_outline(const s3::Shape& shape, std::size_t depth) {
  std::string out = "{";
  for (const Member& member : shape.members) {
    if (out.size() > 1) out += ", ";
    out += member.name;
    if (member.required) out += '*';
    if (member.shape == nullptr) {
      if (member.type == Type::text_list) out += ":[…]";
      continue;
    }
    const std::string inner = depth == 0 ? "{…}" : structure_outline(member.shape(), depth - 1);
    out += member.type == Type::structure_list ? ":[" + inner + "]" : ":" + inner;
  }
  return out + "}";
}

std::string place_on_wire(const Member& member) {
  const std::string name(member.wire.name);
  switch (member.wire.place) {
    case s3::Place::query:
      return "query " + name;
    case s3::Place::header:
      return name;
    case s3::Place::header_map:
      return name + "*";
    default:
      return {};
  }
}

/// Words of one line each of at most `width_max` bytes, all but the first indented.
std::string wrapped_lines(const std::string& text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (const auto word : split(text, ' ')) {
    const bool first = out.empty();
    if (!first && column + 1 + word.size() > width_max) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::string parameter_line(const Member& member, std::size_t width) {
  const std::string option = option_of_parameter(member.name);
  std::string text(type_word(member));
  if (member.wire.values != nullptr) {
    std::vector<std::string> values(member.wire.values->allowed.begin(),
                                    member.wire.values->allowed.end());
    text += ": " + join(values, ", ");
  } else if (member.shape != nullptr) {
    const std::string outline = structure_outline(member.shape(), nesting_max);
    text += " " + (member.type == Type::structure_list ? "[" + outline + "]" : outline);
  } else if (const std::string place = place_on_wire(member); !place.empty()) {
    text += " (" + place + ")";
  }
  return "  " + option + std::string(width - option.size() + 2, ' ') +
         wrapped_lines(text, width + 4) + "\n";
}

std::string parameter_lines(const s3::Operation& operation, bool required) {
  std::size_t width = 0;
  const auto members = operation.input().members;
  for (const Member& member : members)
    width = std::max(width, option_of_parameter(member.name).size());
  std::string out;
  for (const Member& member : members)
    if (member.required == required) out += parameter_line(member, width);
  return out;
}

std::string wire_line(const s3::Operation& operation) {
  std::string path = operation.target == s3::Target::service   ? "/"
                     : operation.target == s3::Target::control ? std::string(operation.path)
                     : operation.target == s3::Target::bucket  ? "/BUCKET"
                                                               : "/BUCKET/KEY";
  if (!operation.marker.empty() && !operation.marker.ends_with(':'))
    path += "?" + std::string(operation.marker);
  return std::string(operation.name) + ": " + std::string(operation.method) + " " + path;
}

std::string_view group_of(const s3::Operation& operation) {
  const std::string_view call = operation.call;
  const auto has = [&](std::string_view text) { return call.find(text) != std::string_view::npos; };
  if (operation.target == s3::Target::control) return "access points";
  if (has("multipart") || has("part")) return "uploads in parts";
  if (has("list_object")) return "listings";
  if (operation.target == s3::Target::object || has("delete_objects")) return "objects";
  if (call == "list_buckets" || call == "list_directory_buckets" || call == "create_bucket" ||
      call == "head_bucket" || call == "delete_bucket" || call == "get_bucket_location" ||
      call == "create_session")
    return "buckets";
  return "settings of buckets";
}

std::vector<const s3::Operation*> every_operation() {
  std::vector<const s3::Operation*> all(s3::all_operations().begin(), s3::all_operations().end());
  all.insert(all.end(), s3::control_operations().begin(), s3::control_operations().end());
  return all;
}

}  // namespace

std::string command_of_operation(const s3::Operation& operation) {
  return option_of_parameter(operation.call).substr(2);
}

std::string operation_help(const s3::Operation& operation) {
  std::string out = "usage: cairn objects " + command_of_operation(operation);
  for (const Member& member : operation.input().members)
    if (member.required) out += " " + option_of_parameter(member.name) + " …";
  if (operation.stream_in) out += " [--body FILE|-]";
  if (operation.stream_out) out += " FILE|-";
  out += " [options]\n\n" + wire_line(operation) + "\n";
  if (const std::string lines = parameter_lines(operation, true); !lines.empty())
    out += "\nrequired:\n" + lines;
  if (operation.stream_in) out += "\nbytes:\n  --body  a file, or - for standard input\n";
  if (operation.stream_out)
    out += "\nbytes:\n  FILE or --output FILE: where they go; - for standard output\n";
  if (const std::string lines = parameter_lines(operation, false); !lines.empty())
    out += "\noptional:\n" + lines;
  out +=
      "\nJSON is given as it is, or in a file as @FILE; * marks what must be there. Maps are\n"
      "JSON or a=b,c=d; lists a,b; times 2026-01-31T12:00:00Z or seconds since 1970.\n"
      "--json prints the result as JSON; --dry-run checks the parameters and sends nothing.\n\n";
  return out + std::string(service_options_help());
}

std::string objects_help() {
  std::string out = "usage: cairn objects COMMAND [options]\n\n";
  for (const ObjectCommand& command : object_commands()) {
    const std::string name(command.name);
    out += "  " + name + std::string(18 - name.size(), ' ') + std::string(command.summary) + "\n";
  }
  out +=
      "  resolve-endpoint  where requests go: a JSON case a line on standard input\n"
      "  sign              signs requests: a JSON case a line on standard input\n"
      "\nevery operation of the service, with its parameters as options:\n";
  for (const std::string_view group :
       {"buckets", "objects", "listings", "uploads in parts", "settings of buckets",
        "access points"}) {
    std::string names;
    for (const s3::Operation* operation : every_operation())
      if (group_of(*operation) == group)
        names += (names.empty() ? "" : " ") + command_of_operation(*operation);
    out += "\n" + std::string(group) + "\n  " + wrapped_lines(names, 2) + "\n";
  }
  out += "\n";
  out += service_options_help();
  return out + "\ncairn objects COMMAND --help tells more.\n";
}

}  // namespace cairn::cli
