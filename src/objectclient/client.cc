// SPDX-License-Identifier: Apache-2.0
// A client's beginning, its stubs, and calls by name.
#include "objectclient/client.h"

#include <cmath>
#include <utility>

#include "base/strings.h"
#include "objectclient/call/client_state.h"
#include "objectclient/call/params.h"
#include "objectclient/call/value_json.h"
#include "objectclient/client_calls.h"
#include "objectclient/faults.h"
#include "objectclient/service_errors.h"

namespace cairn::objectclient {
namespace {

Error no_operation(std::string_view name) {
  std::string message = "there is no operation `" + std::string(name) + "`";
  if (const auto meant = nearest(name, Client::operation_names()))
    message += "; did you mean `" + *meant + "`?";
  return argument_error(std::move(message));
}

/// Parameters that say something of the call, not of the operation, and the body.
Json take_call_params(const Params& params, const s3::Operation& operation, Body& body,
                      CallOptions& options) {
  Json rest = Json::object();
  for (const auto& [name, value] : params) {
    if (name == "use_accelerate_endpoint" && value.boolean() != nullptr)
      options.use_accelerate_endpoint = *value.boolean();
    else if (name == "use_dualstack_endpoint" && value.boolean() != nullptr)
      options.use_dualstack_endpoint = *value.boolean();
    else if (name == "body" && operation.stream_in && value.text() != nullptr)
      body = Body(*value.text());
    else
      rest.set(name, json_of(value));
  }
  return rest;
}

}  // namespace

Client::Client(ClientOptions options) {
  auto opened = open(std::move(options));
  if (!opened.ok()) throw_error(opened.error(), {});
  state_ = std::move(opened->state_);
}

Result<Client> Client::open(ClientOptions options) {
  return open(std::move(options), system_environment());
}

Result<Client> Client::open(ClientOptions options, Environment environment) {
  CAIRN_TRY(auto state, ClientState::open(std::move(options), std::move(environment)));
  return Client(std::move(state));
}

Client Client::without_exceptions() const {
  Client out = *this;
  out.never_raises_ = true;
  return out;
}

bool Client::raises() const { return !never_raises_ && *state_->options.raise_response_errors; }

const ClientOptions& Client::options() const { return state_->options; }

Status Client::sleep(double seconds, const os::Deadline& deadline) const {
  if (state_->environment.sleep(std::llround(seconds * 1e9), deadline)) return ok_status();
  return deadline.check("waiting");
}

void Client::stub(std::string_view operation, std::vector<Stub> stubs) const {
  const s3::Operation* const known = s3::find_operation(operation);
  state_->stubs.set(known == nullptr ? operation : known->call, std::move(stubs));
}

std::vector<StubbedCall> Client::stubbed_calls() const { return state_->stubs.calls(); }

std::vector<std::string> Client::operation_names() {
  std::vector<std::string> names;
  for (const auto known : {s3::all_operations(), s3::control_operations()})
    for (const s3::Operation* operation : known) names.emplace_back(operation->call);
  return names;
}

PresignedRequest Client::presign(std::string_view operation, const Params& params,
                                 const PresignOptions& presigning,
                                 const CallOptions& options) const {
  CallInfo info{.operation = std::string(operation)};
  CallOptions how = options;
  Body none;
  const auto run = [&]() -> Result<PresignedRequest> {
    const s3::Operation* const found = s3::find_operation(operation);
    if (found == nullptr) return no_operation(operation);
    const s3::AnyStructure input = s3::new_structure(found->input());
    const ParamRules rules{.convert_params = *state_->options.convert_params,
                           .validate_params = *state_->options.validate_params};
    const Json given = take_call_params(params, *found, none, how);
    CAIRN_CHECK(read_params(found->input(), given, rules, input.get()));
    return presign_call(*state_, parts_of(*found, input.get(), {}, {}, how), presigning, info);
  };
  auto done = run();
  // There is no response that could hold the error.
  if (!done.ok()) throw_error(done.error(), info);
  return std::move(*done);
}

PresignedPost Client::presign_post(const std::string& bucket, const std::string& key,
                                   const PresignedPostOptions& posting,
                                   const CallOptions& options) const {
  CallInfo info{.operation = "presign_post"};
  const auto& operation = s3::operations::head_bucket;  // asks for the bucket, as a form does
  const s3::BucketInput input{.bucket = bucket};
  auto done =
      presign_form(*state_, parts_of(operation, &input, {}, {}, options), key, posting, info);
  if (!done.ok()) throw_error(done.error(), info);
  return std::move(*done);
}

std::string Client::presigned_url(std::string_view operation, const Params& params,
                                  const PresignOptions& presigning,
                                  const CallOptions& options) const {
  return presign(operation, params, presigning, options).url;
}

Response<Value> Client::call(std::string_view operation, const Params& params, const Body& body,
                             const Target& target, const CallOptions& options) const {
  CallInfo info{.operation = std::string(operation)};
  std::string bytes;
  Body sent = body;
  CallOptions how = options;
  const auto run = [&]() -> Result<Value> {
    const s3::Operation* const found = s3::find_operation(operation);
    if (found == nullptr) return no_operation(operation);
    const s3::AnyStructure input = s3::new_structure(found->input());
    const ParamRules rules{.convert_params = *state_->options.convert_params,
                           .validate_params = *state_->options.validate_params};
    const Json given = take_call_params(params, *found, sent, how);
    CAIRN_CHECK(read_params(found->input(), given, rules, input.get()));
    const s3::AnyStructure output = s3::new_structure(found->output());
    CAIRN_CHECK(make_call(*state_, parts_of(*found, input.get(), sent, target, how), output.get(),
                          bytes, info));
    return value_of(params_json(found->output(), output.get()));
  };
  auto done = run();
  if (!done.ok()) {
    if (raises()) throw_error(done.error(), info);
    return {std::move(done).error(), std::move(info)};
  }
  Response<Value> response(std::move(*done), std::move(info));
  response.body_ = std::move(bytes);
  return response;
}

}  // namespace cairn::objectclient
