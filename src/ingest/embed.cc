// SPDX-License-Identifier: Apache-2.0
// One round over a batch: gather chunks by endpoint, embed them, hand them back.
#include "ingest/embed.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "base/strings.h"
#include "index/document/semantic_texts.h"
#include "text/chunker.h"

namespace cairn::ingest {
namespace {

using index::Field;

/// One chunk that waits for its embedding, and where that goes.
struct Place {
  std::size_t operation;
  std::size_t value;  // in `semantic` of the operation
  std::size_t chunk;  // in its `chunks`
  std::string text;
};

struct FieldPlan {
  text::ChunkingSettings chunking;
  index::ModelSettings model;
};

Error field_error(const Field& field, Error cause) {
  return {.kind = cause.kind,
          .code = "inference_exception",
          .message = "Exception when running inference id [" + field.inference_id + "] on field [" +
                     field.name + "]",
          .cause = std::make_shared<const Error>(std::move(cause))};
}

class Batch {
 public:
  Batch(std::span<index::WriteOperation> operations, inference::Service& inference,
        const Options& options)
      : operations_(operations),
        inference_(inference),
        options_(options),
        errors_(operations.size()) {}

  void gather(const index::Mapping& mapping, const os::Deadline& deadline) {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      index::WriteOperation& operation = operations_[i];
      if (operation.kind == index::WriteOperation::Kind::remove) continue;
      if (Status in_time = deadline.check("cutting texts into chunks"); !in_time.ok()) {
        errors_[i] = std::move(in_time).error();
        continue;
      }
      const auto document = parse_json(operation.source);
      if (!document) continue;
      operation.semantic.clear();
      for (const auto& found : index::semantic_texts(*document, mapping))
        if (const Status cut = add_field(i, found, deadline); !cut.ok()) {
          errors_[i] = field_error(*found.field, cut.error());
          break;
        }
    }
  }

  void run(const os::Deadline& deadline) {
    for (auto& [endpoint, places] : places_)
      for (std::size_t at = 0; at < places.size(); at += options_.texts_per_request) {
        const std::size_t count = std::min(options_.texts_per_request, places.size() - at);
        embed_some(endpoint, std::span(places).subspan(at, count), deadline);
      }
  }

  std::vector<std::optional<Error>> take_errors() { return std::move(errors_); }

 private:
  Status add_field(std::size_t operation, const index::SemanticTexts& found,
                   const os::Deadline& deadline) {
    CAIRN_TRY(const FieldPlan* plan, plan_of(*found.field));
    auto& semantic = operations_[operation].semantic;
    semantic.push_back({.field = found.field->name, .model_settings = plan->model, .chunks = {}});
    for (std::size_t input = 0; input < found.texts.size(); ++input) {
      const std::string& text = found.texts[input];
      if (trim(text).empty()) continue;  // nothing to embed
      CAIRN_TRY(const auto pieces, text::chunk(text, plan->chunking, deadline));
      for (const text::Chunk& piece : pieces) {
        auto& chunks = semantic.back().chunks;
        places_[found.field->inference_id].push_back(
            {operation, semantic.size() - 1, chunks.size(),
             text.substr(piece.begin, piece.end - piece.begin)});
        chunks.push_back({.input = static_cast<std::uint32_t>(input),
                          .start = static_cast<std::uint32_t>(piece.begin),
                          .end = static_cast<std::uint32_t>(piece.end)});
      }
    }
    return ok_status();
  }

  Result<const FieldPlan*> plan_of(const Field& field) {
    if (const auto known = plans_.find(&field); known != plans_.end()) return &known->second;
    CAIRN_TRY(const inference::Endpoint endpoint, inference_.get_endpoint(field.inference_id));
    using inference::TaskType;
    const bool dense = endpoint.task == TaskType::text_embedding;
    if (!dense && endpoint.task != TaskType::sparse_embedding)
      return Error{.kind = ErrorKind::invalid_argument,
                   .code = "illegal_argument_exception",
                   .message =
                       "Wrong [task_type], expected text_embedding or sparse_embedding but "
                       "inference endpoint [" +
                       field.inference_id + "] has " +
                       std::string(inference::name_of(endpoint.task))};
    FieldPlan plan;
    plan.chunking = endpoint.chunking_settings.value_or(text::ChunkingSettings{});
    if (!field.chunking_settings.is_null()) {
      CAIRN_TRY(plan.chunking, text::parse_chunking_settings(field.chunking_settings));
    }
    plan.model.service = endpoint.service;
    plan.model.task_type = inference::name_of(endpoint.task);
    if (dense) {
      plan.model.dimensions = static_cast<std::int64_t>(endpoint.dimensions);
      plan.model.similarity = endpoint.similarity;
      // Bits are searched as numbers of either sign, which compare alike.
      const bool bytes = endpoint.element_type == inference::ElementType::byte;
      plan.model.element_type = bytes ? "byte" : "float";
    }
    return &plans_.emplace(&field, std::move(plan)).first->second;
  }

  void embed_some(const std::string& endpoint, std::span<Place> places,
                  const os::Deadline& deadline) {
    inference::InferRequest request{.inference_id = endpoint,
                                    .input_type = inference::InputType::ingest};
    for (const Place& place : places)
      if (!errors_[place.operation]) request.input.push_back(place.text);
    if (request.input.empty()) return;
    auto result = inference_.infer(request, deadline);
    std::size_t at = 0;
    for (Place& place : places) {
      if (errors_[place.operation]) continue;
      index::SemanticValue& value = operations_[place.operation].semantic[place.value];
      if (!result) {
        Field field;
        field.name = value.field;
        field.inference_id = endpoint;
        errors_[place.operation] = field_error(field, result.error());
        continue;
      }
      keep(*result, at++, value, value.chunks[place.chunk]);
    }
  }

  static void keep(inference::InferResult& result, std::size_t at, index::SemanticValue& value,
                   index::SemanticChunk& chunk) {
    if (result.task == inference::TaskType::sparse_embedding) {
      chunk.sparse = std::move(result.sparse[at].weights);
      return;
    }
    chunk.dense = std::move(result.dense[at]);
    // An endpoint whose model was never loaded does not know yet.
    if (value.model_settings.dimensions == 0)
      value.model_settings.dimensions = static_cast<std::int64_t>(chunk.dense.size());
    if (value.model_settings.similarity.empty()) value.model_settings.similarity = "cosine";
  }

  std::span<index::WriteOperation> operations_;
  inference::Service& inference_;
  const Options& options_;
  std::vector<std::optional<Error>> errors_;
  std::map<const Field*, FieldPlan> plans_;
  std::map<std::string, std::vector<Place>> places_;  // by endpoint
};

}  // namespace

std::vector<std::optional<Error>> embed(std::span<index::WriteOperation> operations,
                                        const index::Mapping& mapping,
                                        inference::Service& inference, const Options& options,
                                        const os::Deadline& deadline) {
  Batch batch(operations, inference, options);
  if (!mapping.semantic_fields().empty()) {
    batch.gather(mapping, deadline);
    batch.run(deadline);
  }
  return batch.take_errors();
}

}  // namespace cairn::ingest
