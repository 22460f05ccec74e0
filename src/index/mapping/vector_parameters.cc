// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/vector_parameters.h"

#include <algorithm>
#include <array>
#include <string>

#include "index/errors.h"
#include "index/mapping/parameter_values.h"
#include "index/mapping/values.h"

namespace cairn::index {
namespace {

constexpr std::int64_t most_dims = 4096;
constexpr std::int64_t byte_bits = 8;

Status check_dims(std::int64_t dims, std::int64_t most) {
  if (dims >= 1 && dims <= most) return ok_status();
  return mapper_parsing("The number of dimensions should be in the range [1, " +
                        std::to_string(most) + "] but was [" + std::to_string(dims) + "]");
}

/// Bits are compared by how many of them differ, each with each.
Status complete_bits(Field& field) {
  if (field.dims != 0) CAIRN_CHECK(check_dims(field.dims, most_dims * byte_bits));
  if (field.dims % byte_bits != 0)
    return mapper_parsing("dims must be a multiple of [8] for element_type [bit] but was [" +
                          std::to_string(field.dims) + "]");
  if (field.given.find("similarity") != nullptr && field.similarity != Similarity::l2_norm)
    return mapper_parsing(
        "The [l2_norm] similarity is the only supported similarity for bit vectors");
  if (const Json* options = field.given.find("index_options"); options != nullptr) {
    const std::string kind = options->is_object() ? options->string_or("type") : "";
    if (kind != "hnsw" && kind != "flat")
      return mapper_parsing("[element_type] cannot be [bit] when using index type [" + kind +
                            "]: use hnsw or flat");
  }
  field.similarity = Similarity::l2_norm;
  field.exact_vectors = true;
  return ok_status();
}

}  // namespace

Status check_vector_index(const Field& field, const Json& options) {
  static constexpr std::array known = {"hnsw",      "int8_hnsw", "int4_hnsw", "bbq_hnsw", "flat",
                                       "int8_flat", "int4_flat", "bbq_flat",  "bbq_disk"};
  static constexpr std::array parameters = {"type", "m", "ef_construction", "confidence_interval",
                                            "rescore_vector"};
  if (!options.is_object()) return mapper_parsing("[index_options] must be an object");
  const Json* type = options.find("type");
  if (type == nullptr || !type->is_string())
    return mapper_parsing("[index_options] of [" + field.name +
                          "] requires field [type] to be configured");
  if (std::find(known.begin(), known.end(), type->as_string()) == known.end())
    return mapper_parsing("Unknown vector index options type [" + type->as_string() +
                          "] for field [" + field.name + "]");
  for (const auto& [name, value] : options.as_object()) {
    if (name == "rescore_vector") {
      const Json* times = value.is_object() ? value.find("oversample") : nullptr;
      if (times == nullptr || !times->is_number() || !is_oversample(times->as_double()))
        return mapper_parsing("[rescore_vector] of [index_options] of field [" + field.name +
                              "] needs [oversample]: 0, or a number from 1 to 10");
    }
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end())
      return mapper_parsing("unknown parameter [" + name + "] in [index_options] of field [" +
                            field.name + "]");
  }
  return ok_status();
}

bool is_oversample(double times) { return times == 0 || (times >= 1 && times <= 10); }

void read_vector_index(Field& field, const Json& options) {
  if (!options.is_object()) return;
  const std::string type = options.string_or("type", "");
  field.exact_vectors = !field.index || type.ends_with("flat");
  const Json* times = options.find_path("rescore_vector.oversample");
  if (times != nullptr && times->is_number())
    field.oversample = static_cast<float>(times->as_double());
}

Status read_vector_parameter(Field& field, const std::string& name, const Json& value,
                             bool is_kept) {
  if (name == "dims") {
    CAIRN_TRY(field.dims, read_int(value, name));
    return field.dims < 1 ? check_dims(field.dims, most_dims) : ok_status();
  }
  if (name == "similarity") {
    CAIRN_TRY(const auto text, read_text(value, name));
    const auto similarity = similarity_of(text);
    if (!similarity)
      return mapper_parsing("Unknown value [" + text +
                            "] for field [similarity] - accepted values are [cosine, "
                            "dot_product, l2_norm, max_inner_product]");
    field.similarity = *similarity;
  } else if (name == "element_type") {
    CAIRN_TRY(const auto text, read_text(value, name));
    if (text != "float" && text != "byte" && text != "bit")
      return mapper_parsing("invalid element_type [" + text +
                            "]; available types are [bit, byte, float]");
    field.bit_elements = text == "bit";
    field.byte_elements = text != "float";
  } else if (name == "index_options") {
    if (!is_kept) CAIRN_CHECK(check_vector_index(field, value));
    read_vector_index(field, value);
  } else if (name == "index") {
    field.exact_vectors = field.exact_vectors || !field.index;
  }
  return ok_status();
}

Status complete_vector(Field& field) {
  if (field.bit_elements) return complete_bits(field);
  return field.dims == 0 ? ok_status() : check_dims(field.dims, most_dims);
}

}  // namespace cairn::index
