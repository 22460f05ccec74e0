// SPDX-License-Identifier: Apache-2.0
// Describing and loading the models of a store.
#include "inference/model/stored_models.h"

#include <algorithm>
#include <utility>

#include "format/json.h"
#include "os/log.h"

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

Status StoredModels::take_turn(const std::string& model_id, Slot& slot,
                               const os::Deadline& deadline) {
  MutexLock lock(mutex_);
  if (!os::wait(turn_ended_, lock, deadline, [&] { return !slot.in_turn; }))
    return deadline.check("waiting until model [" + model_id + "] is loaded");
  slot.in_turn = true;
  return ok_status();
}

StoredModels::Turn::~Turn() {
  const MutexLock lock(models_.mutex_);
  slot_.in_turn = false;
  models_.turn_ended_.notify_all();
}

Result<ModelInfo> StoredModels::describe(std::string_view model_id, const os::Deadline& deadline) {
  const std::string id(model_id);
  CAIRN_TRY(const ModelFiles files, files_.open(id, deadline));
  CAIRN_TRY(ModelInfo out, info_of(files));
  CAIRN_TRY(const Folder folder, look_at(id, deadline));
  out.size_bytes = folder.size_bytes;
  out.created_ms = folder.modified_ms;
  return out;
}

Result<bool> StoredModels::remove(std::string_view model_id, const os::Deadline& deadline) {
  const std::string id(model_id);
  const std::shared_ptr<Mutex> turn = turns_.of(id);
  if (!turn->try_lock()) {
    return Error{.kind = ErrorKind::conflict,
                 .message = "Model [" + id + "] is being put in place; try again when it is there"};
  }
  Result<bool> removed = remove_files(id, deadline);
  turn->unlock();
  return removed;
}

Result<bool> StoredModels::remove_files(const std::string& model_id, const os::Deadline& deadline) {
  CAIRN_TRY(const bool removed, files_.remove(model_id, deadline));
  if (packing_.files != nullptr) {
    const Status status = packing_.files->remove(model_id);
    if (!status.ok()) {  // the next start removes them
      os::log(os::LogLevel::warn, "inference", "packed weights of a removed model stay",
              {{"model", model_id}, {"error", status.error().message}});
    }
  }
  return removed;
}

Result<ModelInfo> info_of(const ModelFiles& files) {
  CAIRN_TRY(const std::string text, files.read("config.json"));
  ModelInfo out{.model_id = files.model_id};
  const Result<Json> config = parse_json(text);
  if (!config.ok()) {
    return with_context(config.error(), "config.json of model [" + files.model_id + "]");
  }
  out.model_type = config->string_or("model_type");
  out.description = config->string_or("description");
  Result<ModelTraits> traits = traits_of_model(files, text);
  if (!traits.ok() && traits.error().kind == ErrorKind::unsupported) {
    out.refusal = traits.error().message;
    return out;
  }
  if (!traits.ok())
    return with_context(std::move(traits).error(), "model [" + files.model_id + "]");
  out.tasks = std::move(traits->tasks);
  out.dimensions = traits->dimensions;
  out.quotes = traits->quotes;
  out.similarity = std::move(traits->similarity);
  return out;
}

Status StoredModels::remove_leftovers(std::int64_t now_unix_ms, const os::Deadline& deadline) {
  constexpr std::int64_t week_ms = std::int64_t{7} * 24 * 3'600 * 1'000;
  CAIRN_CHECK(files_.remove_leftovers(now_unix_ms - week_ms, deadline));
  if (packing_.files == nullptr) return ok_status();
  CAIRN_TRY(const std::vector<std::string> ids, files_.list(deadline));
  const Status status = packing_.files->keep_only(ids);
  if (!status.ok()) {
    os::log(os::LogLevel::warn, "inference", "packed weights of removed models stay",
            {{"error", status.error().message}});
  }
  return ok_status();
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

/// Bytes that the budget doubles. Packed weights are read without the files. Packing has the files,
/// the weights in fp32 and what becomes of them.
std::uint64_t StoredModels::memory_to_load(const std::string& model_id, const Folder& folder,
                                           bool is_packed) const {
  if (!is_packed) return folder.size_bytes;
  const bool kept = packing_.files != nullptr && packing_.files->has(model_id, folder.version);
  return kept ? folder.size_bytes / 2 : folder.size_bytes + folder.size_bytes / 2;
}

/// A disk without room, or of a kind that maps nothing, leaves the memory.
Result<FileBytes> StoredModels::map_weights(const ModelFiles& files, std::string_view name,
                                            const os::Deadline& deadline,
                                            const std::function<void(std::size_t)>& count) const {
  auto mapped = packing_.files->map_copy([&](const PackedFiles::Append& append) {
    return files_.read_pieces(files.model_id, name, deadline,
                              [&](std::string_view piece) -> Status {
                                CAIRN_CHECK(append(piece));
                                count(piece.size());
                                return ok_status();
                              });
  });
  if (mapped.ok()) return FileBytes(std::move(*mapped));
  const ErrorKind kind = mapped.error().kind;
  if (kind != ErrorKind::storage_full && kind != ErrorKind::unsupported) return mapped.error();
  CAIRN_TRY(std::string bytes, files.read(name));
  return FileBytes(std::move(bytes));
}

Result<std::shared_ptr<const Model>> StoredModels::load(std::string_view model_id,
                                                        const LoadProgress& progress,
                                                        const os::Deadline& deadline) {
  const std::string id(model_id);
  CAIRN_TRY(ModelFiles files, files_.open(id, deadline));
  const std::shared_ptr<Slot> slot = slot_of(id);
  CAIRN_CHECK(take_turn(id, *slot, deadline));
  const Turn turn(*this, *slot);
  CAIRN_TRY(const Folder folder, look_at(id, deadline));
  if (auto there = slot->model.lock(); there && slot->version == folder.version) return there;
  CAIRN_TRY(const std::string config, files.read("config.json"));
  CAIRN_TRY(const bool is_packed, packs_weights(config));
  CAIRN_TRY(const MemoryBudget::Claim memory,
            memory_.claim(id, memory_to_load(id, folder, is_packed)));
  const LoadOptions options{
      .precision = packing_.precision, .packed_files = packing_.files, .version = folder.version};
  std::uint64_t loaded = 0;
  const auto count = [&](std::size_t bytes) {
    loaded += bytes;
    progress(std::min(loaded, folder.size_bytes), folder.size_bytes);
  };
  count(0);
  const auto read = std::move(files.read);
  files.read = [&](std::string_view name) -> Result<std::string> {
    CAIRN_TRY(std::string bytes, read(name));
    count(bytes.size());
    return bytes;
  };
  if (packing_.files != nullptr && packing_.maps) {
    files.map = [&](std::string_view name) { return map_weights(files, name, deadline, count); };
  }
  CAIRN_TRY(std::shared_ptr<const Model> model, load_model(files, options, deadline));
  slot->version = folder.version;
  slot->model = model;
  return model;
}

}  // namespace cairn::inference
