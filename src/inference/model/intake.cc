// SPDX-License-Identifier: Apache-2.0
// Pieces in, a verified model out.
#include "inference/model/intake.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "format/json.h"
#include "inference/model/model_store.h"
#include "inference/model/safetensors.h"
#include "inference/model/shard_index.h"

namespace cairn::inference {
namespace {

constexpr std::string_view manifest_key = "manifest.json";
constexpr std::string_view intake_config = "config.json";
constexpr std::string_view weights_name = "model.safetensors";
constexpr std::string_view shards_name = "model.safetensors.index.json";

Error bad_model(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "illegal_argument_exception",
               .message = std::move(message)};
}

/// Sixteen hexadecimal digits, so that keys stand in the order of offsets.
std::string offset_text(std::uint64_t offset) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; offset >>= 4U) out[i] = digits[offset & 15U];
  return out;
}

}  // namespace

Intake::Intake(store::Store& store, std::string model_id, std::vector<ModelFile> files)
    : store_(&store), model_id_(std::move(model_id)), files_(std::move(files)) {}

Result<std::optional<Intake>> Intake::find(store::Store& store, const std::string& model_id,
                                           const os::Deadline& deadline) {
  CAIRN_CHECK(check_new_model_id(model_id));
  Intake out(store, model_id, {});
  const Result<store::Object> noted = store.get(out.folder() + std::string(manifest_key), deadline);
  if (!noted.ok() && noted.error().kind == ErrorKind::not_found) return std::optional<Intake>();
  if (!noted.ok()) return noted.error();
  CAIRN_TRY(const Json json, parse_json(noted->bytes));
  CAIRN_TRY(out.files_, read_manifest(json));
  return std::optional<Intake>(std::move(out));
}

std::string Intake::pieces_of(const ModelFile& file) const {
  return folder() + file.sha256 + "." + std::to_string(file.size_bytes) + "/";
}

std::string Intake::key_of(const ModelFile& file, std::uint64_t offset) const {
  return pieces_of(file) + offset_text(offset);
}

Result<const ModelFile*> Intake::file_named(std::string_view name) const {
  for (const ModelFile& file : files_) {
    if (file.name == name) return &file;
  }
  return bad_model("the list of files of model [" + model_id_ + "] has no [" + std::string(name) +
                   "]");
}

Status Intake::begin(const os::Deadline& deadline) {
  CAIRN_CHECK(
      store_->put(folder() + std::string(manifest_key), manifest_json(files_).dump(), deadline));
  std::set<std::string> wanted{folder() + std::string(manifest_key)};
  for (const ModelFile& file : files_) {
    for (std::uint64_t at = 0; at < file.size_bytes; at += piece_bytes) {
      wanted.insert(key_of(file, at));
    }
  }
  there_.clear();
  std::vector<std::string> strange;
  CAIRN_CHECK(store::for_each_object(*store_, folder(), deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       if (wanted.count(info.key) == 0)
                                         strange.push_back(info.key);
                                       else
                                         there_[info.key] = info.size_bytes;
                                       return ok_status();
                                     }));
  if (!strange.empty()) CAIRN_CHECK(store_->remove_batch(strange, deadline));
  return ok_status();
}

std::vector<FilePiece> Intake::missing() const {
  std::vector<FilePiece> out;
  std::set<std::string> named;  // files with the same bytes share their pieces
  for (const ModelFile& file : files_) {
    for (std::uint64_t at = 0; at < file.size_bytes; at += piece_bytes) {
      const std::uint64_t count = std::min(piece_bytes, file.size_bytes - at);
      std::string key = key_of(file, at);
      const auto found = there_.find(key);
      if (found != there_.end() && found->second == count) continue;
      if (!named.insert(std::move(key)).second) continue;
      out.push_back({.file = file.name, .offset = at, .count = count});
    }
  }
  return out;
}

std::uint64_t Intake::total_bytes() const {
  std::uint64_t out = 0;
  for (const ModelFile& file : files_) out += file.size_bytes;
  return out;
}

std::uint64_t Intake::received_bytes() const {
  std::uint64_t lacking = 0;
  for (const FilePiece& piece : missing()) lacking += piece.count;
  return total_bytes() - lacking;
}

Status Intake::put(std::string_view name, std::uint64_t offset, std::string_view bytes,
                   const os::Deadline& deadline) {
  CAIRN_TRY(const ModelFile* file, file_named(name));
  if (offset % piece_bytes != 0 || offset >= file->size_bytes ||
      bytes.size() != std::min(piece_bytes, file->size_bytes - offset)) {
    return bad_model("[" + std::to_string(bytes.size()) + "] bytes at [" + std::to_string(offset) +
                     "] are no piece of file [" + file->name + "], which has [" +
                     std::to_string(file->size_bytes) + "] in pieces of [" +
                     std::to_string(piece_bytes) + "]");
  }
  const std::string key = key_of(*file, offset);
  CAIRN_CHECK(store_->put(key, bytes, deadline));
  there_[key] = bytes.size();
  return ok_status();
}

Result<std::string> Intake::read(const ModelFile& file, std::uint64_t offset, std::uint64_t count,
                                 const os::Deadline& deadline) const {
  std::string out;
  const std::uint64_t end = std::min(file.size_bytes, offset + count);
  for (std::uint64_t at = offset - offset % piece_bytes; at < end; at += piece_bytes) {
    CAIRN_TRY(const store::Object piece, store_->get(key_of(file, at), deadline));
    const std::uint64_t from = std::max(at, offset) - at;
    const std::uint64_t to = std::min<std::uint64_t>(piece.bytes.size(), end - at);
    if (from < to) out.append(piece.bytes, from, to - from);
  }
  return out;
}

Status Intake::check_json(std::string_view name, const os::Deadline& deadline) const {
  const Result<const ModelFile*> file = file_named(name);
  if (!file.ok()) return bad_model("the model has no " + std::string(name));
  const Status small = check_small_file(name, (*file)->size_bytes);
  if (!small.ok()) return bad_model(small.error().message);
  CAIRN_TRY(const std::string text, read(**file, 0, (*file)->size_bytes, deadline));
  const Result<Json> json = parse_json(text);
  if (!json.ok()) return bad_model(std::string(name) + ": " + json.error().message);
  if (!json->is_object()) return bad_model(std::string(name) + " holds no object");
  if (name == "config.json" && json->string_or("model_type").empty()) {
    return bad_model("config.json has no model_type, so that it is not known what the model is");
  }
  return ok_status();
}

Status Intake::check_weights(const ModelFile& file, const os::Deadline& deadline) const {
  const auto named = [&file](const Error& error) {
    return bad_model(file.name + ": " + error.message);
  };
  CAIRN_TRY(const std::string first, read(file, 0, 8, deadline));
  const Result<std::uint64_t> head = Safetensors::head_bytes(first, file.size_bytes);
  if (!head.ok()) return named(head.error());
  CAIRN_TRY(const std::string begin, read(file, 0, *head, deadline));
  const Status good = Safetensors::check_head(begin, file.size_bytes);
  return good.ok() ? good : named(good.error());
}

Status Intake::check(const os::Deadline& deadline) const {
  if (said_.empty()) {
    CAIRN_CHECK(check_json("config.json", deadline));
    if (!file_named("vocab.txt").ok() || file_named("tokenizer.json").ok()) {
      CAIRN_CHECK(check_json("tokenizer.json", deadline));
    }
    CAIRN_CHECK(check_weight_files(deadline));
  }
  return check_traits(deadline);
}

Status Intake::check_weight_files(const os::Deadline& deadline) const {
  std::vector<std::string> weights{std::string(weights_name)};
  if (const auto index = file_named(shards_name); index.ok()) {
    CAIRN_CHECK(check_json(shards_name, deadline));
    CAIRN_TRY(const std::string text, read(**index, 0, (*index)->size_bytes, deadline));
    const Result<ShardIndex> shards = read_shard_index(text);
    if (!shards.ok()) return bad_model(std::string(shards_name) + ": " + shards.error().message);
    weights = shards->files;
  }
  for (const std::string& name : weights) {
    const Result<const ModelFile*> file = file_named(name);
    if (!file.ok()) {
      return bad_model("the model has no " + name +
                       "; weights in other formats (pytorch_model.bin, ONNX) are not read");
    }
    CAIRN_CHECK(check_weights(**file, deadline));
  }
  return ok_status();
}

ReadRange Intake::reader_of(const ModelFile& file, const os::Deadline& deadline) const {
  return [this, &file, &deadline](std::uint64_t offset, std::uint64_t count) {
    return read(file, offset, count, deadline);
  };
}

/// What stands in the head of a GGUF file.
Status Intake::read_said(const ModelFile& gguf, const os::Deadline& deadline) {
  Result<SmallFiles> said =
      small_files_of_gguf(gguf.name, gguf.size_bytes, reader_of(gguf, deadline));
  if (!said.ok() && (said.error().kind == ErrorKind::invalid_argument ||
                     said.error().kind == ErrorKind::unsupported)) {
    return bad_model(gguf.name + ": " + said.error().message);
  }
  if (!said.ok()) return said.error();
  for (const auto& [name, text] : *said) {
    const Status small = check_small_file(name, text.size());
    if (!small.ok()) return bad_model(gguf.name + ": " + small.error().message);
  }
  said_ = std::move(*said);
  return ok_status();
}

/// Whether this program runs such a model, and its files for that are whole.
Status Intake::check_traits(const os::Deadline& deadline) const {
  const auto read_whole = [&](std::string_view name) -> Result<std::string> {
    if (const auto said = said_.find(name); said != said_.end()) return said->second;
    const Result<const ModelFile*> file = file_named(name);
    if (!file.ok()) return Error{.kind = ErrorKind::not_found, .message = file.error().message};
    CAIRN_CHECK(check_small_file(name, (*file)->size_bytes));
    return read(**file, 0, (*file)->size_bytes, deadline);
  };
  CAIRN_TRY(const std::string config, read_whole("config.json"));
  const Status small = check_small_files({.model_id = model_id_, .read = read_whole}, config);
  if (small.ok()) return small;
  const ErrorKind kind = small.error().kind;
  if (kind != ErrorKind::unsupported && kind != ErrorKind::not_found &&
      kind != ErrorKind::invalid_argument) {
    return small;
  }
  return bad_model(small.error().message);
}

Status Intake::drop_pieces(const ModelFile& file, const os::Deadline& deadline) {
  std::vector<std::string> keys;
  for (std::uint64_t at = 0; at < file.size_bytes; at += piece_bytes) {
    keys.push_back(key_of(file, at));
    there_.erase(keys.back());
  }
  if (!keys.empty()) CAIRN_CHECK(store_->remove_batch(keys, deadline));
  return ok_status();
}

Status Intake::assemble(const ModelFile& file, std::uint64_t& done,
                        const std::function<void(std::uint64_t)>& progress,
                        const os::Deadline& deadline) {
  Digest digest(DigestKind::sha256);
  CAIRN_TRY(const auto upload, store_->begin_upload(model_id_ + "/" + file.name, deadline));
  for (std::uint64_t at = 0; at < file.size_bytes; at += piece_bytes) {
    CAIRN_CHECK(deadline.check("verifying model [" + model_id_ + "]"));
    CAIRN_TRY(const store::Object piece, store_->get(key_of(file, at), deadline));
    digest.update(piece.bytes);
    CAIRN_CHECK(upload->write(piece.bytes));
    progress(done += piece.bytes.size());
  }
  if (to_hex(digest.finish()) != file.sha256) return damaged(file, deadline);
  CAIRN_CHECK(upload->finish());
  return ok_status();
}

Error Intake::damaged(const ModelFile& file, const os::Deadline& deadline) {
  const Status dropped = drop_pieces(file, deadline);
  if (!dropped.ok()) return dropped.error();
  return Error{.kind = ErrorKind::corrupt,
               .message = "file [" + file.name + "] of model [" + model_id_ +
                          "] does not have the SHA-256 that its list names"};
}

/// The one file that is read before all are put together is the one that it says it is.
Status Intake::check_config(const os::Deadline& deadline) {
  CAIRN_TRY(const ModelFile* config, file_named(intake_config));
  const Status small = check_small_file(intake_config, config->size_bytes);
  if (!small.ok()) return bad_model(small.error().message);
  CAIRN_TRY(const std::string text, read(*config, 0, config->size_bytes, deadline));
  if (to_hex(sha256(text)) != config->sha256) return damaged(*config, deadline);
  return ok_status();
}

/// Those that were received and those that a GGUF file stands for.
std::vector<ModelFile> Intake::all_files() const {
  std::vector<ModelFile> out = files_;
  for (const auto& [name, text] : said_)
    out.push_back({.name = name, .size_bytes = text.size(), .sha256 = to_hex(sha256(text))});
  return out;
}

Status Intake::publish(const std::function<void(std::uint64_t)>& progress,
                       const os::Deadline& deadline) {
  if (!missing().empty()) {
    return Error{.kind = ErrorKind::conflict,
                 .message = "model [" + model_id_ + "] is not whole: [" +
                            std::to_string(received_bytes()) + "] of [" +
                            std::to_string(total_bytes()) + "] bytes are there"};
  }
  const std::string gguf = gguf_file_of(files_);
  if (gguf.empty()) CAIRN_CHECK(check_config(deadline));
  // config.json is what makes a model visible, so it comes when all that it needs is there.
  std::uint64_t done = 0;
  for (const ModelFile& file : files_) {
    if (file.name != intake_config) CAIRN_CHECK(assemble(file, done, progress, deadline));
  }
  if (!gguf.empty()) {
    CAIRN_TRY(const ModelFile* const file, file_named(gguf));
    CAIRN_CHECK(read_said(*file, deadline));
  }
  CAIRN_CHECK(check(deadline));
  const std::vector<ModelFile> all = all_files();
  std::set<std::string, std::less<>> kept;
  for (const ModelFile& file : all) kept.insert(file.name);
  CAIRN_CHECK(remove_other_files(*store_, model_id_, kept, deadline));
  for (const auto& [name, text] : said_) {
    if (name != intake_config) CAIRN_CHECK(store_->put(model_id_ + "/" + name, text, deadline));
  }
  CAIRN_CHECK(
      store_->put(model_id_ + "/" + std::string(sums_file_name), write_sums(all), deadline));
  if (gguf.empty()) {
    CAIRN_TRY(const ModelFile* const config, file_named(intake_config));
    CAIRN_CHECK(assemble(*config, done, progress, deadline));
  } else {
    const std::string key = model_id_ + "/" + std::string(intake_config);
    CAIRN_CHECK(store_->put(key, said_.find(intake_config)->second, deadline));
  }
  return discard(deadline);
}

Status Intake::discard(const os::Deadline& deadline) {
  std::vector<std::string> keys;
  const auto gather = [&](const store::ObjectInfo& info) -> Status {
    keys.push_back(info.key);
    return ok_status();
  };
  CAIRN_CHECK(store::for_each_object(*store_, folder(), deadline, gather));
  // Files that were put in place before another turned out wrong: nobody sees them.
  CAIRN_TRY(const auto visible, store_->head(model_id_ + "/config.json", deadline));
  if (!visible) CAIRN_CHECK(store::for_each_object(*store_, model_id_ + "/", deadline, gather));
  there_.clear();
  if (!keys.empty()) CAIRN_CHECK(store_->remove_batch(keys, deadline));
  return ok_status();
}

}  // namespace cairn::inference
