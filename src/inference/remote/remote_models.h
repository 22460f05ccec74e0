// SPDX-License-Identifier: Apache-2.0
// Models of other servers: the calls of endpoints that name them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/threads.h"
#include "inference/endpoint.h"
#include "inference/remote/answers.h"
#include "inference/remote/remote_peer.h"
#include "inference/text_answer.h"
#include "inference/text_call.h"
#include "net/options.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::inference {

/// Safe from any thread. Every call blocks up to its deadline; errors are those of RemotePeer.
class RemoteModels {
 public:
  RemoteModels(net::ClientOptions options, const os::Clock& clock);

  /// Set before the first call.
  void set_key_seal(KeySeal keys) { keys_ = std::move(keys); }
  /// Errors: unavailable where there is nothing to seal with.
  Result<std::string> seal(std::string_view key, std::string_view context) const;
  /// Errors: corrupt; unavailable as of seal.
  Result<std::string> unseal(std::string_view sealed, std::string_view context) const;

  /// One vector for each input. Of an endpoint without dimensions any number, the same for all.
  Result<RemoteVectors> embed(const Endpoint& endpoint, std::span<const std::string> inputs,
                              InputType type, const os::Deadline& deadline);
  /// One score for each document.
  Result<RemoteScores> rerank(const Endpoint& endpoint, const std::string& query,
                              std::span<const std::string> documents, const os::Deadline& deadline);
  Result<std::unique_ptr<TextAnswer>> begin_text(const Endpoint& endpoint, const TextCall& call,
                                                 const os::Deadline& deadline);
  /// The endpoint is gone.
  void forget(std::string_view inference_id);

 private:
  std::shared_ptr<RemotePeer> peer(const Endpoint& endpoint);

  KeySeal keys_;
  const os::Clock& clock_;
  net::Client client_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<RemotePeer>, std::less<>> peers_ CAIRN_GUARDED_BY(mutex_);
};

/// Until when a call of another server's model may take: nothing of it is there at once, and no
/// call is without an end. `asked_ms` as the API has it: a positive time is that of `deadline`
/// already, 0 becomes `usual_ms`, and -1 ten minutes.
os::Deadline remote_wait(const os::Deadline& deadline, std::int64_t asked_ms,
                         std::int64_t usual_ms);

/// A client that reaches public addresses, and what `allowed` names. Errors: invalid_argument.
Result<net::ClientOptions> remote_client_options(const std::vector<std::string>& allowed);

}  // namespace cairn::inference
