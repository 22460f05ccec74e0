// SPDX-License-Identifier: Apache-2.0
// Walking a document's JSON with its mapping beside it.
#include "index/document/document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>

#include "base/encode.h"
#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/mapping/completion_terms.h"
#include "index/mapping/dynamic_fields.h"
#include "index/mapping/mapping_tree.h"
#include "text/words.h"

namespace cairn::index {
namespace {

constexpr std::size_t term_bytes_max = 32'766;

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

Error immense_term(const Field& field) {
  return illegal_argument("Document contains at least one immense term in field=\"" + field.name +
                          "\" (whose UTF8 encoding is longer than the max length " +
                          std::to_string(term_bytes_max) + ")");
}

/// One pass over a document with one mapping.
class Walker {
 public:
  Walker(ParsedDocument& doc, const Mapping& mapping, const MappingLimits& limits)
      : doc_(doc), mapping_(mapping), limits_(limits) {
    scopes_.push_back({.fields = &doc.fields, .nested = &doc.nested});
  }

  Status walk(const Json& root) {
    CAIRN_CHECK(walk_object(root, "", mapping_.dynamic_of("")));
    CAIRN_CHECK(check_semantic());
    if (!ignored_.empty())
      slot(*metadata_field(ignored_field_name)).terms.assign(ignored_.begin(), ignored_.end());
    return ok_status();
  }
  /// What the platform itself knows of a document is none of its fields.
  Status check_no_metadata(const Json& root) const {
    static constexpr std::array names = {"_id",      "_index",      "_source",  "_routing",
                                         "_version", "_seq_no",     "_ignored", "_field_names",
                                         "_tier",    "_nested_path"};
    for (const auto& [name, value] : root.as_object()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) continue;
      return failed_value(
          name, name, value,
          document_parsing(at(name) + "Field [" + name +
                           "] is a metadata field and cannot be added inside a document. Use the "
                           "index API request parameters."));
    }
    return ok_status();
  }

  const MappingTree& change() const { return change_; }
  /// Runtime fields that are new, by their paths.
  const Json::Object& runtime_change() const { return runtime_change_; }

 private:
  Status walk_object(const Json& object, const std::string& parent, Dynamic dynamic) {
    for (const auto& [name, value] : object.as_object()) {
      if (name.find('.') != std::string::npos) {
        CAIRN_CHECK(walk_dotted(parent, name, value, dynamic));
      } else {
        CAIRN_CHECK(walk_member(join_path(parent, name), name, value, dynamic));
      }
    }
    return ok_status();
  }

  static std::string join_path(const std::string& parent, std::string_view name) {
    return parent.empty() ? std::string(name) : parent + "." + std::string(name);
  }

  // "a.b": 1 means what "a": {"b": 1} means. A name may have as many pieces as the body has room
  // for: they are walked in a loop, and the mapping's depth limit ends it.
  Status walk_dotted(const std::string& parent, const std::string& name, const Json& value,
                     Dynamic dynamic) {
    for (const auto piece : split(name, '.'))
      if (trim(piece).empty())
        return fail(name, illegal_argument("field name starting or ending with a [.] makes object "
                                           "resolution ambiguous: [" +
                                           preview(name) + "]"));
    if (mapping_.has_nested()) {
      for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
        const std::string above = join_path(parent, std::string_view(name).substr(0, dot));
        limits_.count_steps();
        const Field* field = mapping_.find_mapped(above);
        if (field != nullptr && field->is_nested)
          return walk_member(above, leaf(above), Json::object({{name.substr(dot + 1), value}}),
                             mapping_.dynamic_of(object_above(above)));
      }
    }
    std::string path = join_path(parent, name);
    if (mapping_.find_mapped(path) != nullptr)
      return walk_member(path, name, value, mapping_.dynamic_of(object_above(path)));
    path = parent;
    for (std::size_t at = 0;;) {
      const auto dot = name.find('.', at);
      path = join_path(path, std::string_view(name).substr(at, dot - at));
      if (dot == std::string::npos) return walk_member(path, leaf(path), value, dynamic);
      at = dot + 1;
      limits_.count_steps();
      const Field* field = mapping_.find_mapped(path);
      if (field == nullptr) {
        static const Json some_object = Json::object();
        CAIRN_TRY(const bool goes_on, learn_unknown(path, some_object, dynamic));
        if (!goes_on) return ok_status();
      } else if (field->type != FieldType::object) {
        return add_values(*field, Json::object({{name.substr(at), value}}));
      } else if (!field->enabled) {
        return ok_status();
      } else {
        dynamic = field->dynamic.value_or(dynamic);
      }
    }
  }

  static std::string object_above(const std::string& path) {
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? std::string() : path.substr(0, dot);
  }

  Status walk_member(const std::string& path, const std::string& name, const Json& value,
                     Dynamic dynamic) {
    limits_.count_steps();
    if (trim(name).empty())
      return fail(path, illegal_argument("field name cannot be an empty string"));
    const Field* field = mapping_.find_mapped(path);
    if (field == nullptr) return add_unknown(path, value, dynamic);
    if (field->type != FieldType::object) return add_values(*field, value);
    if (!field->enabled) return ok_status();
    dynamic = field->dynamic.value_or(dynamic);
    return field->is_nested ? walk_nested(*field, value, dynamic)
                            : walk_objects(*field, value, dynamic);
  }

  // Each object of a nested field has its values for itself.
  Status walk_nested(const Field& field, const Json& value, Dynamic dynamic) {
    if (value.is_array()) {
      for (const Json& element : value.as_array())
        CAIRN_CHECK(walk_nested(field, element, dynamic));
      return ok_status();
    }
    if (!value.is_object()) return walk_objects(field, value, dynamic);
    if (flattens_) return walk_included(field, value, dynamic);
    if (++nested_objects_ > limits_.nested_objects)
      return document_parsing(
          at(field.name) + "failed to parse",
          illegal_argument("The number of nested documents has exceeded the allowed limit of [" +
                           std::to_string(limits_.nested_objects) +
                           "]. This limit can be set by changing the "
                           "[index.mapping.nested_objects.limit] index level setting."));
    NestedObject object{.field = &field};
    scopes_.push_back({.field = &field, .fields = &object.fields, .nested = &object.nested});
    const Status walked = walk_object(value, field.name, dynamic);
    scopes_.pop_back();
    CAIRN_CHECK(walked);
    scopes_.back().nested->push_back(std::move(object));
    if (field.include_in_parent) CAIRN_CHECK(include(field, value, dynamic, scopes_.size()));
    const bool has_both = field.include_in_parent && scopes_.size() == 1;
    if (field.include_in_root && !has_both) CAIRN_CHECK(include(field, value, dynamic, 1));
    return ok_status();
  }

  // What is in the object is a value of the scope too that is the last of so many.
  Status include(const Field& field, const Json& value, Dynamic dynamic, std::size_t scopes) {
    std::vector<Scope> inner;
    for (; scopes_.size() > scopes; scopes_.pop_back()) inner.push_back(std::move(scopes_.back()));
    flattens_ = true;
    const Status walked = walk_object(value, field.name, dynamic);
    flattens_ = false;
    for (; !inner.empty(); inner.pop_back()) scopes_.push_back(std::move(inner.back()));
    return walked;
  }
  Status walk_included(const Field& field, const Json& value, Dynamic dynamic) {
    return field.include_in_parent ? walk_object(value, field.name, dynamic) : ok_status();
  }

  Status walk_objects(const Field& field, const Json& value, Dynamic dynamic) {
    if (value.is_null()) return ok_status();
    if (value.is_object()) return walk_object(value, field.name, dynamic);
    if (value.is_array()) {
      for (const Json& element : value.as_array())
        CAIRN_CHECK(walk_objects(field, element, dynamic));
      return ok_status();
    }
    return document_parsing(at(field.name) + "object mapping for [" + field.name +
                            "] tried to parse field [" + leaf(field.name) +
                            "] as object, but found a concrete value");
  }

  static std::string leaf(const std::string& path) { return path.substr(path.rfind('.') + 1); }
  std::string at(std::string_view path) const { return position_of(doc_.source, path) + " "; }

  // A field that the mapping does not have. Its values are read in the next pass, with a mapping
  // that has it.
  Status add_unknown(const std::string& path, const Json& value, Dynamic dynamic) {
    CAIRN_TRY(const bool is_object, learn_unknown(path, value, dynamic));
    return is_object ? walk_unknown(path, value, dynamic) : ok_status();
  }

  // Whether an object of that path is new, so that what lies below it counts. The first value of a
  // field says what it is; limits are asked before anything is gathered.
  Result<bool> learn_unknown(const std::string& path, const Json& value, Dynamic dynamic) {
    if (dynamic == Dynamic::no || mapping_.is_runtime(path)) return false;
    if (const auto known = learnt_.find(path); known != learnt_.end()) return known->second;
    CAIRN_TRY(const DynamicField found, dynamic_field(mapping_, path, value, dynamic, limits_));
    const Json& made = found.made;
    if (made.is_null()) return false;  // only nulls: nothing to learn
    if (dynamic == Dynamic::strict) {
      const std::string above = object_above(path);
      Error error = strict_mapping(above.empty() ? "_doc" : above, leaf(path));
      error.message = at(path) + error.message;
      return error;
    }
    // Objects are none of their own where all that is new has its values when a search asks.
    const bool is_plain_object = made.string_or("type") == "object" && !found.is_of_template;
    if (dynamic == Dynamic::runtime && is_plain_object) return true;
    CAIRN_CHECK(limits_.check_path(path));
    if (found.is_runtime) return learn_runtime(path, made);
    const Json* multi = made.find("fields");
    new_fields_ += 1 + (multi != nullptr && multi->is_object() ? multi->as_object().size() : 0);
    CAIRN_CHECK(limits_.check_count(mapping_.size() + new_fields_, new_fields_));
    change_.merge(path, made);
    const std::string type = made.string_or("type");
    const bool is_object = type == "object" || type == "nested";
    learnt_.emplace(path, is_object);
    return is_object;
  }

  // No value of it is indexed.
  Result<bool> learn_runtime(const std::string& path, const Json& made) {
    ++new_fields_;
    CAIRN_CHECK(limits_.check_count(mapping_.size() + new_fields_, new_fields_));
    runtime_change_.emplace_back(path, made);
    learnt_.emplace(path, false);
    return false;
  }

  // What lies below a new object is found in the same pass.
  Status walk_unknown(const std::string& path, const Json& value, Dynamic dynamic) {
    if (value.is_object()) return walk_object(value, path, dynamic);
    if (!value.is_array()) return ok_status();
    for (const Json& element : value.as_array()) CAIRN_CHECK(walk_unknown(path, element, dynamic));
    return ok_status();
  }

  FieldValues& slot(const Field& field) {
    Scope& scope = scopes_.back();
    const auto [at, is_new] = scope.slots.try_emplace(&field, scope.fields->size());
    if (is_new) scope.fields->push_back({.field = &field});
    return (*scope.fields)[at->second];
  }

  Status fail(const std::string& path, Error cause) const {
    Error error = document_parsing(at(path) + "failed to parse", std::move(cause));
    return error;
  }

  Status fail_value(const Field& field, const Json& value, Error cause) const {
    return failed_value(field.name, name_of(field.declared_type()), value, std::move(cause));
  }

  Status failed_value(const std::string& path, std::string_view type, const Json& value,
                      Error cause) const {
    const std::string shown = preview(value.is_string() ? value.as_string() : value.dump());
    return document_parsing(at(path) + "failed to parse field [" + path + "] of type [" +
                                std::string(type) + "] in document with id '" + doc_.id +
                                "'. Preview of field's value: '" + shown + "'",
                            std::move(cause));
  }

  static std::string preview(std::string_view text) {
    if (text.size() <= 50) return std::string(text);
    return std::string(text.substr(0, valid_utf8_prefix(text.substr(0, 50)))) + "...";
  }

  Status add_values(const Field& field, const Json& value) {
    if (field.type == FieldType::dense_vector) return add_vector(field, value);
    if (field.type == FieldType::sparse_vector && field.features != Features::one)
      return add_weights(field, value);
    if (value.is_array()) {
      for (const Json& element : value.as_array()) CAIRN_CHECK(add_values(field, element));
      return ok_status();
    }
    if (field.type == FieldType::completion && value.is_object())
      return add_weighted_inputs(field, value);
    if (value.is_null() && field.null_value.is_null()) return ok_status();
    if (value.is_null() && field.type == FieldType::token_count) return add_usual_count(field);
    return add_scalar(field, value.is_null() ? field.null_value : value, true);
  }

  // A value of the field itself, of its multi-fields and of the fields that it is copied to.
  Status add_scalar(const Field& field, const Json& value, bool copy) {
    if (value.is_object())
      return fail_value(field, value,
                        illegal_argument("Can't get text on a START_OBJECT, expected a value"));
    CAIRN_CHECK(add_own(field, value));
    for (const Field* multi : mapping_.multi_fields(field)) CAIRN_CHECK(add_own(*multi, value));
    if (!copy || flattens_) return ok_status();
    for (const std::string& target : field.copy_to) {
      const Field* to = mapping_.find_mapped(target);
      if (to == nullptr) {
        CAIRN_CHECK(add_unknown(target, value, mapping_.dynamic_of(object_above(target))));
      } else if (to->type != FieldType::object) {
        CAIRN_CHECK(copy_value(field, *to, value));
      }
    }
    return ok_status();
  }

  // To the object that the target is in, which is this one or one around it.
  Status copy_value(const Field& field, const Field& to, const Json& value) {
    const Field* nested = mapping_.nested_above(to.name);
    std::size_t scope = scopes_.size();
    while (scope > 0 && scopes_[scope - 1].field != nested) --scope;
    if (scope == 0)
      return fail_value(field, value,
                        illegal_argument("[copy_to] may only copy data to the current nested "
                                         "document or any of its parents, not to [" +
                                         to.name + "]"));
    std::vector<Scope> inner;
    for (; scopes_.size() > scope; scopes_.pop_back()) inner.push_back(std::move(scopes_.back()));
    const Status copied = add_scalar(to, value, false);
    for (; !inner.empty(); inner.pop_back()) scopes_.push_back(std::move(inner.back()));
    return copied;
  }

  Status add_own(const Field& field, const Json& value) {
    limits_.count_steps();
    switch (field.type) {
      case FieldType::text:
        return add_text(field, value);
      case FieldType::keyword:
        return add_keyword(field, value);
      case FieldType::completion:
        return add_inputs(field, value);
      case FieldType::binary:
        return add_binary(field, value);
      case FieldType::semantic_text:
        if (!value.is_string())
          return fail_value(field, value, illegal_argument("[semantic_text] fields take texts"));
        slot(field);
        return ok_status();
      case FieldType::sparse_vector:
        if (field.features == Features::one) return add_feature(field, value);
        [[fallthrough]];
      case FieldType::dense_vector:
      case FieldType::object:
        return fail_value(field, value, illegal_argument("a vector cannot be copied to"));
      default:
        return add_number(field, value);
    }
  }

  Status add_text(const Field& field, const Json& value) {
    FieldValues& values = slot(field);
    if (!field.index) return ok_status();
    text::Tokens& tokens = values.tokens;
    if (tokens.positions > 0) tokens.positions += field.position_increment_gap;
    const std::string rendered = value.is_string() ? std::string() : value.dump();
    const std::size_t before = tokens.list.size();
    field.index_analysis->analyze(value.is_string() ? value.as_string() : rendered, tokens);
    for (std::size_t i = before; i < tokens.list.size(); ++i) {
      limits_.count_steps();
      if (tokens.list[i].term_size > term_bytes_max)
        return fail_value(field, value, immense_term(field));
    }
    return ok_status();
  }

  Status add_keyword(const Field& field, const Json& value) {
    auto term = exact_term(field, value);
    if (!term) return fail_value(field, value, std::move(term).error());
    if (field.ignore_above &&
        count_characters(*term) > static_cast<std::size_t>(*field.ignore_above))
      return leave_out(field);
    if (term->size() > term_bytes_max) return fail_value(field, value, immense_term(field));
    slot(field).terms.push_back(std::move(*term));
    return ok_status();
  }

  // {"input": ..., "weight": ...}: what it says is its own; its multi-fields have the inputs.
  Status add_weighted_inputs(const Field& field, const Json& value) {
    CAIRN_CHECK(add_inputs(field, value));
    const Json* input = value.find("input");
    for (const Field* multi : mapping_.multi_fields(field))
      for (const Json& one : input->is_array() ? input->as_array() : Json::Array{*input})
        CAIRN_CHECK(add_own(*multi, one));
    return ok_status();
  }

  Status add_inputs(const Field& field, const Json& value) {
    auto inputs = read_completion(field, value);
    if (!inputs) return fail_value(field, value, std::move(inputs).error());
    for (const CompletionInput& input : *inputs) {
      auto paths = completion_paths(field, *field.index_analysis, input.text);
      if (!paths) return fail_value(field, value, std::move(paths).error());
      limits_.count_steps(paths->size());
      for (const std::string& path : *paths) {
        std::string term = completion_term(path, input);
        if (term.size() > term_bytes_max) return fail_value(field, value, immense_term(field));
        slot(field).terms.push_back(std::move(term));
      }
    }
    return ok_status();
  }

  // The document says of itself which of its fields have a value that is not indexed.
  Status leave_out(const Field& field) {
    ignored_.insert(field.name);
    return ok_status();
  }

  // What stands for null is no text whose words are counted.
  Status add_usual_count(const Field& field) {
    CAIRN_TRY(const std::int64_t count, column_value(field, field.null_value));
    slot(field).numbers.push_back(count);
    return ok_status();
  }

  // Only the source keeps it.
  Status add_binary(const Field& field, const Json& value) {
    if (!value.is_string() || !from_base64(value.as_string()))
      return fail_value(field, value, illegal_argument("[binary] fields take base64 texts"));
    slot(field);
    return ok_status();
  }

  Status add_number(const Field& field, const Json& value) {
    auto number = document_number(field, value);
    if (!number) {
      if (field.ignore_malformed) return leave_out(field);
      return fail_value(field, value, std::move(number).error());
    }
    FieldValues& values = slot(field);
    values.numbers.push_back(*number);
    if (field.type == FieldType::boolean) values.terms.emplace_back(*number != 0 ? "T" : "F");
    return ok_status();
  }

  Status add_vector(const Field& field, const Json& value) {
    if (value.is_null()) return ok_status();
    std::vector<float> vector;
    CAIRN_CHECK(read_vector(field, value, vector));
    const std::size_t dims = vector.size() * (field.bit_elements ? 8 : 1);
    if (field.dims == 0) return learn_dims(field, dims);
    if (vector.size() != field.vector_elements())
      return fail_value(
          field, value,
          illegal_argument("The [dense_vector] field [" + field.name +
                           "] in doc [document with id '" + doc_.id +
                           "'] has a different number of dimensions [" + std::to_string(dims) +
                           "] than defined in the mapping [" + std::to_string(field.dims) + "]"));
    auto checked = checked_vector(field, std::move(vector));
    if (!checked) return fail_value(field, value, std::move(checked).error());
    slot(field).vector = std::move(*checked);
    return ok_status();
  }

  // Bytes and bits may come as hexadecimal digits.
  Status read_vector(const Field& field, const Json& value, std::vector<float>& out) {
    const auto wrong = [&](const Json& what, const char* wanted) {
      return fail_value(field, what, illegal_argument(wanted));
    };
    if (value.is_string() && field.byte_elements) {
      const auto bytes = from_hex(value.as_string());
      if (!bytes)
        return wrong(value, "a text of a [dense_vector] has two hexadecimal digits for each byte");
      for (const char byte : *bytes) out.push_back(static_cast<signed char>(byte));
      return ok_status();
    }
    if (!value.is_array()) return wrong(value, "a [dense_vector] is a list of numbers");
    for (const Json& element : value.as_array()) {
      if (!element.is_number()) return wrong(element, "a [dense_vector] is a list of numbers");
      out.push_back(static_cast<float>(element.as_double()));
    }
    return ok_status();
  }

  Status learn_dims(const Field& field, std::size_t dims) {
    if (dims == 0 || dims > (field.bit_elements ? 4096 * 8 : 4096))
      return document_parsing(at(field.name) + "failed to parse field [" + field.name + "]",
                              illegal_argument("The number of dimensions should be in the range "
                                               "[1, 4096] but was [" +
                                               std::to_string(dims) + "]"));
    Json learnt = field.given;
    learnt.set("dims", static_cast<std::int64_t>(dims));
    change_.merge(field.name, learnt);
    return ok_status();
  }

  // What queries of a feature score by: the value, or where less is better what it divides 1 into.
  static std::optional<float> kept_feature(const Field& field, double value) {
    const auto w = static_cast<float>(value);
    if (!(w >= std::numeric_limits<float>::min()) || !std::isfinite(w)) return std::nullopt;
    return field.positive_score_impact ? w : 1 / w;
  }

  Status add_feature(const Field& field, const Json& value) {
    std::optional<double> number;
    if (value.is_number()) number = value.as_double();
    if (value.is_string()) number = parse_number<double>(trim(value.as_string()));
    const auto kept = number ? kept_feature(field, *number) : std::nullopt;
    if (!kept)
      return fail_value(field, value,
                        illegal_argument("featureValue must be a positive normal float, got: " +
                                         preview(value.dump()) + " for feature " + field.name));
    FieldValues& values = slot(field);
    if (!values.weights.empty())
      return fail_value(field, value,
                        illegal_argument("[rank_feature] fields do not support indexing multiple "
                                         "values for the same field [" +
                                         field.name + "] in the same document"));
    values.weights.emplace_back(one_feature_term, *kept);
    return ok_status();
  }

  Status add_weights(const Field& field, const Json& value) {
    if (value.is_null()) return ok_status();
    const std::string type(name_of(field.declared_type()));
    const bool features = field.features == Features::many;
    const auto wrong = [&](std::string why) {
      return fail_value(field, value, illegal_argument("[" + type + "] fields " + std::move(why)));
    };
    if (!value.is_object()) return wrong("must be json objects: tokens with their weights");
    FieldValues& values = slot(field);
    for (const auto& [token, weight] : value.as_object()) {
      if (!weight.is_number())
        return wrong(
            "take hashes that map a feature to a strictly positive float, but got "
            "unexpected value [" +
            weight.dump() + "] for [" + token + "]");
      const auto w = static_cast<float>(weight.as_double());
      if (!(w > 0) || !std::isfinite(w))
        return wrong("only support positive values, got [" + weight.dump() + "] for [" + token +
                     "]");
      if (token.empty() || token.size() > term_bytes_max)
        return wrong("have tokens of 1 to 32766 bytes");
      if (features && token.find('.') != std::string::npos)
        return wrong("do not support dots in feature names but found [" + token + "]");
      const auto kept = features ? kept_feature(field, weight.as_double()) : std::optional(w);
      if (!kept)
        return wrong("only support positive normal floats, got [" + weight.dump() + "] for [" +
                     token + "]");
      values.weights.emplace_back(token, *kept);
    }
    return ok_status();
  }

  // Every semantic field with a text must have come with its embeddings, and they must fit.
  Status check_semantic() {
    std::unordered_map<std::string_view, const SemanticValue*> given;
    for (const SemanticValue& value : doc_.semantic) given[value.field] = &value;
    for (FieldValues& values : doc_.fields) {
      if (values.field->type != FieldType::semantic_text) continue;
      const auto found = given.find(values.field->name);
      if (found != given.end()) values.semantic = found->second;
      if (values.semantic == nullptr)
        return illegal_argument("field [" + values.field->name +
                                "] of type [semantic_text] has come without its embeddings");
      CAIRN_CHECK(check_model(*values.field, *values.semantic));
    }
    return ok_status();
  }

  Status check_model(const Field& field, const SemanticValue& given) {
    if (!field.model_settings) {
      Json learnt = field.given;
      learnt.set("model_settings", given.model_settings.to_json());
      change_.merge(field.name, learnt);
      return ok_status();
    }
    const ModelSettings& known = *field.model_settings;
    if (known.task_type != given.model_settings.task_type ||
        known.dimensions != given.model_settings.dimensions ||
        (known.task_type == "text_embedding" &&
         known.similarity != given.model_settings.similarity))
      return document_parsing(
          at(field.name) + "failed to parse field [" + field.name + "] of type [semantic_text]",
          illegal_argument("Incompatible model settings for field [" + field.name +
                           "]. Check that the inference_id is not using different model settings"));
    for (const SemanticChunk& chunk : given.chunks) {
      const bool dense = known.task_type == "text_embedding";
      const bool fits = dense ? chunk.dense.size() == static_cast<std::size_t>(known.dimensions)
                              : chunk.dense.empty();
      if (!fits)
        return illegal_argument("an embedding of field [" + field.name + "] has " +
                                std::to_string(chunk.dense.size()) + " dimensions, not " +
                                std::to_string(known.dimensions));
    }
    return ok_status();
  }

  /// The document itself, or an object of a nested field: where values go.
  struct Scope {
    const Field* field = nullptr;  // null: the document
    std::vector<FieldValues>* fields = nullptr;
    std::vector<NestedObject>* nested = nullptr;
    std::unordered_map<const Field*, std::size_t> slots = {};  // in `fields`
  };

  ParsedDocument& doc_;
  const Mapping& mapping_;
  const MappingLimits& limits_;
  MappingTree change_;
  Json::Object runtime_change_;
  std::size_t new_fields_ = 0;
  std::set<std::string> ignored_;
  std::unordered_map<std::string, bool> learnt_;  // new fields: whether they are objects
  std::vector<Scope> scopes_;                     // the innermost last
  std::size_t nested_objects_ = 0;
  bool flattens_ = false;  // what is walked has been walked as an object of its own
};

}  // namespace

namespace {

// As a mapping has them; null for no change.
Json change_of(const MappingTree& fields, const Json::Object& runtime) {
  Json out = fields.to_json();
  if (!runtime.empty()) out.set("runtime", Json(runtime));
  return out;
}

}  // namespace

Result<ParsedDocument> parse_document(std::string_view id, std::string source,
                                      std::vector<SemanticValue> semantic,
                                      std::shared_ptr<const Mapping> mapping,
                                      const DocumentLimits& limits) {
  if (source.size() > limits.bytes)
    return Error{.kind = ErrorKind::too_large,
                 .code = "illegal_argument_exception",
                 .message = "a document of " + std::to_string(source.size()) +
                            " bytes is over the limit of " + std::to_string(limits.bytes)};
  auto root = parse_json(source, {.unique_names = !limits.metadata});
  if (!root) return document_parsing("failed to parse", std::move(root).error());
  if (!root->is_object())
    return document_parsing("[1:1] failed to parse: a document must be an object");
  ParsedDocument doc;
  doc.id = id;
  doc.source = std::move(source);
  doc.semantic = std::move(semantic);
  MappingTree change;
  Json::Object runtime;
  // Each pass may meet fields that the one before could not see (dims, then vectors).
  for (int pass = 0;; ++pass) {
    doc.fields.clear();
    doc.nested.clear();
    Walker walker(doc, *mapping, limits.mapping);
    if (!limits.metadata) CAIRN_CHECK(walker.check_no_metadata(*root));
    CAIRN_CHECK(walker.walk(*root));
    if ((walker.change().empty() && walker.runtime_change().empty()) || pass == 4) break;
    CAIRN_TRY(mapping,
              mapping->merged(change_of(walker.change(), walker.runtime_change()), limits.mapping));
    change.merge(walker.change());
    runtime.insert(runtime.end(), walker.runtime_change().begin(), walker.runtime_change().end());
  }
  doc.mapping_change = change_of(change, runtime);
  doc.mapping = std::move(mapping);
  return doc;
}

Status keep_routing(ParsedDocument& document, const std::string& routing) {
  if (routing.empty()) return ok_status();
  const Field& field = *metadata_field(routing_field_name);
  if (routing.size() > term_bytes_max) return immense_term(field);
  FieldValues values{.field = &field};
  values.terms.push_back(routing);
  document.fields.push_back(std::move(values));
  return ok_status();
}

Status check_timestamp(const ParsedDocument& document) {
  if (!document.mapping->timestamp_required()) return ok_status();
  std::size_t values = 0;
  for (const FieldValues& one : document.fields)
    if (one.field->name == timestamp_field_name) values += one.numbers.size();
  if (values == 1) return ok_status();
  const std::string fault = "data stream timestamp field [@timestamp] " +
                            std::string(values == 0 ? "is missing" : "encountered multiple values");
  return document_parsing("[1:1] failed to parse: " + fault, illegal_argument(fault));
}

std::string position_of(std::string_view source, std::string_view path) {
  std::size_t at = 0;
  // Follows the members in order of their first appearance; good enough to point a person there.
  for (const auto piece : split(path, '.')) {
    std::string key;
    append_json_string(key, piece);
    const auto found = source.find(key, at);
    if (found == std::string_view::npos) break;
    at = found + key.size();
    while (at < source.size() && (source[at] == ' ' || source[at] == ':')) ++at;
  }
  const std::string_view before = source.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? at + 1 : at - start;
  return "[" + std::to_string(line) + ":" + std::to_string(column) + "]";
}

}  // namespace cairn::index
