// SPDX-License-Identifier: Apache-2.0
// Finding models elsewhere and bringing them here, however often the way breaks.
#include "inference/fetch/fetched_models.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

constexpr std::size_t largest_sums = 1 << 20;
constexpr std::uint64_t progress_bytes = 1 << 20;  // between two notes about progress

std::string path_of(const std::string& model_id, std::string_view file) {
  return model_id + "/" + std::string(file);
}

Error unknown_model(const std::string& model_id) {
  return Error{.kind = ErrorKind::not_found,
               .code = "resource_not_found_exception",
               .message = "No known trained model with model_id [" + model_id + "]"};
}

/// True for what no further try will mend.
bool is_final(const Error& error) {
  return error.kind == ErrorKind::not_found || error.kind == ErrorKind::corrupt ||
         error.kind == ErrorKind::invalid_argument || error.kind == ErrorKind::cancelled ||
         error.kind == ErrorKind::storage_full;
}

/// What a source has is no fault of this server's.
Error as_fault_of_source(const Status& failed) {
  Error out = failed.error();
  if (out.kind == ErrorKind::corrupt) out.kind = ErrorKind::invalid_argument;
  return out;
}

std::string percent(std::uint64_t done, std::uint64_t total) {
  return std::to_string(total == 0 ? 0 : done * 100 / total) + " %";
}

}  // namespace

FetchedModels::FetchedModels(store::Store& store, StoredModels& stored,
                             std::vector<std::unique_ptr<FileSource>> places, FetchOptions options)
    : store_(store), stored_(stored), places_(std::move(places)), options_(options) {}

Result<std::vector<ModelInfo>> FetchedModels::list(const os::Deadline& deadline) {
  return stored_.list(deadline);
}

Result<ModelInfo> FetchedModels::describe(std::string_view model_id, const os::Deadline& deadline) {
  return stored_.describe(model_id, deadline);
}

Result<std::shared_ptr<const Model>> FetchedModels::load(std::string_view model_id,
                                                         const LoadProgress& progress,
                                                         const os::Deadline& deadline) {
  return stored_.load(model_id, progress, deadline);
}

Result<bool> FetchedModels::remove(std::string_view model_id, const os::Deadline& deadline) {
  return stored_.remove(model_id, deadline);
}

Result<bool> FetchedModels::holds(std::string_view model_id, const os::Deadline& deadline) {
  CAIRN_TRY(const auto config,
            store_.head(path_of(std::string(model_id), "config.json"), deadline));
  return config.has_value();
}

/// The first place that has the model. A place that cannot be asked leaves it open whether there is
/// such a model, unless another has it.
Result<FetchedModels::Found> FetchedModels::find(const std::string& model_id,
                                                 const os::Deadline& deadline) {
  if (!check_new_model_id(model_id).ok()) return unknown_model(model_id);
  std::string unreachable;
  for (const auto& place : places_) {
    const Result<std::string> text = place->read(path_of(model_id, sums_file_name), largest_sums,
                                                 deadline.sooner_ms(options_.ask_ms));
    if (text.ok()) {
      Result<Sums> sums = read_sums(*text);
      if (sums.ok()) return Found{.place = place.get(), .sums = std::move(sums).value()};
      return with_context(std::move(sums).error(), "source [" + place->name() + "]");
    }
    CAIRN_CHECK(deadline.check("asking for model [" + model_id + "]"));
    if (text.error().kind == ErrorKind::not_found) continue;
    if (text.error().kind == ErrorKind::too_large) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "source [" + place->name() + "]: " + text.error().message};
    }
    if (!unreachable.empty()) unreachable += "; ";
    unreachable += "source [" + place->name() + "] cannot be reached: " + text.error().message;
  }
  if (unreachable.empty()) return unknown_model(model_id);
  return Error{.kind = ErrorKind::unavailable, .message = std::move(unreachable)};
}

/// What the head of a GGUF file says; nothing where that is not the model.
Result<SmallFiles> FetchedModels::said_by_gguf(const Found& found, const std::string& model_id,
                                               const os::Deadline& deadline) {
  std::vector<ModelFile> files;
  for (const auto& [name, digest] : found.sums) files.push_back({.name = name, .sha256 = digest});
  const std::string name = gguf_file_of(files);
  if (name.empty()) return SmallFiles();
  const std::string path = path_of(model_id, name);
  const auto read = [&](std::uint64_t offset, std::uint64_t count) -> Result<std::string> {
    std::string out;
    const auto take = [&](std::string_view bytes) -> Status {
      out += bytes.substr(0, count - out.size());
      if (out.size() < count) return ok_status();
      return Error{.kind = ErrorKind::already_exists};  // the rest is not asked for
    };
    const Status done =
        found.place->stream(path, offset, take, deadline.sooner_ms(options_.ask_ms));
    if (!done.ok() && done.error().kind != ErrorKind::already_exists) return done.error();
    return out;
  };
  CAIRN_TRY(const std::uint64_t size, found.place->size(path, deadline.sooner_ms(options_.ask_ms)));
  Result<SmallFiles> out = small_files_of_gguf(name, size, read);
  if (out.ok()) return out;
  const bool is_wrong = out.error().kind == ErrorKind::unsupported;
  Error error = with_context(std::move(out).error(),
                             "file [" + name + "] at source [" + found.place->name() + "]");
  if (is_wrong) error.kind = ErrorKind::invalid_argument;
  return error;
}

Result<ModelInfo> FetchedModels::discover(std::string_view model_id, const os::Deadline& deadline) {
  Result<ModelInfo> here = stored_.describe(model_id, deadline);
  if (here.ok() || here.error().kind != ErrorKind::not_found || places_.empty()) return here;
  const std::string id(model_id);
  CAIRN_TRY(const Found found, find(id, deadline));
  CAIRN_TRY(const SmallFiles said, said_by_gguf(found, id, deadline));
  const auto read = [&](std::string_view name) -> Result<std::string> {
    if (const auto text = said.find(name); text != said.end()) return text->second;
    const auto sum = std::find_if(found.sums.begin(), found.sums.end(),
                                  [&](const auto& one) { return one.first == name; });
    if (sum == found.sums.end()) {
      return Error{.kind = ErrorKind::not_found,
                   .message = "SHA256SUMS of model [" + id + "] at source [" + found.place->name() +
                              "] names no " + std::string(name)};
    }
    CAIRN_TRY(std::string bytes, found.place->read(path_of(id, name), largest_small_file(name),
                                                   deadline.sooner_ms(options_.ask_ms)));
    if (to_hex(sha256(bytes)) == sum->second) return bytes;
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "file [" + std::string(name) + "] at source [" + found.place->name() +
                            "] does not match SHA256SUMS"};
  };
  Result<ModelInfo> info = info_of({.model_id = id, .read = read});
  if (!info.ok() && info.error().kind == ErrorKind::not_found) {
    return Error{.kind = ErrorKind::invalid_argument, .message = info.error().message};
  }
  return info;
}

Result<std::vector<ModelFile>> FetchedModels::sizes_of(const Found& found,
                                                       const std::string& model_id,
                                                       const os::Deadline& deadline) {
  std::vector<ModelFile> out;
  for (const auto& [name, digest] : found.sums) {
    CAIRN_CHECK(deadline.check("asking for model [" + model_id + "]"));
    const Result<std::uint64_t> size = found.place->size(path_of(model_id, name), deadline);
    if (!size.ok() && size.error().kind == ErrorKind::not_found) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "SHA256SUMS at source [" + found.place->name() + "] names [" + name +
                              "], which is not there"};
    }
    if (!size.ok()) {
      return with_context(size.error(), "source [" + found.place->name() + "] cannot be reached");
    }
    out.push_back({.name = name, .size_bytes = *size, .sha256 = digest});
  }
  // The same rules as for a list that comes over the wire.
  return read_manifest(manifest_json(out));
}

Status FetchedModels::receive(Intake& intake, FileSource& place, const FetchProgress& tell,
                              std::uint64_t& got, const os::Deadline& deadline) {
  FetchStep step{.done_bytes = intake.received_bytes(),
                 .total_bytes = intake.total_bytes(),
                 .source = place.name()};
  tell(step);
  const std::vector<FilePiece> missing = intake.missing();
  for (std::size_t i = 0; i < missing.size();) {
    const std::string file = missing[i].file;
    std::string buffer;
    std::uint64_t told = step.done_bytes;
    const auto take = [&](std::string_view bytes) -> Status {
      CAIRN_CHECK(deadline.check("downloading model [" + intake.model_id() + "]"));
      while (!bytes.empty() && i < missing.size() && missing[i].file == file) {
        const std::size_t count =
            std::min<std::size_t>(bytes.size(), missing[i].count - buffer.size());
        buffer.append(bytes.substr(0, count));
        bytes.remove_prefix(count);
        step.done_bytes += count;
        got += count;
        if (buffer.size() < missing[i].count) continue;
        CAIRN_CHECK(intake.put(file, missing[i].offset, buffer, deadline));
        buffer.clear();
        const std::uint64_t end = missing[i].offset + missing[i].count;
        ++i;
        // A piece in between is here already: another request goes on behind it.
        const bool follows =
            i < missing.size() && missing[i].file == file && missing[i].offset == end;
        if (!follows) return Error{.kind = ErrorKind::already_exists};
      }
      if (step.done_bytes - told >= progress_bytes) {
        told = step.done_bytes;
        tell(step);
      }
      return ok_status();
    };
    const std::size_t before = i;
    const Status read =
        place.stream(path_of(intake.model_id(), file), missing[i].offset, take, deadline);
    if (!read.ok() && read.error().kind != ErrorKind::already_exists) {
      return with_context(read.error(), "source [" + place.name() + "]");
    }
    if (i == before || !buffer.empty()) {
      return Error{.kind = ErrorKind::unavailable,
                   .message = "source [" + place.name() + "]: file [" + file + "] ended early"};
    }
    tell(step);
  }
  return ok_status();
}

Status FetchedModels::attempt(const std::string& model_id, const FetchProgress& tell,
                              std::uint64_t& got, const os::Deadline& deadline) {
  CAIRN_TRY(const Found found, find(model_id, deadline));
  CAIRN_TRY(std::vector<ModelFile> files, sizes_of(found, model_id, deadline));
  Intake intake(store_, model_id, std::move(files));
  CAIRN_CHECK(intake.begin(deadline));
  os::log(os::LogLevel::info, "inference", "model_download",
          {{"model_id", model_id},
           {"source", found.place->name()},
           {"received_bytes", intake.received_bytes()},
           {"total_bytes", intake.total_bytes()}});
  std::uint64_t logged_tenths = 0;
  const auto tell_and_log = [&](const FetchStep& step) {
    tell(step);
    const std::uint64_t tenths =
        step.total_bytes == 0 ? 0 : step.done_bytes * 10 / step.total_bytes;
    if (tenths <= logged_tenths || tenths >= 10) return;
    logged_tenths = tenths;
    os::log(os::LogLevel::info, "inference", "model_download_progress",
            {{"model_id", model_id}, {"done", percent(step.done_bytes, step.total_bytes)}});
  };
  CAIRN_CHECK(receive(intake, *found.place, tell_and_log, got, deadline));
  FetchStep step{
      .verifying = true, .total_bytes = intake.total_bytes(), .source = found.place->name()};
  const auto verified = [&](std::uint64_t bytes) {
    step.done_bytes = bytes;
    tell(step);
  };
  const std::uint64_t total = intake.total_bytes();
  const std::shared_ptr<Mutex> turn = stored_.turns().of(model_id);
  const MutexLock lock(*turn);
  CAIRN_TRY(const bool imported, holds(model_id, deadline));
  if (imported) return intake.discard(deadline);  // somebody else was faster
  if (const Status done = intake.publish(verified, deadline); !done.ok()) {
    if (done.error().kind == ErrorKind::invalid_argument) CAIRN_CHECK(intake.discard(deadline));
    return with_context(done.error(), "source [" + found.place->name() + "]");
  }
  os::log(os::LogLevel::info, "inference", "model_downloaded",
          {{"model_id", model_id}, {"source", found.place->name()}, {"bytes", total}});
  return ok_status();
}

Status FetchedModels::run(const std::string& model_id, const FetchProgress& progress,
                          const os::Deadline& deadline) {
  FetchStep last;
  const auto tell = [&](const FetchStep& step) {
    last = step;
    progress(step);
  };
  std::int64_t wait_ms = options_.first_retry_ms;
  bool was_corrupt = false;
  while (true) {
    std::uint64_t got = 0;
    const Status tried = attempt(model_id, tell, got, deadline);
    if (tried.ok() || deadline.passed()) return tried;
    // Bytes that were damaged on their way may come right the second time; twice is no accident.
    const bool corrupt = tried.error().kind == ErrorKind::corrupt;
    if (is_final(tried.error()) && (!corrupt || was_corrupt)) return as_fault_of_source(tried);
    was_corrupt = was_corrupt || corrupt;
    if (got > 0) wait_ms = options_.first_retry_ms;
    FetchStep step = last;
    step.note = tried.error().message + "; trying again in " + format_time_value(wait_ms);
    os::log(os::LogLevel::warn, "inference", "model_download_interrupted",
            {{"model_id", model_id}, {"reason", step.note}});
    tell(step);
    if (!os::sleep_ms(wait_ms, deadline))
      return deadline.check("downloading model [" + model_id + "]");
    wait_ms = std::min(wait_ms * 2, options_.longest_retry_ms);
  }
}

void FetchedModels::tell(const std::string& model_id, const FetchStep& step) {
  std::vector<FetchProgress> told;
  std::vector<FetchWatcher> gone;
  {
    const MutexLock lock(mutex_);
    Download& download = running_[model_id];
    download.step = step;
    std::erase_if(download.watchers, [&](FetchWatcher& watcher) {
      if (!watcher.deadline.passed()) return false;
      gone.push_back(std::move(watcher));
      return true;
    });
    for (const FetchWatcher& watcher : download.watchers) told.push_back(watcher.progress);
  }
  for (const FetchProgress& progress : told) progress(step);
  for (const FetchWatcher& watcher : gone)
    watcher.done(watcher.deadline.check("downloading model [" + model_id + "]"));
}

std::vector<FetchWatcher> FetchedModels::end(const std::string& model_id) {
  const MutexLock lock(mutex_);
  std::vector<FetchWatcher> watchers = std::move(running_[model_id].watchers);
  running_.erase(model_id);
  return watchers;
}

std::optional<FetchWatcher> FetchedModels::next_leader(const std::string& model_id,
                                                       std::vector<FetchWatcher>& gone) {
  const MutexLock lock(mutex_);
  std::vector<FetchWatcher>& watchers = running_[model_id].watchers;
  while (!watchers.empty()) {
    FetchWatcher first = std::move(watchers.front());
    watchers.erase(watchers.begin());
    if (!first.deadline.passed()) return first;
    gone.push_back(std::move(first));
  }
  running_.erase(model_id);
  return std::nullopt;
}

void FetchedModels::fetch(std::string_view model_id, FetchWatcher watcher) {
  const std::string id(model_id);
  const Result<bool> here = holds(id, watcher.deadline);
  if (!here.ok()) return watcher.done(here.error());
  if (*here) return watcher.done(ok_status());
  if (places_.empty()) return watcher.done(unknown_model(id));
  {
    MutexLock lock(mutex_);
    const auto [download, is_first] = running_.try_emplace(id);
    if (!is_first) {
      const FetchStep step = download->second.step;
      const FetchProgress progress = watcher.progress;
      download->second.watchers.push_back(std::move(watcher));
      lock.unlock();
      return progress(step);
    }
  }
  while (true) {
    const auto progress = [&](const FetchStep& step) {
      watcher.progress(step);
      tell(id, step);
    };
    const Status result = run(id, progress, watcher.deadline);
    const bool given_up = !result.ok() && watcher.deadline.passed();
    std::vector<FetchWatcher> told;
    std::optional<FetchWatcher> next;
    if (given_up) next = next_leader(id, told);
    else told = end(id);
    watcher.done(result);
    for (const FetchWatcher& one : told) one.done(result);
    if (!next) return;
    watcher = *std::move(next);
  }
}

}  // namespace cairn::inference
