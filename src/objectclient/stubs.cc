// SPDX-License-Identifier: Apache-2.0
#include "objectclient/stubs.h"

#include <utility>

#include "objectclient/call/params.h"
#include "objectclient/call/reply.h"
#include "objectclient/call/stub_answer.h"
#include "objectclient/call/value_json.h"
#include "s3/errors.h"

namespace cairn::objectclient {
namespace {

void fill_plain(const s3::Shape& shape, std::int64_t now_ms, void* structure);

void fill_member(const s3::Member& member, std::int64_t now_ms, void* value) {
  switch (member.type) {
    case s3::Type::text:
      *static_cast<std::string*>(value) = member.name;
      break;
    case s3::Type::time:
      static_cast<s3::Time*>(value)->unix_ms = now_ms;
      break;
    case s3::Type::structure:
      fill_plain(member.shape(), now_ms, value);
      break;
    default:
      break;  // 0, false and empty already
  }
}

void fill_plain(const s3::Shape& shape, std::int64_t now_ms, void* structure) {
  for (const s3::Member& member : shape.members)
    if (member.access->size == nullptr)
      fill_member(member, now_ms, member.access->value(member.field(structure)));
}

Status answer_data(const Params& members, const s3::Operation& operation, std::int64_t now_ms,
                   void* output, Sink& sink, CallInfo& call) {
  fill_plain(operation.output(), now_ms, output);
  Json given = Json::object();
  for (const auto& [name, value] : members) {
    const bool is_body = name == "body" && operation.stream_out;
    if (!is_body) given.set(name, json_of(value));
    if (is_body && value.text() != nullptr) CAIRN_CHECK(sink.write(*value.text()));
  }
  std::vector<std::string> faults;
  for (const auto& [name, value] : given.as_object())
    if (operation.output().find(name) == nullptr)
      faults.push_back("unexpected value at stub[:" + name + "]");
  if (!faults.empty()) return parameter_error(faults);
  call.status = operation.status;
  return read_params(operation.output(), given, {.validate_params = false}, output);
}

}  // namespace

void Stubs::set(std::string_view operation, std::vector<Stub> stubs) {
  MutexLock lock(mutex_);
  rows_[std::string(operation)] = {.stubs = std::move(stubs)};
}

Stub Stubs::take(const std::string& operation) {
  MutexLock lock(mutex_);
  for (const std::string& name : {operation, std::string()}) {
    const auto found = rows_.find(name);
    if (found == rows_.end() || found->second.stubs.empty()) continue;
    Row& row = found->second;
    const std::size_t at = row.next;
    if (row.next + 1 < row.stubs.size()) ++row.next;
    return row.stubs[at];
  }
  return Stub::data({});
}

Stub Stubs::next(const StubbedCall& call) {
  Stub stub = take(call.operation);
  // Outside of the lock: a function may set stubs itself.
  for (int depth = 0; depth < 8; ++depth) {
    const auto* const choose = std::get_if<StubFunction>(&stub.form());
    if (choose == nullptr) break;
    Stub chosen = (*choose)(call);
    stub = std::move(chosen);
  }
  MutexLock lock(mutex_);
  calls_.push_back(call);
  return stub;
}

std::vector<StubbedCall> Stubs::calls() const {
  MutexLock lock(mutex_);
  return calls_;
}

Status answer_with(const Stub& stub, const s3::Operation& operation, std::int64_t now_ms,
                   void* output, Sink& sink, CallInfo& call) {
  if (const auto* members = std::get_if<Params>(&stub.form())) {
    CAIRN_CHECK(answer_data(*members, operation, now_ms, output, sink, call));
    return sink.finish();
  }
  if (const auto* code = std::get_if<Stub::ServiceCode>(&stub.form())) {
    call.status = code->status;
    return Error{s3::kind_of(code->code, code->status), code->code, code->message};
  }
  if (const auto* error = std::get_if<Error>(&stub.form())) return *error;
  if (const auto* reply = std::get_if<Stub::Reply>(&stub.form())) {
    call.status = reply->status;
    call.headers = reply->headers;
    CAIRN_CHECK(read_whole_reply(operation, s3::Dialect::aws,
                                 {reply->status, reply->headers, reply->body}, output)
                    .status);
    if (operation.stream_out) CAIRN_CHECK(sink.write(reply->body));
    return sink.finish();
  }
  return Error{ErrorKind::internal,
               {},
               "the stub of " + std::string(operation.call) + " gives functions without end"};
}

}  // namespace cairn::objectclient
