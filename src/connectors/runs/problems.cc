// SPDX-License-Identifier: Apache-2.0
#include "connectors/runs/problems.h"

#include <algorithm>
#include <utility>

#include "base/compress.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t problems_in_chunk = 1000;
constexpr std::size_t chunk_bytes_max = 64u << 20;
constexpr std::size_t reason_bytes_max = 1000;
constexpr std::size_t first_chunk = 100'000'000;  // so that the order of keys is that of chunks

struct CurrentProblems {
  std::string job;
  std::size_t count = 0;
};

std::string chunk_key(const std::string& prefix, const std::string& job, std::size_t number) {
  return prefix + "run/" + job + "/" + std::to_string(first_chunk + number);
}

Error corrupt_problems(const std::string& key) {
  return {.kind = ErrorKind::corrupt, .message = "the problems in " + key + " cannot be read"};
}

std::string encode_problems(const std::vector<Problem>& problems) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const Problem& one : problems) {
    json.begin_array().string(one.path).string(name_of(one.kind));
    json.string(one.reason).unsigned_integer(one.version).end_array();
  }
  json.end_array();
  return zstd(text);
}

Result<std::vector<Problem>> decode_problems(const std::string& key, std::string_view bytes) {
  CAIRN_TRY(const std::string text, unzstd(bytes, chunk_bytes_max));
  CAIRN_TRY(const Json json, parse_json(text));
  if (!json.is_array()) return corrupt_problems(key);
  std::vector<Problem> out;
  for (const Json& row : json.as_array()) {
    if (!row.is_array() || row.as_array().size() != 4) return corrupt_problems(key);
    const auto& cells = row.as_array();
    const bool well = cells[0].is_string() && cells[1].is_string() && cells[2].is_string() &&
                      cells[3].is_count();
    if (!well) return corrupt_problems(key);
    Problem one{.path = cells[0].as_string(), .reason = cells[2].as_string()};
    for (const auto kind : {ProblemKind::skipped, ProblemKind::refused})
      if (cells[1].as_string() == name_of(kind)) one.kind = kind;
    one.version = cells[3].as_unsigned();
    out.push_back(std::move(one));
  }
  return out;
}

Result<CurrentProblems> current_problems(store::Store& store, const std::string& prefix,
                                         const os::Deadline& deadline) {
  const auto object = store.get(prefix + "current", deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return CurrentProblems{};
    return object.error();
  }
  CAIRN_TRY(const Json json, parse_json(object->bytes));
  const std::int64_t count = json.int_or("count");
  if (count < 0) return corrupt_problems(prefix + "current");
  return CurrentProblems{.job = json.string_or("job"), .count = static_cast<std::size_t>(count)};
}

/// Those of some chunks, [first, end).
Result<std::vector<Problem>> read_chunks(store::Store& store, const std::string& prefix,
                                         const std::string& job, std::size_t first, std::size_t end,
                                         const os::Deadline& deadline) {
  std::vector<Problem> out;
  for (std::size_t number = first; number < end; ++number) {
    const std::string key = chunk_key(prefix, job, number);
    CAIRN_TRY(const auto object, store.get(key, deadline));
    CAIRN_TRY(auto some, decode_problems(key, object.bytes));
    std::move(some.begin(), some.end(), std::back_inserter(out));
  }
  return out;
}

std::size_t chunks_of(std::size_t count) {
  return (count + problems_in_chunk - 1) / problems_in_chunk;
}

std::string problems_prefix(const std::string& connector_id) {
  return "state/" + connector_id + "/problems/";
}

}  // namespace

std::string_view name_of(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::skipped:
      return "skipped";
    case ProblemKind::unreadable:
      return "unreadable";
    case ProblemKind::refused:
      return "refused";
  }
  return {};
}

ProblemLog::ProblemLog(store::Store& store, const std::string& connector_id, std::string job_id)
    : store_(store), prefix_(problems_prefix(connector_id)), job_(std::move(job_id)) {}

Result<std::vector<Problem>> ProblemLog::earlier(const os::Deadline& deadline) const {
  CAIRN_TRY(const CurrentProblems current, current_problems(store_, prefix_, deadline));
  return read_chunks(store_, prefix_, current.job, 0, chunks_of(current.count), deadline);
}

Status ProblemLog::add(Problem problem, const os::Deadline& deadline) {
  if (problem.reason.size() > reason_bytes_max) problem.reason.resize(reason_bytes_max);
  waiting_.push_back(std::move(problem));
  return waiting_.size() < problems_in_chunk ? ok_status() : flush(deadline);
}

Status ProblemLog::flush(const os::Deadline& deadline) {
  if (waiting_.empty()) return ok_status();
  CAIRN_CHECK(store_.put(chunk_key(prefix_, job_, chunks_), encode_problems(waiting_), deadline));
  ++chunks_;
  count_ += waiting_.size();
  waiting_.clear();
  return ok_status();
}

Status ProblemLog::finish(const os::Deadline& deadline) {
  CAIRN_CHECK(flush(deadline));
  const Json json = Json::object({{"job", job_}, {"count", static_cast<std::int64_t>(count_)}});
  CAIRN_CHECK(store_.put(prefix_ + "current", json.dump(), deadline));
  std::vector<std::string> keys;  // of other runs, and of this one before a crash
  CAIRN_CHECK(store::for_each_object(
      store_, prefix_ + "run/", deadline, [&](const store::ObjectInfo& info) -> Status {
        const std::string own = prefix_ + "run/" + job_ + "/";
        const bool counts =
            info.key.starts_with(own) && info.key < chunk_key(prefix_, job_, chunks_);
        if (!counts) keys.push_back(info.key);
        return ok_status();
      }));
  if (keys.empty()) return ok_status();
  CAIRN_CHECK(store_.remove_batch(keys, deadline));
  return ok_status();
}

Result<ProblemPage> ProblemLog::page(store::Store& store, const std::string& connector_id,
                                     std::size_t from, std::size_t size,
                                     const os::Deadline& deadline) {
  const std::string prefix = problems_prefix(connector_id);
  CAIRN_TRY(const CurrentProblems current, current_problems(store, prefix, deadline));
  ProblemPage page{.count = current.count, .problems = {}, .job_id = current.job};
  const std::size_t begin = std::min(from, current.count);
  const std::size_t end = begin + std::min(size, current.count - begin);
  if (begin == end) return page;
  const std::size_t first = begin / problems_in_chunk;
  CAIRN_TRY(auto some, read_chunks(store, prefix, current.job, first, chunks_of(end), deadline));
  const std::size_t skip = begin - first * problems_in_chunk;
  for (std::size_t i = skip; i < std::min(some.size(), skip + (end - begin)); ++i)
    page.problems.push_back(std::move(some[i]));
  return page;
}

}  // namespace cairn::connectors
