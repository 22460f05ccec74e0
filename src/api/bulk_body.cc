// SPDX-License-Identifier: Apache-2.0
// Action lines strictly, source lines as they are.
#include "api/bulk_body.h"

#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/write_params.h"
#include "base/strings.h"
#include "format/ndjson.h"
#include "search/source_filter.h"

namespace cairn::api {
namespace {

using ingest::BulkItem;
using Action = BulkItem::Action;

std::string_view token_of(const Json& value) {
  if (value.is_null()) return "VALUE_NULL";
  if (value.is_bool()) return "VALUE_BOOLEAN";
  if (value.is_string()) return "VALUE_STRING";
  if (value.is_number()) return "VALUE_NUMBER";
  return value.is_array() ? "START_ARRAY" : "START_OBJECT";
}

// What an update gives back is asked of each of them: few patterns may be tried on it.
Status check_wanted(const Json& source) {
  CAIRN_TRY(const auto filter, search::parse_source_filter("", source));
  return search::check_patterns(filter);
}

class BulkReader {
 public:
  BulkReader(std::string_view body, const BulkDefaults& defaults)
      : lines_(body), defaults_(defaults) {}

  Result<std::vector<BulkItem>> read() {
    std::vector<BulkItem> items;
    if (!defaults_.source.is_null()) CAIRN_CHECK(check_wanted(defaults_.source));
    while (const auto line = lines_.next()) {
      if (trim(*line).empty()) continue;
      CAIRN_TRY(BulkItem item, read_action(*line));
      if (item.action != Action::remove) CAIRN_CHECK(read_source(item));
      if (lines_.unterminated()) break;
      items.push_back(std::move(item));
    }
    if (lines_.unterminated())
      return illegal_argument("The bulk request must be terminated by a newline [\\n]");
    if (items.empty()) faults_.insert(faults_.begin(), "no requests added");
    if (!faults_.empty()) return validation_fault(faults_);
    return items;
  }

 private:
  std::string line_name() const {
    return "action/metadata line [" + std::to_string(lines_.line_number()) + "]";
  }

  Result<BulkItem> read_action(std::string_view line) {
    auto json = parse_json(line, {.unique_names = true});
    if (!json.ok()) {
      Error error = std::move(json).error();
      error.message = "Malformed " + line_name() + ": " + error.message;
      return error;
    }
    if (!json->is_object())
      return illegal_argument("Malformed " + line_name() + ", expected START_OBJECT but found [" +
                              std::string(token_of(*json)) + "]");
    if (json->as_object().empty())
      return illegal_argument("Malformed " + line_name() +
                              ", expected FIELD_NAME but found [END_OBJECT]");
    const auto& [name, parameters] = json->as_object().front();
    BulkItem item{.index = defaults_.index,
                  .operation = {.routing = defaults_.routing},
                  .require_alias = defaults_.require_alias,
                  .require_data_stream = defaults_.require_data_stream,
                  .wanted_source = defaults_.source};
    if (name == "index") {
      item.action = Action::index;
    } else if (name == "create") {
      item.action = Action::create;
      item.operation.kind = index::WriteOperation::Kind::create;
    } else if (name == "update") {
      item.action = Action::update;
    } else if (name == "delete") {
      item.action = Action::remove;
      item.operation.kind = index::WriteOperation::Kind::remove;
    } else {
      return illegal_argument(
          "Malformed " + line_name() +
          ", expected field [create], [delete], [index] or [update] but found [" + name + "]");
    }
    if (json->as_object().size() > 1)
      return illegal_argument("Malformed " + line_name() +
                              ", expected END_OBJECT but found [FIELD_NAME]");
    CAIRN_CHECK(read_parameters(parameters, item));
    check(item);
    return item;
  }

  Status read_parameters(const Json& parameters, BulkItem& item) {
    if (parameters.is_null()) return ok_status();
    if (!parameters.is_object())
      return illegal_argument("Malformed " + line_name() + ", expected START_OBJECT but found [" +
                              std::string(token_of(parameters)) + "]");
    std::string pipeline = defaults_.pipeline;
    for (const auto& [name, value] : parameters.as_object()) {
      if (value.is_null()) continue;
      if (name == "_source") {
        CAIRN_CHECK(check_wanted(value));
        item.wanted_source = value;
        continue;
      }
      if (name == "dynamic_templates") {
        item.refused = illegal_argument(
            "[dynamic_templates] of a bulk item is not offered; name patterns in the mapping");
        continue;
      }
      if (value.is_object() || value.is_array())
        return illegal_argument("Malformed " + line_name() +
                                ", expected a simple value for field [" + name + "] but found [" +
                                std::string(token_of(value)) + "]");
      CAIRN_CHECK(read_parameter(name, value, item, pipeline));
    }
    if (item.operation.if_seq_no.has_value() != item.operation.if_primary_term.has_value())
      faults_.emplace_back(item.operation.if_seq_no
                               ? "ifSeqNo is set, but primary term is [0]"
                               : "ifSeqNo is unassigned, but primary term is set");
    if (const Status fine = check_pipeline(pipeline.empty() ? "_none" : pipeline); !fine.ok())
      item.refused = fine.error();
    return ok_status();
  }

  Status read_parameter(const std::string& name, const Json& value, BulkItem& item,
                        std::string& pipeline) {
    const std::string text = value.is_string() ? value.as_string() : value.dump();
    const auto number = [&]() -> Result<std::int64_t> {
      if (const auto parsed = parse_number<std::int64_t>(text); parsed && *parsed >= 0)
        return *parsed;
      return illegal_argument("Malformed " + line_name() + ", [" + name +
                              "] must be a number that is not negative, found [" + text + "]");
    };
    if (name == "_index") {
      auto plain = plain_names(text);
      item.index = plain.ok() ? std::move(*plain) : text;
      if (!plain.ok()) item.refused = plain.error();
    } else if (name == "_id") {
      item.operation.id = text;
      if (text.empty()) item.refused = illegal_argument("if _id is specified it must not be empty");
    } else if (name == "if_seq_no") {
      CAIRN_TRY(item.operation.if_seq_no, number());
    } else if (name == "if_primary_term") {
      CAIRN_TRY(item.operation.if_primary_term, number());
    } else if (name == "retry_on_conflict") {
      CAIRN_TRY(item.update.retry_on_conflict, number());
    } else if (name == "require_alias") {
      item.require_alias = text == "true";
    } else if (name == "pipeline") {
      pipeline = text;
    } else if (name == "op_type" && item.action == Action::index) {
      if (text == "create") {
        item.action = Action::create;
        item.operation.kind = index::WriteOperation::Kind::create;
      }
    } else if (name == "version" || name == "version_type") {
      item.refused = illegal_argument("[" + name + "] is not offered; use if_seq_no");
    } else if (name == "routing") {
      item.operation.routing = text;
    } else if (name == "require_data_stream") {
      item.require_data_stream = text == "true";
    } else {
      return illegal_argument("Action/metadata line [" + std::to_string(lines_.line_number()) +
                              "] contains an unknown parameter [" + name + "]");
    }
    return ok_status();
  }

  void check(BulkItem& item) {
    if (item.index.empty()) faults_.emplace_back("index is missing");
    const bool needs_id = item.action == Action::update || item.action == Action::remove;
    if (needs_id && item.operation.id.empty() && !item.refused)
      faults_.emplace_back("id is missing");
    item.update.id = item.operation.id;
    item.update.routing = item.operation.routing;
    item.update.if_seq_no = item.operation.if_seq_no;
    item.update.if_primary_term = item.operation.if_primary_term;
  }

  Status read_source(BulkItem& item) {
    const auto line = lines_.next();
    if (!line) {
      faults_.emplace_back("source is missing");
      return ok_status();
    }
    if (item.action != Action::update) {
      item.operation.source = *line;
      return ok_status();
    }
    auto json = parse_json(*line);
    if (!json.ok()) {
      Error error = std::move(json).error();
      error.message = "line [" + std::to_string(lines_.line_number()) + "]: " + error.message;
      return error;
    }
    auto update = ingest::parse_update(item.update.id, *json);
    if (!update.ok()) {
      if (!item.refused) item.refused = std::move(update).error();
      return ok_status();
    }
    if (const Json* wanted = json->find("_source"); wanted != nullptr && !wanted->is_null()) {
      CAIRN_CHECK(check_wanted(*wanted));
      item.wanted_source = *wanted;
    }
    update->routing = item.update.routing;
    update->retry_on_conflict = item.update.retry_on_conflict;
    update->if_seq_no = item.update.if_seq_no;
    update->if_primary_term = item.update.if_primary_term;
    item.update = std::move(*update);
    return ok_status();
  }

  NdjsonLines lines_;
  const BulkDefaults& defaults_;
  std::vector<std::string> faults_;
};

}  // namespace

Result<std::vector<BulkItem>> parse_bulk(std::string_view body, const BulkDefaults& defaults) {
  return BulkReader(body, defaults).read();
}

}  // namespace cairn::api
