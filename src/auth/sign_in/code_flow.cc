// SPDX-License-Identifier: Apache-2.0
#include "auth/sign_in/code_flow.h"

#include <algorithm>
#include <utility>

#include "auth/errors.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"

namespace cairn::auth {
namespace {

constexpr std::size_t secret_bytes = 32;
constexpr std::size_t code_bytes_max = 4'096;
constexpr std::size_t shown_error_bytes_max = 64;

Error not_finished(std::string why) {
  return {ErrorKind::unauthenticated, "security_exception", "sign-in: " + std::move(why)};
}

/// The error codes of RFC 6749 are such words; anything else is somebody's text.
std::string word_of(std::string_view error) {
  const bool plain = !error.empty() && error.size() <= shown_error_bytes_max &&
                     std::all_of(error.begin(), error.end(),
                                 [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  return plain ? std::string(error) : "an error";
}

}  // namespace

Status CodeFlowOptions::validate() const {
  if (authorization_endpoint.empty() != token_endpoint.empty())
    return illegal_argument(
        "oidc.authorization_endpoint and oidc.token_endpoint belong together: set both, or "
        "neither");
  if (!enabled()) return ok_status();
  const auto scopes = split(scope, ' ');
  if (std::find(scopes.begin(), scopes.end(), "openid") == scopes.end())
    return illegal_argument("oidc.scope must have the word openid, as in: openid profile groups");
  return ok_status();
}

CodeFlow::CodeFlow(CodeFlowOptions options, const SignIn& sign_in, AskForToken ask,
                   const os::Clock& clock, os::Random& random)
    : options_(std::move(options)),
      sign_in_(sign_in),
      ask_(std::move(ask)),
      clock_(clock),
      random_(random) {}

CodeFlow::Begun CodeFlow::begin(std::string redirect_uri) {
  const auto draw = [this] { return to_base64url(random_.bytes(secret_bytes)); };
  const std::string state = draw();
  Begun out{.location = {}, .browser = draw()};
  Pending pending{
      .browser_sha256 = sha256(out.browser),
      .nonce = draw(),
      .request = {.code = {}, .redirect_uri = std::move(redirect_uri), .code_verifier = draw()},
      .expires_ms = clock_.unix_ms() + lifetime_ms};
  const std::pair<std::string_view, std::string> parameters[] = {
      {"response_type", "code"},
      {"client_id", options_.client_id},
      {"redirect_uri", pending.request.redirect_uri},
      {"scope", options_.scope},
      {"state", state},
      {"nonce", pending.nonce},
      {"code_challenge", to_base64url(sha256(pending.request.code_verifier))},
      {"code_challenge_method", "S256"}};
  out.location = options_.authorization_endpoint;
  char before = out.location.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [name, value] : parameters) {
    out.location += before;
    out.location += std::string(name) + "=" + percent_encode(value);
    before = '&';
  }
  const std::lock_guard lock(mutex_);
  make_room();
  pending.made = ++made_;
  pending_.emplace(sha256(state), std::move(pending));
  return out;
}

/// Under mutex_.
void CodeFlow::make_room() {
  if (pending_.size() < all_max) return;
  const std::int64_t now = clock_.unix_ms();
  std::erase_if(pending_, [now](const auto& one) { return one.second.expires_ms <= now; });
  if (pending_.size() < all_max) return;
  pending_.erase(
      std::min_element(pending_.begin(), pending_.end(),
                       [](const auto& a, const auto& b) { return a.second.made < b.second.made; }));
}

std::optional<CodeFlow::Pending> CodeFlow::take(std::string_view state, std::string_view browser) {
  const std::string digest = sha256(state), shown = sha256(browser);
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(digest);
  if (found == pending_.end() || !equals_constant_time(found->second.browser_sha256, shown))
    return std::nullopt;
  Pending out = std::move(found->second);
  pending_.erase(found);
  if (out.expires_ms <= clock_.unix_ms()) return std::nullopt;
  return out;
}

Result<VerifiedToken> CodeFlow::finish(const Answer& answer, std::string_view browser,
                                       const os::Deadline& deadline) {
  auto pending = take(answer.state.value_or(""), browser);
  if (!pending)
    return not_finished("this browser has not begun it, or too long ago; begin it again");
  if (answer.issuer && *answer.issuer != sign_in_.issuer())
    return not_finished("the answer is of another issuer");
  if (answer.error) return not_finished("the issuer answered with " + word_of(*answer.error));
  if (!answer.code || answer.code->empty() || answer.code->size() > code_bytes_max)
    return not_finished("the issuer's answer has no code");
  pending->request.code = *answer.code;
  CAIRN_TRY(const std::string token, ask_(pending->request, deadline));
  CAIRN_TRY(auto verified, sign_in_.verify_id_token(token, options_.client_id));
  if (!equals_constant_time(verified.nonce, pending->nonce))
    return not_finished("the token was made for another sign-in");
  return verified;
}

}  // namespace cairn::auth
