// SPDX-License-Identifier: Apache-2.0
// The models of a store, and those that can be fetched into it from configured places.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads.h"
#include "inference/fetch/file_source.h"
#include "inference/model/intake.h"
#include "inference/model/model_source.h"
#include "inference/model/stored_models.h"
#include "store/store.h"

namespace cairn::inference {

struct FetchOptions {
  std::int64_t first_retry_ms = 1'000;  // after a break; doubled each time without progress
  std::int64_t longest_retry_ms = 60'000;
  std::int64_t ask_ms = 10'000;  // for what a place knows about a model
};

/// Asks the places in their order; the first that has `<model_id>/SHA256SUMS` is where a model
/// comes from. Several deployments of one model wait for the same download.
class FetchedModels final : public ModelSource {
 public:
  /// `store` is that of `stored`; both outlive this.
  FetchedModels(store::Store& store, StoredModels& stored,
                std::vector<std::unique_ptr<FileSource>> places, FetchOptions options = {});

  Result<std::vector<ModelInfo>> list(const os::Deadline& deadline) override;
  Result<ModelInfo> describe(std::string_view model_id, const os::Deadline& deadline) override;
  Result<ModelInfo> discover(std::string_view model_id, const os::Deadline& deadline) override;
  Result<bool> holds(std::string_view model_id, const os::Deadline& deadline) override;
  void fetch(std::string_view model_id, FetchWatcher watcher) override;
  Result<std::shared_ptr<const Model>> load(std::string_view model_id, const LoadProgress& progress,
                                            const os::Deadline& deadline) override;
  Result<bool> remove(std::string_view model_id, const os::Deadline& deadline) override;

 private:
  /// What is brought here, and who else waits for it. Guarded by mutex_.
  struct Download {
    FetchStep step;
    std::vector<FetchWatcher> watchers;
  };
  using Sums = std::vector<std::pair<std::string, std::string>>;
  struct Found {
    FileSource* place = nullptr;
    Sums sums;
  };

  Result<Found> find(const std::string& model_id, const os::Deadline& deadline);
  /// Tells the watchers of a download how far it is.
  void tell(const std::string& model_id, const FetchStep& step);
  /// Ends a download that its leader did not give up. Gives the watchers back, to be told.
  std::vector<FetchWatcher> end(const std::string& model_id);
  /// Who goes on with a download when its leader gave it up; those who gave up too are put into
  /// `gone`. None: the download is ended.
  std::optional<FetchWatcher> next_leader(const std::string& model_id,
                                          std::vector<FetchWatcher>& gone);
  Status run(const std::string& model_id, const FetchProgress& progress,
             const os::Deadline& deadline);
  /// One try: goes on with what is there until all is, or something breaks. `got` counts new bytes.
  Status attempt(const std::string& model_id, const FetchProgress& tell, std::uint64_t& got,
                 const os::Deadline& deadline);
  Result<SmallFiles> said_by_gguf(const Found& found, const std::string& model_id,
                                  const os::Deadline& deadline);
  Result<std::vector<ModelFile>> sizes_of(const Found& found, const std::string& model_id,
                                          const os::Deadline& deadline);
  Status receive(Intake& intake, FileSource& place, const FetchProgress& tell, std::uint64_t& got,
                 const os::Deadline& deadline);

  store::Store& store_;
  StoredModels& stored_;
  const std::vector<std::unique_ptr<FileSource>> places_;
  const FetchOptions options_;
  Mutex mutex_;
  std::map<std::string, Download> running_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
