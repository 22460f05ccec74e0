// SPDX-License-Identifier: Apache-2.0
// Importing models piece by piece, and deleting them.
#include "api/routes/model_routes.h"

#include <utility>

#include "api/dry_run.h"
#include "api/forms/error_json.h"

namespace cairn::api {
namespace {

using inference::ModelImports;

constexpr std::uint64_t piece_body_max = std::uint64_t{8} << 20U;

Result<Reply> begin_import(Call& call, ModelImports& imports) {
  CAIRN_TRY(const Json list, call.body());
  CAIRN_TRY(Json out, imports.begin(call.path("model_id"), list, call.deadline()));
  return Reply::json(std::move(out));
}

Result<Reply> take_piece(Call& call, ModelImports& imports) {
  const auto file = call.query("file");
  if (!file) return illegal_argument("[file] must name the file that the bytes are of");
  CAIRN_TRY(const std::int64_t offset, call.integer("offset", 0));
  if (offset < 0) return illegal_argument("[offset] cannot be < 0");
  CAIRN_TRY(const std::string_view bytes, call.raw_body());
  CAIRN_TRY(Json out, imports.put(call.path("model_id"), *file, static_cast<std::uint64_t>(offset),
                                  bytes, call.deadline()));
  return Reply::json(std::move(out));
}

Result<Reply> finish_import(Call& call, ModelImports& imports) {
  CAIRN_TRY(Json out, imports.finish(call.path("model_id"), call.deadline()));
  return Reply::json(std::move(out));
}

Result<Reply> drop_import(Call& call, ModelImports& imports) {
  CAIRN_TRY(Json out, imports.drop(call.path("model_id"), call.deadline()));
  return Reply::json(std::move(out));
}

Result<Reply> delete_model(Call& call, inference::Service& service, const ModelImports& imports) {
  CAIRN_TRY(const bool force, call.flag("force", false));
  CAIRN_TRY(const std::int64_t timeout_ms, call.time("timeout", 30'000));
  const os::Deadline deadline =
      timeout_ms < 0 ? call.deadline() : call.deadline().sooner_ms(timeout_ms);
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(Json what, imports.try_removal(call.path("model_id"), force, deadline));
    return would(std::move(what));
  }
  CAIRN_TRY(Json out, service.delete_model(call.path("model_id"), force, deadline));
  return Reply::json(std::move(out));
}

/// The id in the path of a piece; empty where there is none. Ids need no escapes.
std::string_view model_of(std::string_view path) {
  constexpr std::string_view before = "/_cairn/models/", behind = "/_piece";
  const std::size_t at = path.find(before);
  if (at == std::string_view::npos || !path.ends_with(behind)) return {};
  path.remove_prefix(at + before.size());
  return path.size() > behind.size() ? path.substr(0, path.size() - behind.size())
                                     : std::string_view();
}

gate::Route import_row(std::string method, std::string rest, std::string operation,
                       std::string summary) {
  return {.method = std::move(method),
          .path = "/_cairn/models/{model_id}" + std::move(rest),
          .operation = "cairn." + std::move(operation),
          .cluster = {"manage_ml"},
          .since = "9.0.0",
          .summary = std::move(summary)};
}

}  // namespace

void add_model_routes(Router& router, ServiceRef<ModelImports> imports,
                      ServiceRef<inference::Service> service) {
  gate::Route begin =
      import_row("PUT", "", "begin_model_import",
                 "Begins to take a model in, or goes on with it: tells which pieces are missing.");
  begin.body_required = true;
  router.add(std::move(begin), [imports](Call& call) { return begin_import(call, *imports); });

  gate::Route piece = import_row("PUT", "/_piece", "put_model_piece",
                                 "Takes one piece of a file of a model that is on its way in.");
  piece.query = {{"file", "string", "The file, as the list has it."},
                 {"offset", "integer", "Where in the file the bytes begin. Default 0."}};
  piece.media_type = "application/json";  // of the answer; the body is bytes, whatever it says
  piece.body_bytes_max = piece_body_max;
  piece.body_required = true;
  piece.paid = [imports](const net::RequestHead& head) {  // by the beginning, while it goes on
    return imports->awaits_piece(model_of(head.path()));
  };
  router.add(std::move(piece), [imports](Call& call) { return take_piece(call, *imports); });

  router.add(import_row("POST", "/_finish", "finish_model_import",
                        "Checks the files of a model and makes it one of the store."),
             [imports](Call& call) { return finish_import(call, *imports); });
  router.add(
      import_row("DELETE", "/_import", "drop_model_import", "Drops what was received of a model."),
      [imports](Call& call) { return drop_import(call, *imports); });

  gate::Route removal{.method = "DELETE",
                      .path = "/_ml/trained_models/{model_id}",
                      .operation = "ml.delete_trained_model",
                      .cluster = {"manage_ml"},
                      .since = "7.10.0",
                      .summary = "Removes a model from the model store.",
                      .action = "cluster:admin/xpack/ml/inference/delete"};
  removal.query = {{"force", "boolean", "Remove it although endpoints or deployments use it."},
                   {"timeout", "time", "How long to wait. Default 30s."},
                   dry_run_parameter};
  router.add(std::move(removal), [service, imports](Call& call) {
    return delete_model(call, *service, *imports);
  });
}

}  // namespace cairn::api
