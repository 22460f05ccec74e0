// SPDX-License-Identifier: Apache-2.0
// Models for tests: answers that can be worked out by hand, and gates and faults on request.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "inference/model/model_source.h"

namespace cairn::inference {

/// Where threads stop until a test lets them through.
class Gate {
 public:
  explicit Gate(bool open = true) : open_(open) {}
  void set(bool open) {
    const MutexLock lock(mutex_);
    open_ = open;
    changed_.notify_all();
  }
  /// Waits until the gate is open, or the deadline. Counts those that came.
  Status pass(const os::Deadline& deadline) {
    MutexLock lock(mutex_);
    ++came_;
    ++inside_;
    most_inside_ = std::max(most_inside_, inside_);
    changed_.notify_all();
    const bool through = os::wait(changed_, lock, deadline, [&] { return open_; });
    --inside_;
    return through ? ok_status() : deadline.check("waiting at a gate");
  }
  /// Waits until `count` threads have come in all.
  void await(int count) {
    MutexLock lock(mutex_);
    while (came_ < count) changed_.wait(lock);
  }
  int came() const {
    const MutexLock lock(mutex_);
    return came_;
  }
  int most_inside() const {
    const MutexLock lock(mutex_);
    return most_inside_;
  }

 private:
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool open_;
  int came_ = 0;
  int inside_ = 0;
  int most_inside_ = 0;
};

/// What a FakeModel has been asked, and what it does. Shared by the test and the model.
struct FakeScript {
  Gate gate;                  // passed by every call but the warm-up
  std::string fails_on = {};  // an input with this text fails the call
  std::function<void()> before_gate = {};
  std::function<void()> on_call = {};
  Mutex mutex;
  std::vector<std::vector<std::string>> calls CAIRN_GUARDED_BY(mutex) = {};  // without warm-ups

  std::vector<std::vector<std::string>> seen() {
    const MutexLock lock(mutex);
    return calls;
  }
};

/// dense: {length of the text, input type}; sparse: {text: length}; rerank: the share of the query
/// in the document's length, 1 for an empty document.
class FakeModel final : public Model {
 public:
  FakeModel(std::string id, std::vector<TaskType> tasks, std::shared_ptr<FakeScript> script)
      : id_(std::move(id)), tasks_(std::move(tasks)), script_(std::move(script)) {}
  const std::string& model_id() const override { return id_; }
  bool supports(TaskType task) const override {
    return std::find(tasks_.begin(), tasks_.end(), task) != tasks_.end();
  }
  std::size_t dimensions() const override { return 2; }
  std::string_view similarity() const override { return "cosine"; }
  std::size_t size_bytes() const override { return 1'000; }
  std::size_t max_input_tokens() const override { return 8; }

  Result<std::vector<std::vector<float>>> embed(std::span<const std::string> inputs, InputType type,
                                                const os::Deadline& deadline) const override {
    CAIRN_CHECK(enter(inputs, deadline));
    std::vector<std::vector<float>> out;
    for (const std::string& input : inputs) {
      out.push_back({static_cast<float>(input.size()), static_cast<float>(type)});
    }
    return out;
  }
  Result<std::vector<SparseVector>> sparse(std::span<const std::string> inputs, InputType,
                                           const os::Deadline& deadline) const override {
    CAIRN_CHECK(enter(inputs, deadline));
    std::vector<SparseVector> out;
    for (const std::string& input : inputs) {
      out.push_back({.weights = {{input, static_cast<float>(input.size())}},
                     .is_truncated = input.size() > max_input_tokens()});
    }
    return out;
  }
  Result<std::vector<RerankScore>> rerank(const std::string& query,
                                          std::span<const std::string> documents,
                                          const os::Deadline& deadline) const override {
    CAIRN_CHECK(enter(documents, deadline));
    std::vector<RerankScore> out;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const auto both = static_cast<float>(query.size() + documents[i].size());
      out.push_back({.index = i, .score = static_cast<float>(query.size()) / both});
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    return out;
  }

  Result<QuotedText> quote(std::span<const SaidText>, const os::Deadline&) const override {
    if (script_->on_call) script_->on_call();
    return QuotedText{};
  }

 private:
  Status enter(std::span<const std::string> inputs, const os::Deadline& deadline) const {
    if (inputs.size() == 1 && inputs[0] == "warm up") return ok_status();
    {
      const MutexLock lock(script_->mutex);
      script_->calls.emplace_back(inputs.begin(), inputs.end());
    }
    if (script_->before_gate) script_->before_gate();
    CAIRN_CHECK(script_->gate.pass(deadline));
    if (script_->on_call) script_->on_call();
    for (const std::string& input : inputs) {
      if (!script_->fails_on.empty() && input == script_->fails_on) {
        return Error{.message = "the model cannot take [" + input + "]"};
      }
    }
    return ok_status();
  }

  std::string id_;
  std::vector<TaskType> tasks_;
  std::shared_ptr<FakeScript> script_;
};

/// Models by id, with a gate before the end of each load and a fault to give instead.
class FakeModels final : public ModelSource {
 public:
  explicit FakeModels(bool loads_pass = true) : load_gate(loads_pass) {
    add("cairn-mini", {TaskType::text_embedding, TaskType::sparse_embedding, TaskType::rerank});
  }
  void add(const std::string& id, std::vector<TaskType> tasks) {
    infos_[id] = {.model_id = id,
                  .model_type = "fake",
                  .size_bytes = 500,
                  .tasks = std::move(tasks),
                  .dimensions = 2};
  }
  void fail_loads(std::optional<Error> error) {
    const MutexLock lock(mutex_);
    failure_ = std::move(error);
  }

  Result<std::vector<ModelInfo>> list(const os::Deadline&) override {
    std::vector<ModelInfo> out;
    for (const auto& [id, info] : infos_) out.push_back(info);
    return out;
  }
  Result<ModelInfo> describe(std::string_view model_id, const os::Deadline&) override {
    const auto found = infos_.find(model_id);
    if (found != infos_.end()) return found->second;
    return Error{.kind = ErrorKind::not_found, .message = "no model " + std::string(model_id)};
  }
  Result<std::shared_ptr<const Model>> load(std::string_view model_id, const LoadProgress& progress,
                                            const os::Deadline& deadline) override {
    CAIRN_TRY(const ModelInfo info, describe(model_id, deadline));
    progress(100, info.size_bytes);
    CAIRN_CHECK(load_gate.pass(deadline));
    const MutexLock lock(mutex_);
    if (failure_) return *failure_;
    return std::make_shared<const FakeModel>(info.model_id, info.tasks, script);
  }

  Gate load_gate;
  std::shared_ptr<FakeScript> script = std::make_shared<FakeScript>();

 private:
  std::map<std::string, ModelInfo, std::less<>> infos_;
  Mutex mutex_;
  std::optional<Error> failure_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
