// SPDX-License-Identifier: Apache-2.0
#include "cli/bulk/batch.h"

#include <utility>

namespace cairn::cli {
namespace {

constexpr std::size_t id_bytes_max = 512;  // of the server

Error rejected(std::string reason) {
  return {
      .kind = ErrorKind::invalid_argument, .code = "rejected_line", .message = std::move(reason)};
}

}  // namespace

std::string RejectedLine::encode() const {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("line").unsigned_integer(line.number);
  writer.key("status").integer(status);
  writer.key("error").value(error);
  writer.key("document");
  if (!line.too_long && parse_json(line.text).ok())
    writer.raw(line.text);
  else
    writer.string(line.text);
  writer.end_object();
  return out + "\n";
}

Result<std::string> id_of_line(const InputLine& line, const std::string& id_field,
                               const std::string& load) {
  if (line.too_long)
    return rejected("the line has more than " + std::to_string(input_line_bytes_max >> 20) +
                    " MiB");
  const auto parsed = parse_json(line.text);
  if (!parsed.ok()) return rejected("the line is no JSON: " + parsed.error().message);
  if (!parsed->is_object()) return rejected("the line is no JSON object");
  if (id_field.empty()) return load + "-" + std::to_string(line.number);
  const Json* value = parsed->find_path(id_field);
  if (value == nullptr || !(value->is_string() || value->is_integer()))
    return rejected("the document has no text or whole number in its field [" + id_field + "]");
  std::string id = value->is_string() ? value->as_string() : value->dump();
  if (id.empty() || id.size() > id_bytes_max)
    return rejected("the id in field [" + id_field + "] must have from 1 to 512 bytes");
  return id;
}

std::string bulk_text(const std::vector<BatchItem>& items) {
  std::string out;
  for (const BatchItem& item : items) {
    out += R"({"index":{"_id":)";
    append_json_string(out, item.id);
    out.append("}}\n").append(item.line.text).push_back('\n');
  }
  return out;
}

Result<BatchOutcome> judge_answer(std::vector<BatchItem> items, const Json& answer) {
  const Json* told = answer.find("items");
  if (told == nullptr || !told->is_array() || told->as_array().size() != items.size())
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the server's answer does not tell of each line: is that Cairn?"};
  BatchOutcome out;
  std::size_t forbidden = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Json& one = told->as_array()[i];
    if (!one.is_object() || one.as_object().empty())
      return Error{.kind = ErrorKind::corrupt,
                   .message = "an item of the server's answer is empty"};
    const Json& result = one.as_object().front().second;
    const int status = static_cast<int>(result.int_or("status"));
    if (status >= 200 && status < 300) {
      ++out.loaded;
      continue;
    }
    if (status == 429 || status == 503) {
      out.again.push_back(std::move(items[i]));
      continue;
    }
    if (status == 403) ++forbidden;
    const Json* error = result.find("error");
    out.rejected.push_back({std::move(items[i].line), status, error != nullptr ? *error : Json()});
  }
  out.all_forbidden = forbidden == items.size();
  return out;
}

}  // namespace cairn::cli
