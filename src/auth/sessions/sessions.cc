// SPDX-License-Identifier: Apache-2.0
#include "auth/sessions/sessions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/strings.h"
#include "os/log.h"
#include "os/threads/blocking.h"
#include "store/read_each.h"

namespace cairn::auth {
namespace {

constexpr std::string_view session_records = "session/";
constexpr std::size_t token_bytes = 32;
constexpr std::size_t shown_bytes_max = 200;  // of what a browser calls itself
constexpr std::int64_t least_idle_ms = 10'000;

std::string session_record_of(const Session& session) {
  return std::string(session_records) + session.id;
}

Error ended(std::string_view why) {
  return {ErrorKind::unauthenticated, "security_exception", "session: " + std::string(why)};
}

/// Printable ASCII alone: it is shown to people and written into records.
std::string plain_text(std::string_view text) {
  std::string out(text.substr(0, shown_bytes_max));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return out;
}

bool used_longer_ago(const std::shared_ptr<const Session>& a,
                     const std::shared_ptr<const Session>& b) {
  return a->used_ms < b->used_ms;
}

}  // namespace

Status SessionOptions::validate() const {
  const auto bad = [](std::string_view what) {
    return Error{.kind = ErrorKind::invalid_argument, .message = std::string(what)};
  };
  if (idle_ms < least_idle_ms) return bad("console.session_idle must be at least 10s");
  if (lifetime_ms < idle_ms)
    return bad("console.session_max must not be shorter than console.session_idle");
  return ok_status();
}

Result<std::unique_ptr<Sessions>> Sessions::open(const Ground& ground, SessionOptions options,
                                                 const os::Deadline& deadline) {
  std::unique_ptr<Sessions> out(new Sessions(ground, options));
  CAIRN_CHECK(out->load(deadline));
  return out;
}

Status Sessions::load(const os::Deadline& deadline) {
  return store::read_each(
      ground_.store, session_records, deadline, [&](const store::Object& object) -> Status {
        const auto session = std::make_shared<Session>();
        if (const Status read = session->decode(object.bytes); !read.ok()) {
          // Whoever had it signs in again; that is no reason not to start.
          os::log(os::LogLevel::warn, "auth", "a session was not read",
                  {{"record", object.info.key}, {"reason", read.error().message}});
          return ok_status();
        }
        by_token_.insert_or_assign(session->token_sha256, session);
        return ok_status();
      });
}

std::vector<std::shared_ptr<const Session>> Sessions::all() const {
  std::vector<std::shared_ptr<const Session>> out;
  const std::lock_guard lock(mutex_);
  out.reserve(by_token_.size());
  for (const auto& [token, session] : by_token_) out.push_back(session);
  return out;
}

std::size_t Sessions::size() const {
  const std::lock_guard lock(mutex_);
  return by_token_.size();
}

Result<std::shared_ptr<const Key>> Sessions::key_of(const Session& session) const {
  const std::int64_t now = ground_.clock.unix_ms();
  if (now >= session.expires_ms) return ended("it has lasted as long as a session may");
  if (now - session.used_ms >= options_.idle_ms) return ended("it was not used for too long");
  if (session.user) {
    if (ground_.sign_in == nullptr) return ended("its issuer is asked no more");
    return ground_.sign_in->caller_again(*session.user);
  }
  auto key = ground_.keys.get(session.key_id);
  if (key == nullptr) return ended("its API key is gone");
  CAIRN_CHECK(ground_.keys.check_usable(*key));
  if (!ground_.keys.takes_secret(*key, session.secret_sha256))
    return ended("the secret of its API key was changed");
  return key;
}

Result<SessionCaller> Sessions::verify(std::string_view token) const {
  if (token.size() != token_characters) return ended("there is none of this name");
  const std::string digest = sha256(token);
  std::shared_ptr<const Session> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_token_.find(digest);
    if (found != by_token_.end()) session = found->second;
  }
  if (session == nullptr) return ended("there is none of this name");
  CAIRN_TRY(auto key, key_of(*session));
  session->used_ms = ground_.clock.unix_ms();
  return SessionCaller{std::move(session), std::move(key)};
}

Result<OpenedSession> Sessions::begin(NewSession wanted, const os::Deadline& deadline) {
  const std::int64_t now = ground_.clock.unix_ms();
  OpenedSession out{.session = nullptr, .token = to_base64url(ground_.random.bytes(token_bytes))};
  const auto session = std::make_shared<Session>();
  session->id = url_safe_id(ground_.random.bytes(15));
  session->token_sha256 = sha256(out.token);
  session->key_id = wanted.key->id;
  session->key_name = wanted.key->name;
  session->username = wanted.key->username;
  session->secret_sha256 = std::move(wanted.secret_sha256);
  session->user = std::move(wanted.user);
  session->created_ms = now;
  session->expires_ms = now + options_.lifetime_ms;
  if (wanted.key->expiration_ms)
    session->expires_ms = std::min(session->expires_ms, *wanted.key->expiration_ms);
  if (session->user) session->expires_ms = std::min(session->expires_ms, session->user->until_ms);
  session->address = plain_text(wanted.address);
  session->browser = plain_text(wanted.browser);
  session->used_ms = session->stored_used_ms = now;

  const os::Blocking blocking;
  const std::lock_guard changing(changing_);
  CAIRN_CHECK(make_room(session->key_id, deadline));
  CAIRN_CHECK(ground_.store.put(session_record_of(*session), session->encode(), deadline,
                                {.if_none_match = true}));
  const std::lock_guard lock(mutex_);
  by_token_.emplace(session->token_sha256, session);
  out.session = session;
  return out;
}

/// Under changing_.
Status Sessions::make_room(std::string_view key_id, const os::Deadline& deadline) {
  std::vector<std::shared_ptr<const Session>> mine;
  std::size_t living = 0;
  for (auto& session : all()) {
    if (!lives(*session)) {
      CAIRN_CHECK(remove(*session, deadline));
      continue;
    }
    ++living;
    if (session->key_id == key_id) mine.push_back(std::move(session));
  }
  if (mine.size() >= of_one_max) {
    const auto oldest = std::min_element(mine.begin(), mine.end(), used_longer_ago);
    return remove(**oldest, deadline);
  }
  if (living < all_max) return ok_status();
  return Error{ErrorKind::unavailable,
               {},
               "there are " + std::to_string(all_max) +
                   " sessions already; end some of them, with DELETE /_cairn/sessions/{id}"};
}

std::vector<std::shared_ptr<const Session>> Sessions::list(std::string_view key_id) const {
  auto out = all();
  std::erase_if(out, [&](const auto& session) {
    return (!key_id.empty() && session->key_id != key_id) || !lives(*session);
  });
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair(b->created_ms, std::string_view(a->id)) <
           std::pair(a->created_ms, std::string_view(b->id));
  });
  return out;
}

std::shared_ptr<const Session> Sessions::find(std::string_view id) const {
  for (auto& session : all())
    if (session->id == id) return lives(*session) ? std::move(session) : nullptr;
  return nullptr;
}

Result<bool> Sessions::end(const Session& session, const os::Deadline& deadline) {
  const os::Blocking blocking;
  const std::lock_guard changing(changing_);
  {
    const std::lock_guard lock(mutex_);
    if (!by_token_.contains(session.token_sha256)) return false;
  }
  CAIRN_CHECK(remove(session, deadline));
  return true;
}

/// Under changing_.
Status Sessions::remove(const Session& session, const os::Deadline& deadline) {
  CAIRN_CHECK(ground_.store.remove(session_record_of(session), deadline));
  const std::string token = session.token_sha256;  // the session may go with its entry
  const std::lock_guard lock(mutex_);
  by_token_.erase(token);
  return ok_status();
}

/// Under changing_.
Status Sessions::write_use(const Session& session, const os::Deadline& deadline) {
  const std::int64_t used = session.used_ms;
  CAIRN_CHECK(ground_.store.put(session_record_of(session), session.encode(), deadline));
  session.stored_used_ms = used;
  return ok_status();
}

Status Sessions::upkeep(const os::Deadline& deadline, bool all_uses) {
  const os::Blocking blocking;
  const std::int64_t late_ms = all_uses ? 1 : options_.idle_ms / 8;
  Status out = ok_status();
  for (const auto& session : all()) {
    const std::lock_guard changing(changing_);
    {
      const std::lock_guard lock(mutex_);
      if (!by_token_.contains(session->token_sha256)) continue;
    }
    Status done = ok_status();
    if (!lives(*session))
      done = remove(*session, deadline);
    else if (session->used_ms - session->stored_used_ms >= late_ms)
      done = write_use(*session, deadline);
    if (!done.ok()) out = std::move(done);
  }
  return out;
}

}  // namespace cairn::auth
