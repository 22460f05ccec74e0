// SPDX-License-Identifier: Apache-2.0
// One import of a model at a time, call by call.
#include "inference/model_imports.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "inference/errors.h"
#include "inference/model/intake.h"
#include "inference/model/model_store.h"
#include "inference/model/model_turns.h"
#include "inference/model_users.h"
#include "inference/service.h"
#include "inference/service_impl.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

constexpr std::size_t most_begun = 1'000;  // imports that are remembered at a time

}  // namespace

bool ModelImports::awaits_piece(std::string_view model_id) const {
  const MutexLock lock(mutex_);
  return begun_.contains(model_id);
}

void ModelImports::note_begun(const std::string& model_id) {
  const MutexLock lock(mutex_);
  if (begun_.size() >= most_begun) begun_.clear();  // their next pieces are noted again
  begun_.insert(model_id);
}

void ModelImports::note_ended(const std::string& model_id) {
  const MutexLock lock(mutex_);
  begun_.erase(model_id);
}

Result<Intake> ModelImports::find(const std::string& model_id, const os::Deadline& deadline) {
  CAIRN_TRY(auto intake, Intake::find(store_, model_id, deadline));
  if (intake) return *std::move(intake);
  return not_found("No import of a model with model_id [" + model_id + "] has begun");
}

Result<Json> ModelImports::begin(const std::string& model_id, const Json& list,
                                 const os::Deadline& deadline) {
  CAIRN_CHECK(service_.check_new_model(model_id));
  CAIRN_TRY(std::vector<ModelFile> files, read_manifest(list));
  const std::shared_ptr<Mutex> mine = turns_.of(model_id);
  const os::Blocking blocking;
  const MutexLock lock(*mine);
  CAIRN_CHECK(service_.check_new_model(model_id));  // whoever had the turn may have changed it
  CAIRN_TRY(const auto config, store_.head(model_id + "/config.json", deadline));
  Json out = Json::object({{"model_id", model_id}, {"complete", config.has_value()}});
  if (config) {
    const Result<store::Object> sums =
        store_.get(model_id + "/" + std::string(sums_file_name), deadline);
    if (!sums.ok() && sums.error().kind != ErrorKind::not_found) return sums.error();
    std::map<std::string, std::string> there;
    if (sums.ok()) {
      CAIRN_TRY(const auto rows, read_sums(sums->bytes));
      there.insert(rows.begin(), rows.end());
    }
    std::map<std::string, std::string> wanted;
    for (const ModelFile& file : files) wanted[file.name] = file.sha256;
    if (!gguf_file_of(files).empty())
      std::erase_if(there, [](const auto& row) { return is_said_by_gguf(row.first); });
    if (there == wanted) {
      // What a crash between the last file and the end left behind.
      CAIRN_TRY(auto left, Intake::find(store_, model_id, deadline));
      if (left) CAIRN_CHECK(left->discard(deadline));
      return out;
    }
    return Error{.kind = ErrorKind::invalid_argument,
                 .code = "resource_already_exists_exception",
                 .message = "Trained machine learning model [" + model_id +
                            "] already exists with other files; remove it first, or choose "
                            "another id"};
  }
  Intake intake(store_, model_id, std::move(files));
  CAIRN_CHECK(intake.begin(deadline));
  note_begun(model_id);
  Json missing = Json::array();
  for (const FilePiece& piece : intake.missing()) {
    missing.push(Json::object(
        {{"file", piece.file}, {"offset", piece.offset}, {"size_bytes", piece.count}}));
  }
  out.set("piece_bytes", Intake::piece_bytes);
  out.set("received_bytes", intake.received_bytes());
  out.set("total_bytes", intake.total_bytes());
  out.set("missing", std::move(missing));
  return out;
}

Result<Json> ModelImports::put(const std::string& model_id, std::string_view file,
                               std::uint64_t offset, std::string_view bytes,
                               const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(Intake intake, find(model_id, deadline));
  CAIRN_CHECK(intake.put(file, offset, bytes, deadline));
  note_begun(model_id);
  return Json::object({{"acknowledged", true}});
}

Result<Json> ModelImports::finish(const std::string& model_id, const os::Deadline& deadline) {
  const std::shared_ptr<Mutex> mine = turns_.of(model_id);
  const os::Blocking blocking;
  const MutexLock lock(*mine);
  CAIRN_CHECK(service_.check_new_model(model_id));
  CAIRN_TRY(Intake intake, find(model_id, deadline));
  CAIRN_CHECK(intake.begin(deadline));
  if (!intake.missing().empty()) {
    return status_error(ErrorKind::conflict, "Model [" + model_id + "] is not whole: [" +
                                                 std::to_string(intake.received_bytes()) +
                                                 "] of [" + std::to_string(intake.total_bytes()) +
                                                 "] bytes are there");
  }
  const std::uint64_t bytes = intake.total_bytes();
  if (const Status done = intake.publish([](std::uint64_t) {}, deadline); !done.ok()) {
    if (done.error().kind == ErrorKind::invalid_argument) CAIRN_CHECK(intake.discard(deadline));
    if (done.error().kind == ErrorKind::corrupt) return illegal_argument(done.error().message);
    return done.error();
  }
  note_ended(model_id);
  os::log(os::LogLevel::info, "inference", "model_imported",
          {{"model_id", model_id}, {"bytes", bytes}});
  return Json::object({{"acknowledged", true}, {"model_id", model_id}, {"size_bytes", bytes}});
}

Result<Json> ModelImports::try_removal(const std::string& model_id, bool force,
                                       const os::Deadline& deadline) const {
  const os::Blocking blocking;
  ModelUsers users;
  for (const Endpoint& endpoint : service_.list_endpoints())
    if (endpoint.model_id == model_id && !endpoint.remote)
      users.endpoints.push_back(endpoint.inference_id);
  CAIRN_TRY(const Json stats,
            service_.trained_model_stats({.expression = "_all", .size = SIZE_MAX}, deadline));
  for (const Json& row : stats.find("trained_model_stats")->as_array()) {
    const Json* const deployed = row.find("deployment_stats");
    if (deployed != nullptr && row.string_or("model_id") == model_id)
      users.deployments.push_back(deployed->string_or("deployment_id"));
  }
  if (!force) CAIRN_CHECK(check_unused(model_id, users));
  // An id that cannot be one is told apart from one that is not there.
  const auto files = ModelStore(store_).open(model_id, deadline);
  if (!files.ok() && files.error().kind == ErrorKind::invalid_argument) return files.error();
  std::optional<std::uint64_t> bytes;
  const auto count = [&bytes](const store::ObjectInfo& info) -> Status {
    bytes = bytes.value_or(0) + info.size_bytes;
    return ok_status();
  };
  for (const std::string& prefix : {model_id + "/", ".incoming/" + model_id + "/"})
    CAIRN_CHECK(store::for_each_object(store_, prefix, deadline, count));
  if (!bytes) return model_not_found(model_id);
  return Json::object({{"model_id", model_id},
                       {"bytes", *bytes},
                       {"endpoints", Json::array_of(users.endpoints)},
                       {"deployments", Json::array_of(users.deployments)}});
}

Result<Json> ModelImports::drop(const std::string& model_id, const os::Deadline& deadline) {
  const std::shared_ptr<Mutex> mine = turns_.of(model_id);
  const os::Blocking blocking;
  const MutexLock lock(*mine);
  CAIRN_TRY(Intake intake, find(model_id, deadline));
  CAIRN_CHECK(intake.begin(deadline));
  CAIRN_CHECK(intake.discard(deadline));
  note_ended(model_id);
  return Json::object({{"acknowledged", true}});
}

}  // namespace cairn::inference
