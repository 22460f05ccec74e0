// SPDX-License-Identifier: Apache-2.0
// Who asks: nobody, or the holder of a key whose signature verifies. Handlers and readers of bodies
// need one, and there is no other way to it than the check.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/accounts/accounts.h"
#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "net/http/message.h"
#include "s3/model.h"
#include "s3/signing/signing.h"
#include "s3api/access/directory_sessions.h"
#include "s3api/access/granted_access.h"

namespace cairn::s3api {

struct ParsedCall;

/// The key of that id, or null. Safe from any thread; must not block.
using FindKey = std::function<std::shared_ptr<const auth::ObjectKey>(std::string_view)>;
/// Who signs with a key; null where nobody may any more. Safe from any thread; must not block.
using FindCaller = std::function<std::shared_ptr<const auth::ObjectCaller>(const auth::ObjectKey&)>;

class Identity {
 public:
  /// Reads and verifies what the request claims, or its form where it is one. A request without a claim is nobody's.
  /// `call` learns the key that the request names, and the right region where it names a wrong one.
  /// Errors: those of s3::read_claim and s3::verify_claim; InvalidAccessKeyId, InvalidToken,
  /// ExpiredToken;
  /// InvalidArgument, for fields in a presigned query that cannot stand in its place.
  static Result<Identity> verify(ParsedCall& call, const FindKey& find_key,
                                 const FindCaller& find_caller);

  bool is_nobody() const { return who_ == nullptr; }
  /// Of a verified signature; that of nobody says nothing, and its payload is not signed.
  const s3::Claim& claim() const { return claim_; }
  const std::string& secret() const { return secret_; }  // of the claim's key
  const s3::Owner& account() const { return account_; }  // empty: nobody's
  const std::shared_ptr<const auth::ObjectCaller>& who() const { return who_; }  // null: nobody
  const std::string& user() const { return user_; }
  /// The last use of the key that signed, or that credentials for a while come of; null: not kept.
  auth::LastUse* last_use() const { return last_use_.get(); }
  /// Whose requests these are counted with, on either port.
  const ratelimit::Identity& counted_as() const { return counted_as_; }
  /// The session with a directory bucket that the request was signed in.
  const std::optional<DirectorySession>& session() const { return session_; }
  /// The grant that its credentials came of; then who() has its rights, and holder() asks.
  const std::optional<GrantedAccess>& granted() const { return granted_; }
  const std::shared_ptr<const auth::ObjectCaller>& holder() const { return holder_; }
  /// The head with the fields of a presigned query; nothing where there are none.
  const std::optional<net::RequestHead>& presigned() const { return presigned_; }

 private:
  Identity() = default;
  Status check(ParsedCall& call, std::string_view secret) const;
  Status take_session(ParsedCall& call);
  Status take_granted(ParsedCall& call, const FindKey& find_key);
  Status take_rights(const ParsedCall& call, const auth::ObjectKey& key);
  Status take_fields_of_query(const ParsedCall& call);

  s3::Claim claim_ = {};
  std::string secret_ = {};
  s3::Owner account_ = {};
  std::shared_ptr<const auth::ObjectCaller> who_ = {};
  std::string user_ = {};
  std::shared_ptr<auth::LastUse> last_use_ = {};
  ratelimit::Identity counted_as_ = {};
  std::optional<DirectorySession> session_ = {};
  std::optional<GrantedAccess> granted_ = {};
  std::shared_ptr<const auth::ObjectCaller> holder_ = {};
  std::optional<net::RequestHead> presigned_ = {};
};

}  // namespace cairn::s3api
