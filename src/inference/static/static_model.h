// SPDX-License-Identifier: Apache-2.0
// Models of model_type cairn-static: tables and small nets instead of layers; microseconds a text.
#pragma once

#include <memory>

#include "base/result.h"
#include "format/json.h"
#include "inference/model/model.h"
#include "inference/static/static_reranker.h"
#include "inference/static/static_tables.h"
#include "text/tokenizer.h"

namespace cairn::inference {

/// A static model before it is wrapped into a Model, for the program that measures models.
/// `tables.vectors` lies in `weights_file`.
struct StaticParts {
  std::string model_id;
  std::vector<TaskType> tasks;  // with those of add_quoting_tasks()
  std::size_t max_input_tokens = 0;
  std::size_t most_expansions = 0;
  std::string weights_file;
  text::Tokenizer tokenizer;
  StaticTables tables;
  RerankNet reranker;
};

/// A model that reranks also answers completions and chats, by quoting: adds those tasks. False: it
/// does not.
bool add_quoting_tasks(std::vector<TaskType>& tasks);

/// Reads and checks the files. Errors: as of load_model.
Result<std::unique_ptr<const StaticParts>> load_static_parts(const ModelFiles& files,
                                                             const Json& config);

Result<std::shared_ptr<const Model>> load_static_model(const ModelFiles& files, const Json& config);

}  // namespace cairn::inference
