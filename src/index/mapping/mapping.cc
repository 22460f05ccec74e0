// SPDX-License-Identifier: Apache-2.0
// Looking fields up, and writing a mapping as JSON. Reading is in mapping_reader.cc.
#include "index/mapping/mapping.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "index/errors.h"
#include "index/mapping/mapping_tree.h"

namespace cairn::index {
namespace {

struct TypeName {
  FieldType type;
  std::string_view name;
};
constexpr std::array type_names = {
    TypeName{FieldType::text, "text"},
    TypeName{FieldType::keyword, "keyword"},
    TypeName{FieldType::byte, "byte"},
    TypeName{FieldType::short_, "short"},
    TypeName{FieldType::integer, "integer"},
    TypeName{FieldType::long_, "long"},
    TypeName{FieldType::half_float, "half_float"},
    TypeName{FieldType::float_, "float"},
    TypeName{FieldType::double_, "double"},
    TypeName{FieldType::scaled_float, "scaled_float"},
    TypeName{FieldType::token_count, "token_count"},
    TypeName{FieldType::boolean, "boolean"},
    TypeName{FieldType::date, "date"},
    TypeName{FieldType::dense_vector, "dense_vector"},
    TypeName{FieldType::sparse_vector, "sparse_vector"},
    TypeName{FieldType::semantic_text, "semantic_text"},
    TypeName{FieldType::search_as_you_type, "search_as_you_type"},
    TypeName{FieldType::rank_feature, "rank_feature"},
    TypeName{FieldType::rank_features, "rank_features"},
    TypeName{FieldType::completion, "completion"},
    TypeName{FieldType::binary, "binary"},
    TypeName{FieldType::object, "object"},
    TypeName{FieldType::nested, "nested"},
};

// Every member of a document is looked up by its path, so paths are kept short.
constexpr std::size_t path_bytes_max = 8191;

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// Enough of a long name to know it by.
std::string shortened(std::string_view name) {
  constexpr std::size_t shown = 128;
  if (name.size() <= shown) return std::string(name);
  return std::string(name.substr(0, valid_utf8_prefix(name.substr(0, shown)))) + "...";
}

constexpr std::string_view sort_script_names = "_script/";

constexpr std::array similarity_names = {"cosine", "dot_product", "l2_norm", "max_inner_product"};

std::string_view parent_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

}  // namespace

std::string_view name_of(FieldType type) {
  for (const TypeName& known : type_names)
    if (known.type == type) return known.name;
  return "object";
}

std::optional<FieldType> field_type_of(std::string_view name) {
  for (const TypeName& known : type_names)
    if (known.name == name) return known.type;
  return std::nullopt;
}

bool is_whole_number(FieldType type) {
  return type == FieldType::byte || type == FieldType::short_ || type == FieldType::integer ||
         type == FieldType::long_ || type == FieldType::token_count;
}

bool is_number(FieldType type) {
  return is_whole_number(type) || type == FieldType::half_float || type == FieldType::float_ ||
         type == FieldType::double_ || type == FieldType::scaled_float;
}

std::string_view name_of(Similarity similarity) {
  return similarity_names[static_cast<std::size_t>(similarity)];
}

std::optional<Similarity> similarity_of(std::string_view name) {
  for (std::size_t i = 0; i < similarity_names.size(); ++i)
    if (name == similarity_names[i]) return static_cast<Similarity>(i);
  return std::nullopt;
}

Json ModelSettings::to_json() const {
  Json out = Json::object();
  if (!service.empty()) out.set("service", service);
  out.set("task_type", task_type);
  if (task_type != "text_embedding") return out;
  out.set("dimensions", dimensions);
  out.set("similarity", similarity);
  out.set("element_type", element_type);
  return out;
}

Result<ModelSettings> ModelSettings::parse(const Json& json, std::string_view field) {
  const auto wrong = [&](const std::string& why) {
    return mapper_parsing("Failed to parse [model_settings] of field [" + std::string(field) +
                          "]: " + why);
  };
  if (!json.is_object()) return wrong("not an object");
  ModelSettings out{.service = json.string_or("service"), .task_type = json.string_or("task_type")};
  if (out.task_type == "sparse_embedding") return out;
  if (out.task_type != "text_embedding")
    return wrong("Wrong [task_type], expected text_embedding or sparse_embedding, got " +
                 out.task_type);
  out.dimensions = json.int_or("dimensions");
  out.similarity = json.string_or("similarity", "cosine");
  out.element_type = json.string_or("element_type", "float");
  if (out.dimensions < 1 || out.dimensions > 4096)
    return wrong("required [dimensions] field is missing or not in 1 to 4096");
  if (!similarity_of(out.similarity)) return wrong("unknown [similarity] " + out.similarity);
  if (out.element_type != "float" && out.element_type != "byte")
    return wrong("unknown [element_type] " + out.element_type);
  return out;
}

const Field* metadata_field(std::string_view name) {
  const auto keyword = [](std::string_view own_name) {
    Field field{.name = std::string(own_name), .type = FieldType::keyword};
    field.norms = false;
    field.index_options = IndexOptions::docs;
    field.given = Json::object({{"type", "keyword"}});
    return field;
  };
  static const Field ignored = keyword(ignored_field_name);
  static const Field routing = keyword(routing_field_name);
  if (name == ignored_field_name) return &ignored;
  return name == routing_field_name ? &routing : nullptr;
}

Mapping::Mapping() = default;

const Field* Mapping::find(std::string_view name) const {
  if (!runtime_.empty())
    if (const auto found = runtime_.find(name); found != runtime_.end()) return found->second.get();
  return find_mapped(name);
}

const Field* Mapping::find_mapped(std::string_view name) const {
  const auto found = fields_.find(name);
  return found == fields_.end() ? metadata_field(name) : found->second.get();
}

bool Mapping::is_runtime(std::string_view name) const {
  return !runtime_.empty() && runtime_.find(name) != runtime_.end();
}

std::shared_ptr<const Mapping> Mapping::with_runtime(std::vector<Field> fields) const {
  auto out = std::make_shared<Mapping>(*this);
  for (Field& field : fields) {
    std::string name = field.name;
    out->runtime_[std::move(name)] = std::make_shared<const Field>(std::move(field));
  }
  return out;
}

// Both are by name. The scripts of sort keys are asked for by their own names alone.
template <class Takes>
std::vector<const Field*> Mapping::chosen(Takes takes) const {
  std::vector<const Field*> out;
  auto runtime = runtime_.begin();
  const auto runtime_before = [&](const std::string* name) {
    for (; runtime != runtime_.end() && (name == nullptr || runtime->first < *name); ++runtime)
      if (!runtime->first.starts_with(sort_script_names) && takes(*runtime->second))
        out.push_back(runtime->second.get());
  };
  for (const auto& [name, field] : fields_) {
    if (!runtime_.empty()) runtime_before(&name);
    const bool is_hidden = runtime != runtime_.end() && runtime->first == name;
    if (!is_hidden && field->type != FieldType::object && takes(*field)) out.push_back(field.get());
  }
  runtime_before(nullptr);
  return out;
}

std::vector<const Field*> Mapping::fields() const {
  return chosen([](const Field&) { return true; });
}

const Field* Mapping::nested_above(std::string_view path) const {
  if (nested_count_ == 0) return nullptr;
  for (path = parent_of(path); !path.empty(); path = parent_of(path)) {
    const Field* field = find_mapped(path);
    if (field != nullptr && field->is_nested) return field;
  }
  return nullptr;
}

std::vector<const Field*> Mapping::match(std::string_view pattern) const {
  return chosen([&](const Field& field) { return wildcard_match(pattern, field.name); });
}

std::vector<const Field*> Mapping::semantic_fields() const {
  std::vector<const Field*> out;
  for (const auto& [name, field] : fields_)
    if (field->type == FieldType::semantic_text) out.push_back(field.get());
  return out;
}

std::vector<const Field*> Mapping::multi_fields(const Field& field) const {
  std::vector<const Field*> out;
  const std::string prefix = field.name + ".";
  for (auto at = fields_.lower_bound(prefix); at != fields_.end(); ++at) {
    if (!at->first.starts_with(prefix)) break;
    if (at->second->is_multi_field && at->second->value_path() == field.name)
      out.push_back(at->second.get());
  }
  return out;
}

Dynamic Mapping::dynamic_of(std::string_view object_path) const {
  for (std::string_view path = object_path; !path.empty(); path = parent_of(path)) {
    const Field* field = find_mapped(path);
    if (field != nullptr && field->dynamic) return *field->dynamic;
  }
  return dynamic_;
}

Json Mapping::to_json() const {
  Json out = root_;
  if (!runtime_.empty()) {
    Json::Object runtime;
    for (const auto& [name, field] : runtime_) runtime.emplace_back(name, field->given);
    out.set("runtime", Json(std::move(runtime)));
  }
  MappingTree tree;
  for (const auto& [path, field] : fields_) {
    if (field->is_derived) continue;
    Json shown = field->given;
    if (field->type == FieldType::object) {
      // An object shows its type only where nothing else says that it is one; a nested one shows
      // its own.
      const auto below = fields_.lower_bound(path + ".");
      if (!field->is_nested && (below == fields_.end() || !below->first.starts_with(path + ".")))
        shown.set("type", "object");
    }
    tree.set(path, std::move(shown), field->is_multi_field);
  }
  if (tree.empty()) return out;
  Json properties = tree.to_json();
  out.set("properties", std::move(*properties.find("properties")));
  return out;
}

MappingLimits MappingLimits::kept() {
  MappingLimits out(SIZE_MAX);
  out.depth = out.name_length = out.nested_fields = out.nested_objects = SIZE_MAX;
  out.is_kept = true;
  return out;
}

Status MappingLimits::check_path(std::string_view path) const {
  if (is_kept) return ok_status();
  if (static_cast<std::size_t>(std::count(path.begin(), path.end(), '.')) >= depth) {
    std::size_t end = 0;
    for (std::size_t pieces = 0; pieces < depth; ++pieces) end = path.find('.', end) + 1;
    return illegal_argument("Limit of mapping depth [" + std::to_string(depth) +
                            "] has been exceeded due to object field [" +
                            shortened(path.substr(0, end - 1)) + "]");
  }
  for (std::size_t at = 0; at <= path.size();) {
    const auto dot = std::min(path.find('.', at), path.size());
    const std::string_view name = path.substr(at, dot - at);
    if (name.size() > name_length && characters_in(name) > name_length)
      return illegal_argument("Field name [" + shortened(name) + "] is longer than the limit of [" +
                              std::to_string(name_length) + "] characters");
    at = dot + 1;
  }
  if (path.size() > path_bytes_max)
    return illegal_argument("the path of field [" + shortened(path) + "] is longer than [" +
                            std::to_string(path_bytes_max) + "] bytes");
  return ok_status();
}

Status MappingLimits::check_count(std::size_t count, std::size_t added) const {
  if (added == 0 || count <= fields) return ok_status();
  return illegal_argument("Limit of total fields [" + std::to_string(fields) +
                          "] has been exceeded while adding new fields [" + std::to_string(added) +
                          "]");
}

Json merge_mapping_json(const Json& base, const Json& change) {
  if (!base.is_object() || !change.is_object()) return change;
  Json out = base;
  for (const auto& [name, value] : change.as_object()) {
    const Json* old = base.find(name);
    out.set(name, old == nullptr ? value : merge_mapping_json(*old, value));
  }
  return out;
}

}  // namespace cairn::index
