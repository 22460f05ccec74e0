// SPDX-License-Identifier: Apache-2.0
// Reading a mapping from JSON, new or as a change to one that is there.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/errors.h"
#include "index/mapping/as_you_type.h"
#include "index/mapping/dynamic_fields.h"
#include "index/mapping/field_parameters.h"
#include "index/mapping/mapping.h"
#include "index/mapping/parameter_checks.h"
#include "index/mapping/parameter_values.h"
#include "index/mapping/runtime_field.h"
#include "index/mapping/vector_parameters.h"

namespace cairn::index {
namespace {

constexpr std::size_t copies_max = 256;           // targets of a copy_to
constexpr std::int64_t input_length_max = 1'000;  // of completion fields
constexpr std::size_t format_bytes_max = 1024;    // every date of the field tries all of it

Result<Dynamic> read_dynamic(const Json& value) {
  if (value.is_bool()) return value.as_bool() ? Dynamic::yes : Dynamic::no;
  const std::string text = value.is_string() ? value.as_string() : value.dump();
  if (text == "true") return Dynamic::yes;
  if (text == "false") return Dynamic::no;
  if (text == "strict") return Dynamic::strict;
  if (text == "runtime") return Dynamic::runtime;
  return mapper_parsing("No enum constant for [dynamic]: [" + text +
                        "]; use true, false, strict or runtime");
}

}  // namespace

/// Builds a mapping: starts from one, reads a change into it.
class MappingReader {
 public:
  MappingReader(const Mapping& base, const MappingLimits& limits)
      : mapping_(std::make_shared<Mapping>(base)), limits_(limits), is_update_(true) {
    limits_.count_steps(mapping_->size());
  }
  MappingReader(const text::Analyzers& analyzers, const MappingLimits& limits)
      : mapping_(std::make_shared<Mapping>()), limits_(limits) {
    mapping_->analyzers_ = analyzers;
  }

  Result<std::shared_ptr<const Mapping>> read(const Json& json) {
    if (json.is_null()) return std::shared_ptr<const Mapping>(mapping_);
    if (!json.is_object()) return mapper_parsing("a mapping must be an object");
    for (const auto& [name, value] : json.as_object()) {
      if (name == "properties") {
        CAIRN_CHECK(read_properties(value, ""));
      } else if (name == "runtime") {
        CAIRN_CHECK(read_runtime(value));
      } else {
        CAIRN_CHECK(read_root(name, value));
      }
    }
    if (!limits_.is_kept) CAIRN_CHECK(check_copies());
    if (mapping_->timestamp_required_) CAIRN_CHECK(check_timestamp());
    return std::shared_ptr<const Mapping>(mapping_);
  }
  bool changed() const { return changed_; }

 private:
  // One that is there is replaced whole; null takes it away.
  Status read_runtime(const Json& fields) {
    if (!fields.is_object())
      return mapper_parsing("[runtime] of a mapping must be an object of runtime fields");
    for (const auto& [name, value] : fields.as_object()) {
      limits_.count_steps();
      if (value.is_null()) {
        if (!is_update_)
          return mapper_parsing("Runtime field [" + name +
                                "] was set to null but its removal is not supported in this "
                                "context");
        changed_ = mapping_->runtime_.erase(name) > 0 || changed_;
        continue;
      }
      auto& place = mapping_->runtime_[name];
      if (place != nullptr && place->given == value) continue;
      if (place == nullptr && !limits_.is_kept) {
        CAIRN_CHECK(check_runtime_name(name));
        CAIRN_CHECK(limits_.check_path(name));
      }
      CAIRN_TRY(Field field, read_runtime_field(name, value, limits_));
      if (place == nullptr) CAIRN_CHECK(limits_.check_count(mapping_->size(), ++added_));
      place = std::make_shared<const Field>(std::move(field));
      changed_ = true;
    }
    return ok_status();
  }

  Status read_root(const std::string& name, const Json& value) {
    Mapping& m = *mapping_;
    if (name == "dynamic") {
      CAIRN_TRY(m.dynamic_, read_dynamic(value));
    } else if (name == "date_detection") {
      CAIRN_TRY(m.date_detection_, read_bool(value, name));
    } else if (name == "numeric_detection") {
      CAIRN_TRY(m.numeric_detection_, read_bool(value, name));
    } else if (name == "dynamic_date_formats") {
      CAIRN_TRY(m.dynamic_date_formats_, read_texts(value, name));
      if (!limits_.is_kept) CAIRN_CHECK(check_dynamic_rules({}, m.dynamic_date_formats_));
      for (const auto& format : m.dynamic_date_formats_) CAIRN_CHECK(DateFormat::parse(format));
    } else if (name == "dynamic_templates") {
      if (!value.is_array()) return mapper_parsing("[dynamic_templates] must be a list");
      if (!limits_.is_kept) CAIRN_CHECK(check_dynamic_rules(value, {}));
      m.dynamic_templates_ = value;
    } else if (name == "_source") {
      if (!value.bool_or("enabled", true))
        return mapper_parsing("[_source] cannot be disabled: updates and snapshots need it");
      if (!limits_.is_kept) CAIRN_CHECK(check_source(value));
    } else if (name == "_routing") {
      CAIRN_CHECK(read_routing(value));
    } else if (name == "_data_stream_timestamp") {
      CAIRN_CHECK(read_timestamp(value));
    } else if (name != "_meta") {
      return mapper_parsing("Root mapping definition has unsupported parameters:  [" + name +
                            " : " + value.dump() + "]");
    }
    if (set_given(m.root_, name, value)) changed_ = true;
    return ok_status();
  }

  Status read_routing(const Json& value) {
    if (!value.is_object()) return mapper_parsing("[_routing] must be an object");
    const bool before = mapping_->routing_required_;
    for (const auto& [name, given] : value.as_object()) {
      if (name != "required")
        return mapper_parsing("unknown parameter [" + name + "] on metadata field [_routing]");
      CAIRN_TRY(mapping_->routing_required_, read_bool(given, name));
    }
    // Documents that are there were written without.
    if (!is_update_ || mapping_->routing_required_ == before) return ok_status();
    const auto shown = [](bool required) { return std::string(required ? "true" : "false"); };
    return illegal_argument(
        "Mapper for [_routing] conflicts with existing mapper:\n\tCannot update parameter "
        "[required] from [" +
        shown(before) + "] to [" + shown(!before) + "]");
  }

  Status read_timestamp(const Json& value) {
    if (!value.is_object()) return mapper_parsing("[_data_stream_timestamp] must be an object");
    const bool before = mapping_->timestamp_required_;
    for (const auto& [name, given] : value.as_object()) {
      if (name != "enabled")
        return mapper_parsing("unknown parameter [" + name +
                              "] on metadata field [_data_stream_timestamp]");
      CAIRN_TRY(mapping_->timestamp_required_, read_bool(given, name));
    }
    if (!before || mapping_->timestamp_required_) return ok_status();
    return illegal_argument(
        "Mapper for [_data_stream_timestamp] conflicts with existing mapper:\n\tCannot update "
        "parameter [enabled] from [true] to [false]");
  }

  Status check_timestamp() const {
    const Field* field = own(timestamp_field_name);
    if (field == nullptr)
      return illegal_argument("data stream timestamp field [@timestamp] does not exist");
    if (field->type != FieldType::date)
      return illegal_argument("data stream timestamp field [@timestamp] is of type [" +
                              std::string(name_of(field->type)) +
                              "], but [date,date_nanos] is expected");
    if (field->index && field->doc_values && !field->ignore_malformed) return ok_status();
    return illegal_argument(
        "data stream timestamp field [@timestamp] has disallowed attributes: it is indexed, has "
        "doc_values, and takes no malformed values");
  }

  // Whether that is a change.
  static bool set_given(Json& given, const std::string& name, const Json& value) {
    const Json* old = given.find(name);
    if (old != nullptr && *old == value) return false;
    given.set(name, value);
    return true;
  }

  // The recursion through objects is as deep as the path has pieces, which make_parents bounds.
  Status read_properties(const Json& properties, const std::string& parent) {
    if (!properties.is_object())
      return mapper_parsing("Expected map for property [properties] on field [" + parent +
                            "] but got [" + properties.dump() + "]");
    for (const auto& [name, value] : properties.as_object()) {
      CAIRN_TRY(const std::string path, make_parents(parent, name));
      if (!value.is_object())
        return mapper_parsing("Expected map for property [fields] on field [" + name +
                              "] but got a " + (value.is_string() ? "String" : value.dump()));
      CAIRN_CHECK(read_field(path, value));
    }
    return ok_status();
  }

  // "a.b" below `parent`: objects for all but the last piece. Gives the full path.
  Result<std::string> make_parents(const std::string& parent, const std::string& name) {
    for (const auto piece : split(name, '.'))
      if (trim(piece).empty())
        return illegal_argument(name.empty()
                                    ? "field name cannot be an empty string"
                                    : "field name cannot contain only whitespace: [" + name + "]");
    const std::string path = parent.empty() ? name : parent + "." + name;
    limits_.count_steps();
    if (own(path) != nullptr) return path;
    CAIRN_CHECK(limits_.check_path(path));
    for (auto dot = path.find('.', parent.size() + 1); dot != std::string::npos;
         dot = path.find('.', dot + 1))
      CAIRN_CHECK(read_object(path.substr(0, dot), Json::object(), false));
    return path;
  }

  Status read_field(const std::string& path, const Json& json) {
    const Json* type_json = json.find("type");
    std::string type_name = "object";
    if (type_json != nullptr) {
      CAIRN_TRY(type_name, read_text(*type_json, "type"));
    } else if (json.find("properties") == nullptr && json.find("dynamic") == nullptr &&
               json.find("enabled") == nullptr && own(path) == nullptr &&
               !json.as_object().empty()) {
      return mapper_parsing("No type specified for field [" + path + "]");
    }
    const auto type = field_type_of(type_name);
    if (!type)
      return mapper_parsing("No handler for type [" + type_name + "] declared on field [" +
                            leaf(path) + "]");
    if (*type == FieldType::object) return read_object(path, json, type_json != nullptr);
    if (*type == FieldType::nested) return read_nested(path, json);
    return read_leaf(path, *type, json, false);
  }

  static std::string leaf(const std::string& path) { return path.substr(path.rfind('.') + 1); }

  Status check_same_type(const std::string& path, FieldType type) {
    const Field* old = own(path);
    if (old == nullptr || old->declared_type() == type) return ok_status();
    if (old->type == FieldType::object && type != FieldType::nested)
      return illegal_argument("can't merge a non object mapping [" + path +
                              "] with an object mapping");
    return illegal_argument(
        "mapper [" + path + "] cannot be changed from type [" +
        std::string(name_of(old->declared_type())) + "] to [" +
        (type == FieldType::object ? "ObjectMapper" : std::string(name_of(type))) + "]");
  }

  Status read_nested(const std::string& path, const Json& json) {
    const Field* old = own(path);
    if (old != nullptr && old->type == FieldType::object && !old->is_nested)
      return illegal_argument("object mapping [" + path +
                              "] can't be changed from non-nested to nested");
    CAIRN_CHECK(check_same_type(path, FieldType::nested));
    Field field = old != nullptr ? *old : Field{.name = path, .given = Json::object()};
    field.is_nested = true;
    field.given.set("type", "nested");
    if (old == nullptr && ++mapping_->nested_count_ > limits_.nested_fields)
      return illegal_argument("Limit of nested fields [" + std::to_string(limits_.nested_fields) +
                              "] has been exceeded");
    return read_members(std::move(field), json);
  }

  // What adds fields to one that is nested need not say again that it is.
  Status read_object(const std::string& path, const Json& json, bool is_declared) {
    const Field* old = own(path);
    if (old != nullptr && old->is_nested) {
      if (!is_declared) return read_members(*old, json);
      return illegal_argument("object mapping [" + path +
                              "] can't be changed from nested to non-nested");
    }
    CAIRN_CHECK(check_same_type(path, FieldType::object));
    return read_members(old != nullptr ? *old : Field{.name = path, .given = Json::object()}, json);
  }

  // The parameters of an object, and the fields in it.
  Status read_members(Field field, const Json& json) {
    const std::string path = field.name;
    bool changed = own(path) == nullptr;
    for (const auto& [name, value] : json.as_object()) {
      if (name == "properties") continue;
      if (!is_object_parameter(name, field.is_nested))
        return mapper_parsing("unknown parameter [" + name + "] on mapper [" + leaf(path) +
                              "] of type [" + std::string(name_of(field.declared_type())) + "]");
      if (name == "dynamic") {
        CAIRN_TRY(field.dynamic, read_dynamic(value));
      } else if (name == "enabled") {
        CAIRN_TRY(const bool enabled, read_bool(value, name));
        if (field.given.find("enabled") != nullptr && enabled != field.enabled)
          return illegal_argument(
              "the [enabled] parameter can't be updated for the object mapping [" + path + "]");
        field.enabled = enabled;
      } else if (name != "type") {
        CAIRN_CHECK(read_inclusion(field, name, value));
      }
      if (name != "type" && set_given(field.given, name, value)) changed = true;
    }
    if (changed) CAIRN_CHECK(keep(std::move(field)));
    const Json* properties = json.find("properties");
    return properties == nullptr ? ok_status() : read_properties(*properties, path);
  }

  // Documents that are there keep where their values went.
  Status read_inclusion(Field& field, const std::string& name, const Json& value) const {
    CAIRN_TRY(const bool included, read_bool(value, name));
    bool& kept = name == "include_in_root" ? field.include_in_root : field.include_in_parent;
    if (own(field.name) != nullptr && kept != included)
      return mapper_parsing("the [" + name + "] parameter can't be updated on a nested object " +
                            "mapping");
    kept = included;
    return ok_status();
  }

  // A field of this mapping; metadata is none.
  const Field* own(std::string_view path) const {
    const auto found = mapping_->fields_.find(path);
    return found == mapping_->fields_.end() ? nullptr : found->second.get();
  }

  // Puts a field in the place of the one of its name, or adds it where the limit allows one more.
  Status keep(Field field) {
    std::string path = field.name;
    auto& place = mapping_->fields_[std::move(path)];
    if (place == nullptr) CAIRN_CHECK(limits_.check_count(mapping_->size(), ++added_));
    place = std::make_shared<const Field>(std::move(field));
    changed_ = true;
    return ok_status();
  }

  Status read_leaf(const std::string& path, FieldType type, const Json& json, bool multi) {
    CAIRN_CHECK(check_same_type(path, type));
    const Field* old = own(path);
    Field fresh{.name = path, .type = type};
    fresh.is_multi_field = multi;
    if (multi) fresh.value_field = path.substr(0, path.rfind('.'));
    if (type == FieldType::search_as_you_type) {
      fresh.type = FieldType::text;
      fresh.shingles = usual_shingles;
    }
    if (type == FieldType::rank_feature || type == FieldType::rank_features) {
      fresh.type = FieldType::sparse_vector;
      fresh.features = type == FieldType::rank_feature ? Features::one : Features::many;
    }
    fresh.given = Json::object({{"type", std::string(name_of(type))}});
    for (const auto& [name, value] : json.as_object()) {
      if (!is_allowed(type, name) || (multi && name == "copy_to"))
        return mapper_parsing("unknown parameter [" + name + "] on mapper [" + leaf(path) +
                              "] of type [" + std::string(name_of(type)) + "]");
      if (name == "type" || name == "fields") continue;
      if (value.is_null())
        return mapper_parsing("[" + name + "] on mapper [" + leaf(path) + "] of type [" +
                              std::string(name_of(type)) + "] must not have a [null] value");
      CAIRN_CHECK(read_parameter(fresh, name, value));
      fresh.given.set(name, value);
    }
    CAIRN_CHECK(complete(fresh));
    if (old != nullptr) CAIRN_CHECK(carry_over(*old, fresh));
    if (old == nullptr || !(old->given == fresh.given)) {
      if (fresh.shingles > 0)
        for (Field& part : as_you_type_parts(fresh)) CAIRN_CHECK(keep(std::move(part)));
      CAIRN_CHECK(keep(std::move(fresh)));
    }
    const Json* fields = json.find("fields");
    return fields == nullptr ? ok_status() : read_multi_fields(path, *fields, multi);
  }

  Status read_multi_fields(const std::string& path, const Json& fields, bool nested) {
    if (!fields.is_object() || nested)
      return mapper_parsing("[fields] of [" + path +
                            "] must be an object, and cannot have [fields] of its own");
    for (const auto& [name, value] : fields.as_object()) {
      if (name.find('.') != std::string::npos || name.empty())
        return mapper_parsing("Field name [" + name + "] which is a multi field of [" + leaf(path) +
                              "] cannot contain '.'");
      const Json* type_json = value.find("type");
      if (type_json == nullptr || !type_json->is_string())
        return mapper_parsing("No type specified for field [" + name + "]");
      const auto type = field_type_of(type_json->as_string());
      if (!type || *type == FieldType::object || *type == FieldType::nested ||
          *type == FieldType::semantic_text || *type == FieldType::dense_vector ||
          *type == FieldType::sparse_vector || *type == FieldType::rank_features)
        return mapper_parsing("Type [" + type_json->as_string() +
                              "] cannot be used in multi field [" + name + "]");
      const std::string below = path + "." + name;
      if (own(below) == nullptr) CAIRN_CHECK(limits_.check_path(below));
      CAIRN_CHECK(read_leaf(below, *type, value, true));
    }
    return ok_status();
  }

  // What an update leaves out stays only where it was learnt from documents; all else must be the
  // same or updatable.
  Status carry_over(const Field& old, Field& fresh) {
    for (const char* learnt : {"dims", "model_settings"}) {
      const Json* value = old.given.find(learnt);
      if (value != nullptr && fresh.given.find(learnt) == nullptr) fresh.given.set(learnt, *value);
    }
    if (fresh.dims == 0) fresh.dims = old.dims;
    if (!fresh.model_settings) fresh.model_settings = old.model_settings;
    std::set<std::string> all;
    for (const auto& [name, value] : old.given.as_object()) all.insert(name);
    for (const auto& [name, value] : fresh.given.as_object()) all.insert(name);
    for (const std::string& name : all) {
      const Json* before = old.given.find(name);
      const Json* after = fresh.given.find(name);
      if ((name == "dims" || name == "model_settings") && before == nullptr) continue;
      const bool same = before != nullptr && after != nullptr && *before == *after;
      if (same || is_updatable(fresh.declared_type(), name) || is_default(old, fresh, name))
        continue;
      const auto shown = [](const Json* value) {
        if (value == nullptr) return std::string("default");
        return value->is_string() ? value->as_string() : value->dump();
      };
      return illegal_argument("Mapper for [" + fresh.name +
                              "] conflicts with existing mapper:\n\tCannot update parameter [" +
                              name + "] from [" + shown(before) + "] to [" + shown(after) + "]");
    }
    return ok_status();
  }

  // Written out on one side only, but meaning the same.
  static bool is_default(const Field& a, const Field& b, const std::string& name) {
    if (name == "analyzer") return a.analyzer == b.analyzer;
    if (name == "index") return a.index == b.index;
    if (name == "doc_values") return a.doc_values == b.doc_values;
    if (name == "similarity") return a.similarity == b.similarity;
    if (name == "scaling_factor") return a.scaling_factor == b.scaling_factor;
    if (name == "enable_position_increments") return a.counts_gaps == b.counts_gaps;
    if (name == "element_type") return a.element_type() == b.element_type();
    if (name == "format") return a.format == b.format;
    if (name == "index_options") return a.index_options == b.index_options;
    if (name == "position_increment_gap")
      return a.position_increment_gap == b.position_increment_gap;
    if (name == "store") return a.stored == b.stored;
    if (name == "positive_score_impact") return a.positive_score_impact == b.positive_score_impact;
    if (name == "max_shingle_size") return a.shingles == b.shingles;
    return name == "inference_id" && a.inference_id == b.inference_id;
  }

  Status read_parameter(Field& field, const std::string& name, const Json& value) {
    if (name == "index") {
      CAIRN_CHECK(assign(field.index, read_bool(value, name)));
      return field.type == FieldType::dense_vector
                 ? read_vector_parameter(field, name, value, limits_.is_kept)
                 : ok_status();
    }
    if (name == "doc_values") return assign(field.doc_values, read_bool(value, name));
    if (name == "norms") return assign(field.norms, read_bool(value, name));
    if (name == "store") return assign(field.stored, read_bool(value, name));
    if (name == "ignore_malformed") return assign(field.ignore_malformed, read_bool(value, name));
    if (name == "positive_score_impact")
      return assign(field.positive_score_impact, read_bool(value, name));
    if (name == "coerce") return assign(field.coerce, read_bool(value, name));
    if (name == "copy_to") return read_copies(field, value);
    if (name == "scaling_factor") return read_scaling_factor(field, value);
    if (name == "enable_position_increments")
      return assign(field.counts_gaps, read_bool(value, name));
    if (name == "null_value") return assign(field.null_value, Result<Json>(value));
    if (name == "ignore_above") {
      CAIRN_TRY(field.ignore_above, read_int(value, name));
      if (*field.ignore_above < 0)
        return mapper_parsing("[ignore_above] must be positive, got [" + value.dump() + "]");
      return ok_status();
    }
    if (name == "position_increment_gap") {
      CAIRN_TRY(const auto gap, read_int(value, name));
      if (gap < 0 || gap > 1'000'000) return mapper_parsing("[position_increment_gap] is too wide");
      field.position_increment_gap = static_cast<std::uint32_t>(gap);
      return ok_status();
    }
    if (name == "format") {
      CAIRN_TRY(field.format, read_text(value, name));
      if (!limits_.is_kept && field.format.size() > format_bytes_max)
        return mapper_parsing("[format] of [" + field.name + "] is longer than [" +
                              std::to_string(format_bytes_max) + "] bytes");
      auto format = DateFormat::parse(field.format);
      if (!format) return mapper_parsing("[" + field.name + "]: " + format.error().message);
      return ok_status();
    }
    if (name == "locale") return limits_.is_kept ? ok_status() : check_locale(field, value);
    if (field.type == FieldType::text) return read_text_parameter(field, name, value);
    if (field.type == FieldType::keyword && name == "normalizer") {
      CAIRN_TRY(field.normalizer, read_text(value, name));
      return ok_status();
    }
    if (field.type == FieldType::dense_vector)
      return read_vector_parameter(field, name, value, limits_.is_kept);
    if (field.type == FieldType::semantic_text) return read_semantic_parameter(field, name, value);
    if (field.type == FieldType::completion) return read_completion_parameter(field, name, value);
    if (field.type == FieldType::token_count && name == "analyzer")
      return assign(field.analyzer, read_text(value, name));
    return ok_status();  // kept as given; means nothing to how Cairn stores things
  }

  static Status read_scaling_factor(Field& field, const Json& value) {
    const auto factor = value.is_string()   ? parse_number<double>(value.as_string())
                        : value.is_number() ? std::optional(value.as_double())
                                            : std::nullopt;
    if (!factor || !std::isfinite(*factor) || *factor <= 0)
      return mapper_parsing("Field [scaling_factor] of [" + field.name +
                            "] must be a positive number, got [" +
                            (value.is_string() ? value.as_string() : value.dump()) + "]");
    field.scaling_factor = *factor;
    return ok_status();
  }

  // Every value of the field goes to each of them.
  Status read_copies(Field& field, const Json& value) {
    CAIRN_TRY(auto targets, read_texts(value, "copy_to"));
    std::set<std::string_view> seen;
    for (const std::string& target : targets)
      if (seen.insert(target).second) field.copy_to.push_back(target);
    if (!limits_.is_kept && field.copy_to.size() > copies_max)
      return mapper_parsing("[copy_to] of [" + field.name + "] names more than [" +
                            std::to_string(copies_max) + "] fields");
    return ok_status();
  }

  template <class T, class Value>
  static Status assign(T& to, Result<Value> value) {
    if (!value) return std::move(value).error();
    to = std::move(*value);
    return ok_status();
  }

  Status read_text_parameter(Field& field, const std::string& name, const Json& value) {
    if (name == "max_shingle_size") return read_shingles(field, value);
    if (name == "analyzer") return assign(field.analyzer, read_text(value, name));
    if (name == "search_analyzer") return assign(field.search_analyzer, read_text(value, name));
    if (name == "index_options") {
      CAIRN_TRY(const auto text, read_text(value, name));
      if (text == "docs")
        field.index_options = IndexOptions::docs;
      else if (text == "freqs")
        field.index_options = IndexOptions::freqs;
      else if (text != "positions" && text != "offsets")
        return mapper_parsing("Unknown value [" + text +
                              "] for field [index_options] - accepted values are [docs, freqs, "
                              "positions, offsets]");
    }
    return ok_status();
  }

  Status read_completion_parameter(Field& field, const std::string& name, const Json& value) {
    CompletionRules& rules = field.completion;
    if (name == "analyzer") return assign(field.analyzer, read_text(value, name));
    if (name == "search_analyzer") return assign(field.search_analyzer, read_text(value, name));
    if (name == "preserve_separators") return assign(rules.separators, read_bool(value, name));
    if (name == "preserve_position_increments")
      return assign(rules.increments, read_bool(value, name));
    if (name != "max_input_length") return ok_status();
    CAIRN_TRY(const std::int64_t length, read_int(value, name));
    if (length < 1 || length > input_length_max)
      return mapper_parsing("[max_input_length] must be from 1 to " +
                            std::to_string(input_length_max) + " but was [" +
                            std::to_string(length) + "]");
    rules.input_length = static_cast<std::size_t>(length);
    return ok_status();
  }

  Status read_semantic_parameter(Field& field, const std::string& name, const Json& value) {
    if (name == "inference_id" || name == "search_inference_id") {
      CAIRN_TRY(auto text, read_text(value, name));
      if (text.empty())
        return mapper_parsing("[" + name + "] on mapper [" + leaf(field.name) +
                              "] of type [semantic_text] must not be empty");
      (name == "inference_id" ? field.inference_id : field.search_inference_id) = std::move(text);
    } else if (name == "model_settings") {
      CAIRN_TRY(field.model_settings, ModelSettings::parse(value, field.name));
    } else if (name == "index_options") {
      const Json* dense = value.is_object() ? value.find("dense_vector") : nullptr;
      if (dense == nullptr) return ok_status();
      if (!limits_.is_kept) CAIRN_CHECK(check_vector_index(field, *dense));
      read_vector_index(field, *dense);
    } else if (name == "chunking_settings") {
      if (!value.is_object()) return mapper_parsing("[chunking_settings] must be an object");
      field.chunking_settings = value;
    }
    return ok_status();
  }

  // Looks up what the parameters name, and holds them against each other.
  Status complete(Field& field) {
    if (!limits_.is_kept) CAIRN_CHECK(check_scope(field));
    if (field.type == FieldType::scaled_float && field.scaling_factor == 0)
      return mapper_parsing("Field [scaling_factor] is required on [" + field.name + "]");
    if (!limits_.is_kept && !field.null_value.is_null()) CAIRN_CHECK(check_null_value(field));
    const text::Analyzers& analyzers = mapping_->analyzers_;
    const auto missing = [&](const char* kind, const std::string& name) {
      return mapper_parsing(std::string(kind) + " [" + name +
                            "] has not been configured in mappings");
    };
    if (field.type == FieldType::completion) field.doc_values = field.norms = false;
    if (field.type == FieldType::text || field.type == FieldType::completion) {
      const std::string usual = field.type == FieldType::text ? default_analyzer() : "simple";
      const std::string index_name = field.analyzer.empty() ? usual : field.analyzer;
      const std::string search_name =
          field.search_analyzer.empty() ? index_name : field.search_analyzer;
      field.index_analysis = analyzers.find(index_name);
      field.search_analysis = analyzers.find(search_name);
      if (!field.index_analysis) return missing("analyzer", index_name);
      if (!field.search_analysis) return missing("analyzer", search_name);
    }
    if (field.type == FieldType::token_count) {
      if (field.analyzer.empty())
        return mapper_parsing("Analyzer must be set for field [" + field.name + "] but wasn't.");
      field.index_analysis = analyzers.find(field.analyzer);
      if (!field.index_analysis) return missing("analyzer", field.analyzer);
    }
    if (field.type == FieldType::binary) {
      const Json* doc_values = field.given.find("doc_values");
      if (doc_values != nullptr && field.doc_values)
        return mapper_parsing("[doc_values] of the [binary] field [" + field.name +
                              "] cannot be true: nothing reads them; leave it out");
      field.index = field.doc_values = field.norms = false;
    }
    if (field.type == FieldType::semantic_text && field.inference_id.empty()) {
      field.inference_id = default_inference_id;
      field.given.set("inference_id", std::string(default_inference_id));
    }
    if (field.type == FieldType::keyword) {
      field.norms = false;
      field.index_options = IndexOptions::docs;
      if (!field.normalizer.empty()) {
        field.index_analysis = analyzers.normalizer(field.normalizer);
        if (!field.index_analysis) return missing("normalizer", field.normalizer);
      }
    }
    if (field.type == FieldType::boolean) field.norms = false;
    return field.type == FieldType::dense_vector ? complete_vector(field) : ok_status();
  }

  // What objects of a nested field cannot have.
  Status check_scope(const Field& field) const {
    if (!mapping_->has_nested()) return ok_status();
    const Field* nested = mapping_->nested_above(field.name);
    if (nested != nullptr && field.type == FieldType::semantic_text)
      return mapper_parsing("[semantic_text] field [" + field.name +
                            "] cannot be in the nested field [" + nested->name +
                            "]; a long text is searched piece by piece without");
    return ok_status();
  }

  // Once all fields are known: what is copied to may stand behind what is copied.
  Status check_copies() const {
    if (!mapping_->has_nested()) return ok_status();
    for (const auto& [name, field] : mapping_->fields_) CAIRN_CHECK(check_copies(*field));
    return ok_status();
  }

  Status check_copies(const Field& field) const {
    if (field.copy_to.empty()) return ok_status();
    const Field* nested = mapping_->nested_above(field.name);
    for (const std::string& target : field.copy_to) {
      const Field* to = mapping_->nested_above(target);
      if (to == nullptr || to == nested) continue;
      if (nested != nullptr && nested->name.starts_with(to->name + ".")) continue;
      return mapper_parsing(
          "Illegal combination of [copy_to] and [nested] mappings: [copy_to] may "
          "only copy data to the current nested document or any of its parents, "
          "however one [copy_to] directive is trying to copy data from nested "
          "object [" +
          (nested == nullptr ? "null" : nested->name) + "] to [" + to->name + "]");
    }
    return ok_status();
  }

  // An analyzer named "default" in the settings takes the place of standard.
  std::string default_analyzer() const {
    return mapping_->analyzers_.find("default") != nullptr ? "default" : "standard";
  }

  std::shared_ptr<Mapping> mapping_;
  const MappingLimits& limits_;
  const bool is_update_ = false;
  std::size_t added_ = 0;
  bool changed_ = false;
};

Result<std::shared_ptr<const Mapping>> Mapping::parse(const Json& json, const MappingLimits& limits,
                                                      const text::Analyzers& analyzers) {
  return MappingReader(analyzers, limits).read(json);
}

Result<std::shared_ptr<const Mapping>> Mapping::merged(const Json& change,
                                                       const MappingLimits& limits) const {
  MappingReader reader(*this, limits);
  auto out = reader.read(change);
  if (!out || reader.changed()) return out;
  auto same = weak_from_this().lock();
  return same ? Result<std::shared_ptr<const Mapping>>(std::move(same)) : std::move(out);
}

}  // namespace cairn::index
