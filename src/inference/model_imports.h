// SPDX-License-Identifier: Apache-2.0
// Taking models in over the wire: a list of files, then their bytes in pieces, then all at once.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads.h"
#include "format/json.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::inference {

class Service;
class Intake;      // model/intake.h
class ModelTurns;  // model/model_turns.h

/// Safe from any thread. What was received stays over a restart, until it is finished or dropped;
/// the same beginning again tells what is missing. Every call may block up to its deadline.
class ModelImports {
 public:
  /// `models` is the store of ModelStore; all outlive this.
  ModelImports(store::Store& models, Service& service, ModelTurns& turns)
      : store_(models), service_(service), turns_(turns) {}

  /// `list`: {"files": [{"name", "size_bytes", "sha256"}]}. Answers {"model_id", "complete",
  /// "piece_bytes", "received_bytes", "total_bytes", "missing": [{"file", "offset",
  /// "size_bytes"}]}; `complete` where the store has this very model already. Errors:
  /// invalid_argument: id or list; resource_already_exists_exception: a model of this id with other
  /// files; conflict.
  Result<Json> begin(const std::string& model_id, const Json& list, const os::Deadline& deadline);
  /// One of the missing pieces. Errors: not_found without a beginning; invalid_argument.
  Result<Json> put(const std::string& model_id, std::string_view file, std::uint64_t offset,
                   std::string_view bytes, const os::Deadline& deadline);
  /// Whether an import of this model goes on, so that its beginning has paid for a piece. Does not
  /// block. After a restart it is so again with the next piece.
  bool awaits_piece(std::string_view model_id) const;
  /// Checks files and digests; then the model is there. Errors: invalid_argument with the file and
  /// what is wrong; corrupt, where a digest differs: the file must be sent again; conflict.
  Result<Json> finish(const std::string& model_id, const os::Deadline& deadline);
  /// What Service::delete_model() would do, which is not done: {"model_id", "bytes" of the store that
  /// would be free, "endpoints", "deployments"}. Errors: those of delete_model().
  Result<Json> try_removal(const std::string& model_id, bool force,
                           const os::Deadline& deadline) const;
  /// Drops what was received.
  Result<Json> drop(const std::string& model_id, const os::Deadline& deadline);

 private:
  void note_begun(const std::string& model_id);
  void note_ended(const std::string& model_id);
  Result<Intake> find(const std::string& model_id, const os::Deadline& deadline);

  store::Store& store_;
  Service& service_;
  ModelTurns& turns_;
  mutable Mutex mutex_;
  std::set<std::string, std::less<>> begun_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
