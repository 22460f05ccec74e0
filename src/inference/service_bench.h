// SPDX-License-Identifier: Apache-2.0
// A service over fake models and a store in memory, for tests.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

#include "inference/fake_models.h"
#include "inference/service.h"
#include "store/memory_store.h"

namespace cairn::inference {

struct ServiceBench {
  explicit ServiceBench(bool loads_pass = true, Options o = {}) : models(loads_pass) {
    options = std::move(o);
    options.background = false;
    open();
  }
  ~ServiceBench() { close(); }

  void open() {
    auto opened = Service::open(*records, models, cpu, clock, options, os::Deadline::never());
    REQUIRE(opened.ok());
    service = std::move(opened).value();
  }
  void close() {
    models.script->gate.set(true);
    service.reset();
  }
  /// As after a kill: the records are all that is left.
  void restart() {
    close();
    open();
  }

  static Json json(std::string_view text) {
    Result<Json> parsed = parse_json(text);
    REQUIRE_MESSAGE(parsed.ok(), text);
    return std::move(parsed).value();
  }
  /// A body with these service settings.
  static Json body(std::string_view settings, std::string_view rest = "") {
    return json(R"({"service":"elasticsearch","service_settings":)" + std::string(settings) +
                std::string(rest) + "}");
  }
  static constexpr std::string_view simple =
      R"({"model_id":"cairn-mini","num_threads":1,"num_allocations":1})";

  Result<Endpoint> put(std::string_view id, std::string_view settings = simple,
                       std::int64_t wait_ms = -1, TaskType task = TaskType::text_embedding) {
    return service->put_endpoint(task, id, body(settings), wait_ms, os::Deadline::never());
  }
  Result<DeleteReport> remove(std::string_view id, bool force = false, bool dry_run = false) {
    return service->delete_endpoint({}, id, dry_run, force, os::Deadline::never());
  }
  Result<InferResult> infer(std::string_view id, std::vector<std::string> input,
                            std::optional<std::string> query = {}) {
    return service->infer(
        {.inference_id = std::string(id), .input = std::move(input), .query = std::move(query)},
        os::Deadline::never());
  }
  /// Statistics of one deployment, or null.
  Json stats(std::string_view id) {
    const auto all =
        service->trained_model_stats({.expression = std::string(id)}, os::Deadline::never());
    if (!all.ok()) return {};
    for (const Json& row : all->find("trained_model_stats")->as_array()) {
      const Json* deployment = row.find("deployment_stats");
      if (deployment != nullptr && deployment->string_or("deployment_id") == id) return *deployment;
    }
    return {};
  }
  std::vector<std::string> keys() {
    std::vector<std::string> out;
    REQUIRE(store::for_each_object(*records, "", os::Deadline::never(),
                                   [&](const store::ObjectInfo& info) -> Status {
                                     out.push_back(info.key);
                                     return ok_status();
                                   })
                .ok());
    return out;
  }

  std::function<Status(std::string_view call, std::string_view key)> fault = {};
  std::unique_ptr<store::Store> records =
      store::memory_store({.before = [this](std::string_view call, std::string_view key) -> Status {
        return fault ? fault(call, key) : ok_status();
      }});
  os::FakeClock clock;
  FakeModels models;
  os::Pool cpu{{.name = "test-cpu", .threads = 4, .queue = 1024}};
  Options options;
  std::unique_ptr<Service> service;
};

}  // namespace cairn::inference
