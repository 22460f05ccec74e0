// SPDX-License-Identifier: Apache-2.0
// Describing and loading the models of a store.
#include "inference/model/stored_models.h"

#include <algorithm>
#include <utility>

#include "format/json.h"

namespace cairn::inference {

Result<StoredModels::Folder> StoredModels::look_at(const std::string& model_id,
                                                   const os::Deadline& deadline) {
  Folder out;
  CAIRN_CHECK(store::for_each_object(
      store_, model_id + "/", deadline, [&](const store::ObjectInfo& file) -> Status {
        out.size_bytes += file.size_bytes;
        out.modified_ms = std::max(out.modified_ms, file.modified_ms);
        out.version += file.key + "=" + file.etag + "\n";
        return ok_status();
      }));
  return out;
}

std::shared_ptr<StoredModels::Slot> StoredModels::slot_of(const std::string& model_id) {
  const MutexLock lock(mutex_);
  std::shared_ptr<Slot>& slot = slots_[model_id];
  if (slot == nullptr) slot = std::make_shared<Slot>();
  return slot;
}

Result<ModelInfo> StoredModels::describe(std::string_view model_id, const os::Deadline& deadline) {
  const std::string id(model_id);
  CAIRN_TRY(const ModelFiles files, files_.open(id, deadline));
  CAIRN_TRY(const std::string text, files.read("config.json"));
  CAIRN_TRY(const Folder folder, look_at(id, deadline));
  ModelInfo out{.model_id = id, .size_bytes = folder.size_bytes, .created_ms = folder.modified_ms};
  const Result<Json> config = parse_json(text);
  if (!config.ok()) return with_context(config.error(), "config.json of model [" + id + "]");
  out.model_type = config->string_or("model_type");
  out.description = config->string_or("description");
  out.dimensions =
      static_cast<std::size_t>(std::max<std::int64_t>(0, config->int_or("hidden_size")));
  out.similarity = config->string_or("similarity", out.similarity);
  const Json* tasks = config->find("tasks");
  if (tasks == nullptr || !tasks->is_array()) return out;
  for (const Json& name : tasks->as_array()) {
    const auto task = name.is_string() ? task_type_of(name.as_string()) : std::nullopt;
    if (task) out.tasks.push_back(*task);
  }
  return out;
}

Result<std::vector<ModelInfo>> StoredModels::list(const os::Deadline& deadline) {
  CAIRN_TRY(const std::vector<std::string> ids, files_.list(deadline));
  std::vector<ModelInfo> out;
  for (const std::string& id : ids) {
    Result<ModelInfo> info = describe(id, deadline);
    if (info.ok()) {
      out.push_back(std::move(info).value());
    } else if (info.error().kind == ErrorKind::invalid_argument ||
               info.error().kind == ErrorKind::corrupt) {
      out.push_back({.model_id = id, .description = info.error().message});
    } else if (info.error().kind != ErrorKind::not_found) {
      return std::move(info).error();
    }
  }
  return out;
}

Result<std::shared_ptr<const Model>> StoredModels::load(std::string_view model_id,
                                                        const LoadProgress& progress,
                                                        const os::Deadline& deadline) {
  const std::string id(model_id);
  CAIRN_TRY(ModelFiles files, files_.open(id, deadline));
  const std::shared_ptr<Slot> slot = slot_of(id);
  const MutexLock lock(slot->mutex);
  CAIRN_TRY(const Folder folder, look_at(id, deadline));
  if (auto there = slot->model.lock(); there && slot->version == folder.version) return there;
  std::uint64_t loaded = 0;
  progress(0, folder.size_bytes);
  const auto read = std::move(files.read);
  files.read = [&](std::string_view name) -> Result<std::string> {
    CAIRN_TRY(std::string bytes, read(name));
    loaded += bytes.size();
    progress(std::min(loaded, folder.size_bytes), folder.size_bytes);
    return bytes;
  };
  CAIRN_TRY(std::shared_ptr<const Model> model, load_model(files));
  slot->version = folder.version;
  slot->model = model;
  return model;
}

}  // namespace cairn::inference
