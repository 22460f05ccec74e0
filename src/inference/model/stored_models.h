// SPDX-License-Identifier: Apache-2.0
// The models of a store as a source for deployments; one copy in memory however many use it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/threads.h"
#include "inference/model/model_source.h"
#include "inference/model/model_store.h"
#include "store/store.h"

namespace cairn::inference {

/// Reads the layout of ModelStore. What a model is comes from its config.json: `model_type`,
/// `description`, `tasks`, `hidden_size`, `similarity`.
class StoredModels final : public ModelSource {
 public:
  /// `store` must outlive this.
  explicit StoredModels(store::Store& store) : store_(store), files_(store) {}

  Result<std::vector<ModelInfo>> list(const os::Deadline& deadline) override;
  Result<ModelInfo> describe(std::string_view model_id, const os::Deadline& deadline) override;
  /// A model that is in memory already is given again, unless its files have changed since.
  Result<std::shared_ptr<const Model>> load(std::string_view model_id, const LoadProgress& progress,
                                            const os::Deadline& deadline) override;

 private:
  /// What is loaded of one model.
  struct Slot {
    Mutex mutex;  // held while loading, so that two deployments do not load twice
    std::string version;
    std::weak_ptr<const Model> model;
  };
  struct Folder {
    std::uint64_t size_bytes = 0;
    std::int64_t modified_ms = 0;
    std::string version;  // changes when a file does
  };
  Result<Folder> look_at(const std::string& model_id, const os::Deadline& deadline);
  std::shared_ptr<Slot> slot_of(const std::string& model_id);

  store::Store& store_;
  ModelStore files_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<Slot>> slots_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
