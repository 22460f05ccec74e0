// SPDX-License-Identifier: Apache-2.0
// A model on its way into the store: pieces that outlast a restart, then all of it at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inference/model/manifest.h"
#include "inference/model/model.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::inference {

/// A run of bytes of one file. It lies within one piece of the store.
struct FilePiece {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

/// The pieces lie beneath `.incoming/<model_id>/`, named after the digest of their file, so that
/// what was received counts whichever list of files names it. One thread at a time; two intakes of
/// one model at a time do no harm but double work.
/// Errors of all calls: those of the store.
class Intake {
 public:
  static constexpr std::uint64_t piece_bytes = std::uint64_t{8} << 20U;

  /// Files as read_manifest() gives them. `store` outlives this.
  Intake(store::Store& store, std::string model_id, std::vector<ModelFile> files);
  /// What was begun and not finished; nothing where there is none. begin() tells what of it is
  /// here.
  static Result<std::optional<Intake>> find(store::Store& store, const std::string& model_id,
                                            const os::Deadline& deadline);

  /// Notes the list of files, finds the pieces that are there, and drops those of other files.
  Status begin(const os::Deadline& deadline);
  /// Takes one piece: of `piece_bytes`, the last of a file shorter, at a multiple of that. Errors:
  /// invalid_argument for what is no such piece.
  Status put(std::string_view file, std::uint64_t offset, std::string_view bytes,
             const os::Deadline& deadline);
  /// Compares the digests, checks what can be known before the model is loaded (config.json,
  /// the tokenizer, the heads of the files with weights), and makes the model visible, all at once;
  /// then drops the pieces. `progress` gets the bytes that were verified.
  /// Errors: corrupt, with the file, whose pieces are then dropped; invalid_argument with the file
  /// and what is wrong; conflict where pieces are missing.
  Status publish(const std::function<void(std::uint64_t)>& progress, const os::Deadline& deadline);
  /// Drops everything that was received.
  Status discard(const os::Deadline& deadline);

  std::vector<FilePiece> missing() const;  // in the order of the files
  std::uint64_t received_bytes() const;
  std::uint64_t total_bytes() const;
  const std::vector<ModelFile>& files() const { return files_; }
  const std::string& model_id() const { return model_id_; }

 private:
  std::string folder() const { return ".incoming/" + model_id_ + "/"; }
  std::string pieces_of(const ModelFile& file) const;
  std::string key_of(const ModelFile& file, std::uint64_t offset) const;
  Result<const ModelFile*> file_named(std::string_view name) const;
  Result<std::string> read(const ModelFile& file, std::uint64_t offset, std::uint64_t count,
                           const os::Deadline& deadline) const;
  ReadRange reader_of(const ModelFile& file, const os::Deadline& deadline) const;
  Status check(const os::Deadline& deadline) const;
  Status check_weight_files(const os::Deadline& deadline) const;
  Status read_said(const ModelFile& gguf, const os::Deadline& deadline);
  Status check_config(const os::Deadline& deadline);
  std::vector<ModelFile> all_files() const;
  Status check_traits(const os::Deadline& deadline) const;
  Status check_weights(const ModelFile& file, const os::Deadline& deadline) const;
  Status check_json(std::string_view name, const os::Deadline& deadline) const;
  Status assemble(const ModelFile& file, std::uint64_t& done,
                  const std::function<void(std::uint64_t)>& progress, const os::Deadline& deadline);
  Error damaged(const ModelFile& file, const os::Deadline& deadline);
  Status drop_pieces(const ModelFile& file, const os::Deadline& deadline);

  store::Store* store_;
  std::string model_id_;
  std::vector<ModelFile> files_;
  SmallFiles said_;                             // what a GGUF file stands for
  std::map<std::string, std::uint64_t> there_;  // size by key of a piece
};

}  // namespace cairn::inference
