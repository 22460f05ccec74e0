// SPDX-License-Identifier: Apache-2.0
// Where models lie: folders of files in the Hugging Face layout, as objects `<model_id>/<file>`.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "inference/model/model.h"
#include "os/deadline.h"
#include "os/files/files.h"
#include "store/store.h"

namespace cairn::inference {

/// The files of a folder on disk, read when asked for. `files` must outlive the result.
/// A file that SHA256SUMS of the folder names is checked against it (error: corrupt).
ModelFiles files_of_folder(os::Files& files, std::string model_id, std::string folder);

/// Removes what the store holds of a model, but for these files: what is left of an earlier one
/// must not become part of a new one.
Status remove_other_files(store::Store& store, const std::string& model_id,
                          const std::set<std::string, std::less<>>& kept,
                          const os::Deadline& deadline);

/// The models of one store (the reserved namespace `.cairn-models`). Whoever may write there adds a
/// model by putting its folder as objects. Holds no state; safe from any thread.
class ModelStore {
 public:
  /// `store` must outlive this.
  explicit ModelStore(store::Store& store) : store_(store) {}

  /// The files of a model, read from the store when asked for, until `deadline`. Where the model
  /// has a file SHA256SUMS, what it names is checked against it (error: corrupt).
  /// Errors: invalid_argument for an id that cannot be one; not_found without `config.json`.
  Result<ModelFiles> open(const std::string& model_id, const os::Deadline& deadline) const;

  /// Gives a file to `take`, piece after piece, so that it need not be in memory as a whole. What
  /// was taken counts only where the answer is well: the digest is compared at the end. Errors:
  /// corrupt; not_found; those of `take`.
  using TakePiece = std::function<Status(std::string_view piece)>;
  Status read_pieces(const std::string& model_id, std::string_view name,
                     const os::Deadline& deadline, const TakePiece& take) const;

  /// The ids of all models, ascending.
  Result<std::vector<std::string>> list(const os::Deadline& deadline) const;

  /// Removes pieces that nobody will make a model of: of models that are there, which a crash
  /// behind their last step left, and of those that nobody sent a piece of since `before_unix_ms`.
  Status remove_leftovers(std::int64_t before_unix_ms, const os::Deadline& deadline) const;

  /// Copies a folder into the store: what its SHA256SUMS names, that file last, so that a cut
  /// import is seen and done again. False where the store holds these very files already.
  /// Errors: not_found for a missing file; corrupt for one that does not match.
  Result<bool> import_folder(const std::string& model_id, os::Files& files,
                             const std::string& folder, const os::Deadline& deadline) const;

  /// Removes a model, and what was received of one that is on its way in. False where there is
  /// neither. A cut removal leaves no visible model.
  Result<bool> remove(const std::string& model_id, const os::Deadline& deadline) const;

 private:
  store::Store& store_;
};

}  // namespace cairn::inference
