// SPDX-License-Identifier: Apache-2.0
// Answers that stand ready instead of a service, for tests of programs that use the library.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "net/http/message.h"
#include "objectclient/value.h"

namespace cairn::objectclient {

/// A call that a stub answers, or answered.
struct StubbedCall {
  std::string operation;  // "get_object"
  Params params;
};

class Stub;
using StubFunction = std::function<Stub(const StubbedCall& call)>;

/// One answer.
class Stub {
 public:
  struct Reply {
    int status = 200;
    net::Headers headers = {};
    std::string body = {};
  };
  struct ServiceCode {
    std::string code;
    std::string message;
    int status;
  };

  /// Members of the result; those not named have plain values: texts their own name, numbers 0,
  /// booleans false, times now, lists nothing. `body` is the object's bytes.
  static Stub data(Params members) { return Stub(std::move(members)); }
  /// An error of the service.
  static Stub error(std::string code, std::string message = "stubbed-response-error-message",
                    int status = 400) {
    return Stub(ServiceCode{std::move(code), std::move(message), status});
  }
  /// A failure before or without a reply.
  static Stub failure(Error error) { return Stub(std::move(error)); }
  /// What the service would have sent.
  static Stub reply(Reply reply) { return Stub(std::move(reply)); }
  /// Decides at the call. Called from the calling thread.
  static Stub function(StubFunction choose) { return Stub(std::move(choose)); }

  using Form = std::variant<Params, ServiceCode, Error, Reply, StubFunction>;
  const Form& form() const { return form_; }

 private:
  explicit Stub(Form form) : form_(std::move(form)) {}
  Form form_;
};

/// The stubs of a client, and the calls that they answered. Safe from any thread.
class Stubs {
 public:
  /// For all operations without their own: `operation` empty. Several are given in turn; the last
  /// one stays.
  void set(std::string_view operation, std::vector<Stub> stubs);
  /// The next answer; records the call.
  Stub next(const StubbedCall& call);
  std::vector<StubbedCall> calls() const;

 private:
  struct Row {
    std::vector<Stub> stubs;
    std::size_t next = 0;
  };
  Stub take(const std::string& operation);
  mutable Mutex mutex_;
  std::map<std::string, Row> rows_ CAIRN_GUARDED_BY(mutex_);
  std::vector<StubbedCall> calls_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::objectclient
