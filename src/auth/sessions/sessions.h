// SPDX-License-Identifier: Apache-2.0
// Sessions of browsers: each stands for an API key, or for a user of an issuer of tokens.
// Source: OWASP Session Management.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/keys/keys.h"
#include "auth/sessions/session.h"
#include "auth/sign_in/sign_in.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::auth {

struct SessionOptions {
  std::int64_t idle_ms = 3'600'000;       // without a request
  std::int64_t lifetime_ms = 43'200'000;  // whatever happens
  /// Errors: invalid_argument, with the setting.
  Status validate() const;
};

/// Who signs in, and whence.
struct NewSession {
  std::shared_ptr<const Key> key = {};
  std::string secret_sha256 = {};       // of the secret that was shown; unused with a user
  std::optional<IssuedUser> user = {};  // where the key is that of an issuer's user
  std::string address = {};
  std::string browser = {};
};

struct OpenedSession {
  std::shared_ptr<const Session> session;
  std::string token;  // 43 url-safe characters, told once
};

/// A request with a session, at this moment.
struct SessionCaller {
  std::shared_ptr<const Session> session;
  std::shared_ptr<const Key> key;
};

/// Safe from any thread. Asking takes a short lock and reads memory alone; changes go to the store
/// first ("session/<id>") and are answered when durable, so that a restart signs nobody out and a
/// sign-out stays one. Only the time of the last use is written late: a crash may take it back by
/// an eighth of the idle time.
class Sessions {
 public:
  struct Ground {
    store::Store& store;
    const Keys& keys;
    const SignIn* sign_in = nullptr;  // null: no issuer's users
    const os::Clock& clock;
    os::Random& random;
  };
  /// Reads all records. What `ground` refers to outlives it. Errors: those of the store.
  static Result<std::unique_ptr<Sessions>> open(const Ground& ground, SessionOptions options,
                                                const os::Deadline& deadline);

  /// A new session, whatever other the browser has. Where its key has `of_one_max`, the one that
  /// was unused longest ends. Errors: unavailable where there are `all_max`; those of the store.
  Result<OpenedSession> begin(NewSession wanted, const os::Deadline& deadline);

  /// Whom a token stands for now: with the rights that the key has at this moment, and only while
  /// the key may be used. Counts as use. Errors: unauthenticated, with the reason.
  Result<SessionCaller> verify(std::string_view token) const;
  /// Whether it could still be used: for streams that outlast their request. Is no use.
  bool lives(const Session& session) const { return key_of(session).ok(); }

  /// Those that can be used, newest first; `key_id` empty: everybody's.
  std::vector<std::shared_ptr<const Session>> list(std::string_view key_id) const;
  /// Null where there is none of that id that can be used.
  std::shared_ptr<const Session> find(std::string_view id) const;
  /// False where it had ended. Errors: those of the store; it goes on then.
  Result<bool> end(const Session& session, const os::Deadline& deadline);

  /// Deletes what is over and writes late times of use; from a timer, and with `all` at the end.
  /// Errors: those of the store; the rest is done all the same.
  Status upkeep(const os::Deadline& deadline, bool all = false);

  std::size_t size() const;
  const SessionOptions& options() const { return options_; }

  static constexpr std::size_t all_max = 10'000;
  static constexpr std::size_t of_one_max = 32;
  static constexpr std::size_t token_characters = 43;  // 256 bits

 private:
  using Table = std::unordered_map<std::string, std::shared_ptr<const Session>>;
  Sessions(const Ground& ground, SessionOptions options) : ground_(ground), options_(options) {}
  Status load(const os::Deadline& deadline);
  Result<std::shared_ptr<const Key>> key_of(const Session& session) const;
  std::vector<std::shared_ptr<const Session>> all() const;
  Status make_room(std::string_view key_id, const os::Deadline& deadline);
  Status remove(const Session& session, const os::Deadline& deadline);
  Status write_use(const Session& session, const os::Deadline& deadline);

  const Ground ground_;
  const SessionOptions options_;
  std::mutex changing_;       // around whole changes, so that bounds hold and no end is undone
  mutable std::mutex mutex_;  // around by_token_
  Table by_token_;            // by SHA-256 of the token
};

}  // namespace cairn::auth
