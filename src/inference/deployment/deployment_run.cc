// SPDX-License-Identifier: Apache-2.0
// The way of work through a deployment: queue, batch, pieces on the pool, result.
#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "format/time.h"
#include "inference/deployment/deployment_impl.h"
#include "inference/errors.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

constexpr std::int64_t run_ns_per_ms = 1'000'000;

/// What a client sends may be more than there is memory for.
Result<QuotedText> safe_quote(const Model& model, std::span<const SaidText> said,
                              const os::Deadline& deadline) {
  try {
    return model.quote(said, deadline);
  } catch (const std::bad_alloc&) {
    return Error{.kind = ErrorKind::rate_limited,
                 .message = "there is not enough memory for the prompt"};
  }
}

/// Calls the model for neighbouring texts.
Result<ModelResult> call(const Model& model, const ModelRequest& work,
                         std::span<const std::string> inputs, const os::Deadline& deadline) {
  ModelResult out;
  switch (work.task) {
    case TaskType::text_embedding: {
      CAIRN_TRY(out.dense, model.embed(inputs, work.input_type, deadline));
      return out;
    }
    case TaskType::sparse_embedding: {
      CAIRN_TRY(out.sparse, model.sparse(inputs, work.input_type, deadline));
      return out;
    }
    case TaskType::rerank: {
      CAIRN_TRY(const auto scores, model.rerank(work.query, inputs, deadline));
      out.scores.resize(inputs.size());
      for (const RerankScore& score : scores) out.scores.at(score.index) = score.score;
      return out;
    }
    case TaskType::completion:
    case TaskType::chat_completion: {
      CAIRN_TRY(QuotedText text, safe_quote(model, work.said, deadline));
      out.texts.push_back(std::move(text));
      return out;
    }
  }
  return status_error(ErrorKind::unsupported, "Model [" + model.model_id() +
                                                  "] does not support task type [" +
                                                  std::string(name_of(work.task)) + "]");
}

template <class Element>
void move_to(std::vector<Element>& from, std::size_t at, std::vector<Element>& to,
             const Slice& slice) {
  if (from.empty()) return;
  std::move(from.begin() + static_cast<std::ptrdiff_t>(at),
            from.begin() + static_cast<std::ptrdiff_t>(at + slice.size()),
            to.begin() + static_cast<std::ptrdiff_t>(slice.begin));
}

/// True where the model gave one element for each input.
bool is_whole(const ModelResult& result, TaskType task, std::size_t inputs) {
  return (task == TaskType::text_embedding && result.dense.size() == inputs) ||
         (task == TaskType::sparse_embedding && result.sparse.size() == inputs) ||
         (task == TaskType::rerank && result.scores.size() == inputs) ||
         (gives_texts(task) && result.texts.size() == inputs);
}

}  // namespace

/// The error of a call whose time is up, counted.
Error Deployment::Impl::late(std::int64_t timeout_ms) {
  ++timeout_count;
  timeouts_metric.add();
  const std::string timeout = timeout_ms < 0 ? std::string("-1") : format_time_value(timeout_ms);
  return status_error(ErrorKind::timeout, "Timeout [" + timeout + "] waiting for inference result")
      .with_detail("_status", "408");
}

/// Sees that a deployment that can run is on its way.
Status Deployment::Impl::wake() {
  if (state == DeploymentState::stopping) return not_started();
  if (state == DeploymentState::failed) {
    if (clock.steady_ns() - failed_ns < options.failed_retry_ms * run_ns_per_ms)
      return not_started();
    begin_load();
    if (state == DeploymentState::failed) return not_started();
  }
  return ok_status();
}

/// A call to a deployment that was scaled to zero.
void Deployment::Impl::leave_zero() {
  if (settings.number_of_allocations > 0) return;
  settings.number_of_allocations = 1;
  last_scale_up_ns = clock.steady_ns();
  begin_load();
}

/// Whether new work may wait. The lock is held.
Status Deployment::Impl::admit(const ModelRequest& work) {
  CAIRN_CHECK(wake());
  const bool free = model != nullptr && queue.inputs() == 0 &&
                    static_cast<std::int64_t>(active.size()) < settings.number_of_allocations;
  if (work.only_at_once && !free) return late(work.timeout_ms);
  const std::size_t waiting = queue.inputs();
  if (!free && waiting > 0 &&
      waiting + work.inputs.size() > static_cast<std::size_t>(settings.queue_capacity)) {
    ++rejected_count;
    rejected_metric.add();
    return Error{.kind = ErrorKind::rate_limited,
                 .code = "es_rejected_execution_exception",
                 .message = "The queue of deployment [" + settings.deployment_id + "] is full: " +
                            std::to_string(waiting) + " inputs wait, queue_capacity is " +
                            std::to_string(settings.queue_capacity) + "; try again later"};
  }
  leave_zero();
  return ok_status();
}

Result<ModelResult> Deployment::run(ModelRequest work, const os::Deadline& deadline) {
  if (work.inputs.empty()) return ModelResult{};
  Impl& d = *impl_;
  const auto job = std::make_shared<Job>(std::move(work));
  MutexLock lock(d.mutex);
  d.last_request_ns = d.clock.steady_ns();
  d.last_access_ms = d.clock.unix_ms();
  CAIRN_CHECK(d.admit(job->work));
  d.queue.push(job);
  d.dispatch();
  {
    const os::Blocking blocking;
    os::wait(job->changed, lock, deadline, [&] { return job->finished(); });
  }
  os::charge_pool_cpu(d.cpu_of(*job));  // as pool work of this thread's request
  if (!job->finished()) {
    d.give_up(*job);
    if (deadline.stopped()) return deadline.check("waiting for an inference result").error();
    return d.late(job->work.timeout_ms);
  }
  if (job->error) return *std::move(job->error);
  return std::move(job->result);
}

void Deployment::Impl::give_up(Job& job) {
  job.given_up = true;
  queue.remove(job);
  for (const std::shared_ptr<Batch>& batch : active) {
    if (!batch->wanted()) batch->stop.request_stop();
  }
}

void Deployment::Impl::dispatch() {
  while (model != nullptr && queue.inputs() > 0) {
    const bool is_free_here = active_here() < allocations_here();
    const auto place = is_free_here ? places.end() : free_place();
    if (!is_free_here && place == places.end()) return;
    auto batch = std::make_shared<Batch>();
    batch->slices = queue.take(options.batch_inputs);
    active.push_back(batch);
    if (place == places.end() || !launch_there(batch, place)) launch(std::move(batch));
  }
}

/// On this node, of a batch that is active.
void Deployment::Impl::launch(std::shared_ptr<Batch> batch) {
  batch->pieces = cut(batch->slices, static_cast<std::size_t>(settings.threads_per_allocation));
  batch->pieces_left = batch->pieces.size();
  for (Piece& piece : batch->pieces) {
    const Status queued = cpu.submit([self = shared_from_this(), batch, &piece, used = model] {
      self->run_piece(batch, piece, used);
    });
    if (queued.ok()) continue;
    finish_piece(batch, piece,
                 Error{.kind = ErrorKind::rate_limited,
                       .code = "es_rejected_execution_exception",
                       .message = "Deployment [" + settings.deployment_id +
                                  "] cannot run now: " + queued.error().message},
                 0);
  }
}

void Deployment::Impl::run_piece(const std::shared_ptr<Batch>& batch, Piece& piece,
                                 const std::shared_ptr<const Model>& used) {
  {
    const MutexLock lock(mutex);
    if (batch->begun_ns < 0) batch->begun_ns = clock.steady_ns();
    piece.cpu = os::ThreadCpuClock::of_this_thread();
    piece.cpu_begun_ns = os::thread_cpu_ns();
  }
  const std::vector<Slice>& slices = piece.slices;
  const ModelRequest& work = slices.front().job->work;  // all slices agree on task and input type
  std::vector<std::string> gathered;
  std::span<const std::string> inputs(work.inputs.data() + slices.front().begin,
                                      slices.front().size());
  if (slices.size() > 1) {
    for (const Slice& slice : slices) {
      const auto& from = slice.job->work.inputs;
      gathered.insert(gathered.end(), from.begin() + static_cast<std::ptrdiff_t>(slice.begin),
                      from.begin() + static_cast<std::ptrdiff_t>(slice.end));
    }
    inputs = gathered;
  }
  Result<ModelResult> result =
      call(*used, work, inputs, os::Deadline::never(batch->stop.get_token()));
  if (result.ok() && !is_whole(*result, work.task, inputs.size())) {
    result = Error{.message = "Model [" + used->model_id() +
                              "] gave another number of results than it got inputs"};
  }
  const MutexLock lock(mutex);
  const std::int64_t took_ns = piece.cpu ? os::thread_cpu_ns() - piece.cpu_begun_ns : 0;
  piece.cpu.reset();
  finish_piece(batch, piece, std::move(result), took_ns);
  dispatch();
}

std::int64_t Deployment::Impl::cpu_of(const Job& job) const {
  std::int64_t sum = job.cpu_ns;
  for (const std::shared_ptr<Batch>& batch : active)
    for (const Piece& piece : batch->pieces)
      if (piece.cpu)
        sum += piece.share_of(job, piece.cpu->read_ns() - piece.cpu_begun_ns, most_bytes);
  return sum;
}

/// `took_ns`: of CPU time.
void Deployment::Impl::finish_piece(const std::shared_ptr<Batch>& batch, Piece& piece,
                                    Result<ModelResult> result, std::int64_t took_ns) {
  const bool is_here = batch->node.empty();  // metrics are of whoever runs it
  if (is_here) cpu_metric.add(static_cast<std::uint64_t>(std::max<std::int64_t>(took_ns, 0)));
  std::size_t at = 0;
  for (const Slice& slice : piece.slices) {
    Job& job = *slice.job;
    job.cpu_ns += piece.share_of(job, took_ns, most_bytes);  // a job has one slice in a piece
    if (!result.ok()) {
      if (!job.given_up) error_count += slice.size(), errors_metric.add(slice.size());
      if (!job.error) job.error = result.error();
      queue.remove(job);  // the rest of it would be thrown away
    } else if (!job.finished()) {
      move_to(result->dense, at, job.result.dense, slice);
      move_to(result->sparse, at, job.result.sparse, slice);
      move_to(result->scores, at, job.result.scores, slice);
      move_to(result->texts, at, job.result.texts, slice);
      job.done += slice.size();
    }
    if (result.ok()) inference_count += slice.size();
    if (result.ok() && is_here) inputs_metric.add(slice.size());
    at += slice.size();
    if (job.finished()) job.changed.notify_all();
  }
  if (--batch->pieces_left == 0) finish_batch(batch);
}

void Deployment::Impl::finish_batch(const std::shared_ptr<Batch>& batch) {
  const std::int64_t now_ns = clock.steady_ns();
  const std::int64_t took_ns = batch->begun_ns < 0 ? 0 : now_ns - batch->begun_ns;
  busy_ns += took_ns;
  throughput.add(now_ns, batch->inputs(), took_ns);
  if (const auto place = places.find(batch->node); place != places.end()) {
    place->second.busy_ns += took_ns;
    place->second.throughput.add(now_ns, batch->inputs(), took_ns);
  }
  if (batch->node.empty()) batch_metric.observe_ns(took_ns);
  active.erase(std::find(active.begin(), active.end(), batch));
}

}  // namespace cairn::inference
