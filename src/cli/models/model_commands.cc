// SPDX-License-Identifier: Apache-2.0
// `cairn model`: what is in the store of models, and how it comes and goes.
#include <cstdio>
#include <map>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/models/model_import.h"
#include "cli/objects/amounts.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace cairn::cli {
namespace {

constexpr std::string_view model_usage =
    "usage: cairn model import FOLDER|FILE.gguf|URL|s3://BUCKET/PREFIX [--id MODEL_ID] [--json]\n"
    "                          [--quiet] [--endpoint-url URL] [--region NAME] [--profile NAME]\n"
    "       cairn model list [--json]\n"
    "       cairn model remove MODEL_ID... [--force] [--json]\n"
    "import: a folder in the Hugging Face layout (config.json, tokenizer.json, safetensors), or a\n"
    "GGUF file. The last three options say where the bucket is. What is cut goes on with the same\n"
    "command.\n"
    "remove: --force also where endpoints use it; their deployments are stopped\n"
    "every command: [--server URL] [--key-file FILE] [--ca-file FILE] [--certificate-file FILE]\n";

/// "started", or how far a download is; the best of a model's deployments.
std::string state_of(const Json& row) {
  const Json* stats = row.find("deployment_stats");
  if (stats == nullptr) return "";
  const Json* download = stats->find("download_progress");
  if (download == nullptr) return stats->string_or("state");
  const std::int64_t total = download->int_or("total_bytes");
  const std::int64_t done = download->int_or("received_bytes");
  return download->string_or("phase") +
         (total > 0 ? " " + std::to_string(done * 100 / total) + " %" : "");
}

std::string tasks_of(const Json& model) {
  std::vector<std::string> out;
  const Json* config = model.find("inference_config");
  if (config == nullptr || !config->is_object()) return {};
  for (const auto& [name, value] : config->as_object()) {
    out.push_back(name == "text_expansion"    ? "sparse_embedding"
                  : name == "text_similarity" ? "rerank"
                                              : name);
  }
  return join(out, ",");
}

int list_models(const Arguments& arguments, Connection& connection) {
  const auto models = connection.ask("GET", "/_ml/trained_models?size=10000");
  if (!models.ok()) return explain(models.error());
  if (models->status != 200) return explain(*models);
  const auto stats = connection.ask("GET", "/_ml/trained_models/_stats?size=10000");
  if (!stats.ok()) return explain(stats.error());
  if (stats->status != 200) return explain(*stats);
  if (arguments.flag("--json")) {
    Json out = models->body;
    if (const Json* rows = stats->body.find("trained_model_stats"))
      out.set("trained_model_stats", *rows);
    print_json(out);
    return success;
  }
  std::map<std::string, Row> rows;
  const Json* configs = models->body.find("trained_model_configs");
  for (const Json& model : configs != nullptr ? configs->as_array() : Json::Array()) {
    const std::string id = model.string_or("model_id");
    rows[id] = {id, model.string_or("model_type"),
                human_bytes(static_cast<std::uint64_t>(model.int_or("model_size_bytes"))),
                tasks_of(model), ""};
  }
  const Json* deployed = stats->body.find("trained_model_stats");
  for (const Json& one : deployed != nullptr ? deployed->as_array() : Json::Array()) {
    const std::string id = one.string_or("model_id");
    if (rows.count(id) == 0) rows[id] = {id, "", "", "", ""};
    Row& row = rows[id];
    const std::string state = state_of(one);
    if (row[4].empty() || state == "started") row[4] = state;
  }
  std::vector<Row> all;
  for (auto& [id, row] : rows) all.push_back(std::move(row));
  print_table({"MODEL", "TYPE", "SIZE", "TASKS", "STATE"}, all);
  return success;
}

int remove_models(const Arguments& arguments, Connection& connection) {
  std::size_t done = 0;
  int worst = success;
  for (const std::string& id : arguments.words()) {
    const auto answer =
        connection.ask("DELETE", "/_ml/trained_models/" + percent_encode(id) +
                                     (arguments.flag("--force") ? "?force=true" : ""));
    if (!answer.ok()) return explain(answer.error());
    if (answer->status != 200) {
      worst = explain(*answer);
      continue;
    }
    ++done;
    if (arguments.flag("--json"))
      print_json(answer->body);
    else
      std::fprintf(stderr, "model %s removed\n", id.c_str());
  }
  return worst == success || done == 0 ? worst : partly_failed;
}

/// Reached for its help alone: import_model() reads its own words.
int import_elsewhere(const Arguments&, Connection&) { return usage_error; }

const std::vector<Verb>& model_verbs() {
  static const std::vector<Verb> all = {
      {"import", {.options = {}, .flags = {}, .words_min = 1, .words_max = 1}, import_elsewhere},
      {"list", {.options = {}, .flags = {"--json"}}, list_models},
      {"remove",
       {.options = {}, .flags = {"--json", "--force"}, .words_min = 1, .words_max = 1000},
       remove_models},
  };
  return all;
}

}  // namespace

int model_command(const std::vector<std::string>& words, const Environment& environment) {
  if (!words.empty() && words[0] == "import" && !asks_for_help(words))
    return import_model({words.begin() + 1, words.end()}, environment, model_usage);
  return run_noun({.name = "model", .usage = model_usage, .verbs = model_verbs()}, words,
                  environment);
}

CommandPage model_page() { return {"model", std::string(model_usage)}; }

}  // namespace cairn::cli
