// SPDX-License-Identifier: Apache-2.0
// Names of tasks and input types, and the calls of a model that cannot do a task.
#include "inference/model/model.h"

#include <array>

#include "base/strings.h"
#include "inference/model/model_source.h"

namespace cairn::inference {
namespace {

constexpr std::array<std::pair<TaskType, std::string_view>, 5> task_names{{
    {TaskType::sparse_embedding, "sparse_embedding"},
    {TaskType::text_embedding, "text_embedding"},
    {TaskType::rerank, "rerank"},
    {TaskType::completion, "completion"},
    {TaskType::chat_completion, "chat_completion"},
}};

constexpr std::array<std::pair<InputType, std::string_view>, 5> input_names{{
    {InputType::unspecified, "unspecified"},
    {InputType::search, "search"},
    {InputType::ingest, "ingest"},
    {InputType::classification, "classification"},
    {InputType::clustering, "clustering"},
}};

Error cannot(const Model& model, TaskType task) {
  return Error{.kind = ErrorKind::unsupported,
               .message = "Model [" + model.model_id() + "] does not support task type [" +
                          std::string(name_of(task)) + "]."};
}

}  // namespace

Result<FileBytes> ModelFiles::weights(std::string_view name) const {
  if (map) return map(name);
  CAIRN_TRY(std::string bytes, read(name));
  return FileBytes(std::move(bytes));
}

std::string_view name_of(TaskType task) {
  for (const auto& [value, name] : task_names) {
    if (value == task) return name;
  }
  return "unknown";
}

bool gives_texts(TaskType task) {
  return task == TaskType::completion || task == TaskType::chat_completion;
}

std::optional<TaskType> task_type_of(std::string_view name) {
  for (const auto& [value, known] : task_names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string_view name_of(InputType type) {
  for (const auto& [value, name] : input_names) {
    if (value == type) return name;
  }
  return "unknown";
}

std::optional<InputType> input_type_of(std::string_view name) {
  for (const auto& [value, known] : input_names) {
    if (equals_ignore_case(known, name)) return value;
  }
  return std::nullopt;
}

Result<std::vector<std::vector<float>>> Model::embed(std::span<const std::string>, InputType,
                                                     const os::Deadline&) const {
  return cannot(*this, TaskType::text_embedding);
}

Result<std::vector<SparseVector>> Model::sparse(std::span<const std::string>, InputType,
                                                const os::Deadline&) const {
  return cannot(*this, TaskType::sparse_embedding);
}

Result<std::vector<RerankScore>> Model::rerank(const std::string&, std::span<const std::string>,
                                               const os::Deadline&) const {
  return cannot(*this, TaskType::rerank);
}

Result<QuotedText> Model::quote(std::span<const SaidText>, const os::Deadline&) const {
  return cannot(*this, TaskType::completion);
}

Result<bool> ModelSource::holds(std::string_view, const os::Deadline&) { return true; }

void ModelSource::fetch(std::string_view, FetchWatcher watcher) { watcher.done(ok_status()); }

Result<bool> ModelSource::remove(std::string_view model_id, const os::Deadline&) {
  return Error{.kind = ErrorKind::unsupported,
               .message = "model [" + std::string(model_id) + "] cannot be removed"};
}

}  // namespace cairn::inference
