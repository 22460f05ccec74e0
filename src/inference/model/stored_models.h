// SPDX-License-Identifier: Apache-2.0
// The models of a store as a source for deployments; one copy in memory however many use it.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <string>

#include "base/threads.h"
#include "inference/model/memory_budget.h"
#include "inference/model/model_source.h"
#include "inference/model/model_store.h"
#include "inference/model/model_turns.h"
#include "inference/model/packed_files.h"
#include "os/available_memory.h"
#include "store/store.h"

namespace cairn::inference {

/// What config.json and the files that it needs say of a model; size and time are left out.
/// Errors: invalid_argument; those of reading.
Result<ModelInfo> info_of(const ModelFiles& files);

/// How encoders are packed, and where that is kept.
struct Packing {
  const PackedFiles* files = nullptr;  // nullptr: nowhere
  bool maps = true;  // large weights from its disk; a program does not survive that disk then
  Precision precision = Precision::automatic;
};

/// Reads the layout of ModelStore. What a model is comes from its config.json: `model_type`,
/// `description`, `tasks`, `hidden_size`, `similarity`.
class StoredModels final : public ModelSource {
 public:
  /// `store`, and what `packing` names, must outlive this. `available`: the memory that models may
  /// take.
  explicit StoredModels(store::Store& store, Packing packing = {},
                        MemoryBudget::Available available = os::available_memory_bytes)
      : store_(store), files_(store), packing_(packing), memory_(std::move(available)) {}

  /// Whoever puts files of a model in place holds its turn.
  ModelTurns& turns() { return turns_; }

  /// For the start: removes packed weights of models that are no longer there, and pieces of
  /// imports that were ended or not touched for a week. Packed weights that cannot be removed are
  /// logged alone.
  Status remove_leftovers(std::int64_t now_unix_ms, const os::Deadline& deadline);

  Result<std::vector<ModelInfo>> list(const os::Deadline& deadline) override;
  Result<ModelInfo> describe(std::string_view model_id, const os::Deadline& deadline) override;
  /// Errors: also conflict while the model is put in place.
  Result<bool> remove(std::string_view model_id, const os::Deadline& deadline) override;
  /// A model that is in memory already is given again, unless its files have changed since.
  Result<std::shared_ptr<const Model>> load(std::string_view model_id, const LoadProgress& progress,
                                            const os::Deadline& deadline) override;

 private:
  /// What is loaded of one model. Whoever is in its turn alone changes it.
  struct Slot {
    bool in_turn = false;  // somebody loads; guarded by mutex_
    std::string version;
    std::weak_ptr<const Model> model;
  };
  /// Loading one model, so that two deployments do not load it twice.
  class Turn {
   public:
    Turn(StoredModels& models, Slot& slot) : models_(models), slot_(slot) {}
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    StoredModels& models_;
    Slot& slot_;
  };
  struct Folder {
    std::uint64_t size_bytes = 0;
    std::int64_t modified_ms = 0;
    std::string version;  // changes when a file does
  };
  Result<Folder> look_at(const std::string& model_id, const os::Deadline& deadline);
  Result<bool> remove_files(const std::string& model_id, const os::Deadline& deadline);
  std::uint64_t memory_to_load(const std::string& model_id, const Folder& folder,
                               bool is_packed) const;
  Result<FileBytes> map_weights(const ModelFiles& files, std::string_view name,
                                const os::Deadline& deadline,
                                const std::function<void(std::size_t)>& count) const;
  std::shared_ptr<Slot> slot_of(const std::string& model_id);
  /// Waits until nobody else is in the turn of the slot. Errors: timeout, cancelled.
  Status take_turn(const std::string& model_id, Slot& slot, const os::Deadline& deadline);

  store::Store& store_;
  ModelStore files_;
  Packing packing_;
  MemoryBudget memory_;
  ModelTurns turns_;
  Mutex mutex_;
  std::condition_variable_any turn_ended_;
  std::map<std::string, std::shared_ptr<Slot>> slots_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
