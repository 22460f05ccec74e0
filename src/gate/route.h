// SPDX-License-Identifier: Apache-2.0
// One row of the table of routes, and who is calling. The table drives dispatch, authentication,
// privileges, limits, the OpenAPI document and the docs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/accounts/accounts.h"
#include "auth/keys/key.h"
#include "auth/sessions/session.h"
#include "format/json.h"
#include "net/http/message.h"
#include "ratelimit/identity.h"
#include "ratelimit/policy/policy.h"

namespace cairn::gate {

enum class Stability { stable, beta, experimental };
std::string_view name_of(Stability stability);

using Surface = ratelimit::Surface;

/// Words an error of a row that does not speak the platform's JSON: sets Content-Type and others,
/// and gives the body. An error of kind rate_limited that a limit made has the code
/// rate_limit_exceeded_exception and the detail "_documentation_url". Must not throw.
using ErrorWording = std::function<std::string(const Error& error, int status,
                                               std::string_view request_id, net::Headers& headers)>;

/// A query parameter that a route understands.
struct Parameter {
  std::string name;
  std::string type = "string";  // boolean, integer, number, time, size, string, list
  std::string description = {};
};

struct Route {
  std::string method;     // "PUT"
  std::string path;       // "/_connector/{connector_id}"; a name in braces fits one segment
  std::string operation;  // "connector.put": the name in the official clients
  /// Any one of these cluster privileges (or one that implies it) admits. Narrowest first.
  std::vector<std::string> cluster = {};
  /// Needed on every index that {index} names (a comma list). Where `cluster` is not empty too,
  /// either admits.
  std::string index_privilege = {};
  /// Asks `index_privilege` for this index instead of {index}.
  std::string fixed_index = {};
  /// The handler leaves out indices that `Call::admits` refuses, so that a wildcard wider than the
  /// rights of the key is let through where the key has the privilege on some index. Without it
  /// such a wildcard is answered 403.
  bool filters_indices = false;
  /// The handler shows no document that a query of the key's roles hides: what narrows an index is
  /// in its index::NamedIndex, or asked of `Caller::document_filter`. Without it, a row that needs
  /// `read` is refused to keys with such queries.
  bool filters_documents = false;
  bool open = false;  // needs no credentials, and looks at none
  /// Takes credentials in its body or query: the gate asks nobody, and the handler calls
  /// Call::sign_in(), which counts the request. Such a row is open.
  bool signs_in = false;
  // What it counts as; the policy decides how much.
  Surface surface = Surface::platform;
  std::string resource = "core";  // of the policy; empty: not limited (probes, metrics)
  bool reads = false;             // changes nothing, although it is no GET, HEAD or OPTIONS
  /// Of the search page: a caller without credentials is lent Gate::search_page_key(), where that may
  /// read all that {index} names.
  bool search_page = false;
  bool computes = false;          // may compute for more than a millisecond: see api/work_place.h
  bool content = false;           // makes content that others are told of; has limits of its own
  bool graphql = false;
  bool no_primary = false;  // GET /rate_limit: neither the primary limit nor concurrency
  /// True where an earlier request has paid for this one, which then takes nothing of the primary
  /// limit. Asked once for each request of a caller with credentials that verify. Must not block.
  std::function<bool(const net::RequestHead& head)> paid = {};
  /// Whoever is allowed public data only (nobody's address, OAuth apps, callers without rights) may
  /// use it. Rows that read {index} are open to them besides, where all that it names is public.
  /// The handler still asks `Call::require_index` for indices that the body names.
  bool public_data = false;
  Stability stability = Stability::stable;
  std::string since = "7.0.0";
  std::vector<Parameter> query = {};  // besides pretty, human, filter_path, error_trace, format
  std::string summary = {};           // one sentence
  std::string action = {};            // as a 403 names it; empty: made from `operation`
  bool body_required = false;
  bool ndjson = false;
  bool body_is_stream = false;       // the handler pulls the body itself
  bool waits = false;  // for long, for work that others do: never in the pool, whatever its body
  std::uint64_t body_bytes_max = 0;  // 0: the limit of the listener
  std::string media_type = {};       // takes and gives this instead of JSON; headers are not asked
  ErrorWording error_wording = {};   // empty: the platform's
};

/// True for GET, HEAD, OPTIONS, and what says so of itself.
bool reads_only(const Route& route);
/// What the row costs in points where the policy says nothing about it: 0 where it is not limited
/// or has a bucket of its own (large files), 1 for reads, 5 for the rest.
std::uint32_t usual_points(const Route& route);

/// What rights ask about indices. Each is called at any time from any thread and must not block.
/// Empty functions: none is public, none is of a data stream.
struct IndexFacts {
  /// For everybody (setting `index.public`): true where the name is an index (or stands for such)
  /// and all that it names is public.
  std::function<bool(std::string_view name)> is_public = {};
  std::function<bool()> any = {};  // there is a public one at all
  /// The data stream that an index is of; empty: of none. Rights on a stream are rights on its
  /// indices.
  std::function<std::string(std::string_view index)> stream_of = {};
};

/// What accounts of the object storage are behind API keys, and what their policies let them read
/// here. Both are called at any time from any thread and must not block. Empty functions: none.
struct ObjectRights {
  /// Who holds the key besides; null: nobody of an account.
  std::function<std::shared_ptr<const auth::ObjectCaller>(const auth::Key& key)> holder_of = {};
  /// True where the name, which is no pattern, is an index that this holder may read.
  std::function<bool(const auth::ObjectCaller& holder, std::string_view index)> may_read = {};
};

/// Who asks. Copies are cheap; it keeps the key as it was when the request came.
class Caller {
 public:
  /// Nobody. Has the rights of nobody.
  Caller() = default;
  explicit Caller(std::shared_ptr<const auth::Key> key, const IndexFacts* facts = nullptr,
                  const ObjectRights* objects = nullptr,
                  std::shared_ptr<const auth::Session> session = nullptr)
      : key_(std::move(key)), facts_(facts), objects_(objects), session_(std::move(session)) {}
  /// An address, or credentials without a key behind them: public data only. `facts` outlive it.
  Caller(ratelimit::Identity identity, const IndexFacts* facts)
      : identity_(std::move(identity)), facts_(facts) {}

  /// No credentials were presented.
  bool anonymous() const { return !key_ && !identity_.authenticated(); }
  bool has_key() const { return key_ != nullptr; }
  /// The key that the request presented. A bug, and aborts, where there is none; rows that are not
  /// `public_data` are reached with a key only.
  const auth::Key& key() const;
  std::string_view username() const;  // empty where there is no key
  /// The browser's session that the request came with; null: it came with the key itself.
  const std::shared_ptr<const auth::Session>& session() const { return session_; }
  /// Who of an account holds the key; null: it stands for itself, or there is none.
  std::shared_ptr<const auth::ObjectCaller> holder() const;
  /// metadata._cairn.identity: {kind, user|id|repo, facts}; null where the key has none.
  const Json& identity() const;
  /// Whose requests these are counted with.
  const ratelimit::Identity& counted_as() const { return key_ ? key_->counted_as : identity_; }
  /// The limiter's note about that account; null where there is no key.
  ratelimit::AccountNote* note() const { return key_ ? &key_->note : nullptr; }
  /// No rights of its own: rows with public data, and reads of public indices.
  bool public_only() const { return !key_ || key_->counted_as.public_data_only(); }
  bool may_cluster(std::string_view privilege) const;
  /// `index` is a name, or a wildcard expression, which must be covered whole.
  bool may_index(std::string_view privilege, std::string_view index) const;
  /// True where the caller may read `index`, a name or an expression, and no query of its key's roles
  /// hides documents of it.
  bool reads_all_of(std::string_view index) const;
  /// What narrows reading of one index, by the name that it is asked by; null: nothing does. Says
  /// nothing about whether it may be read.
  std::shared_ptr<const Json> document_filter(std::string_view index) const;
  /// On some index, whatever it is called. True also where that hangs on policies of a holder.
  bool may_some_index(std::string_view privilege) const;

 private:
  bool may_by_key(std::string_view privilege, std::string_view index) const;
  std::string stream_of(std::string_view index) const;
  bool may_without_key(std::string_view privilege, std::string_view index) const;
  bool may_read_as_holder(std::string_view index) const;

  std::shared_ptr<const auth::Key> key_ = {};
  ratelimit::Identity identity_ = {};
  const IndexFacts* facts_ = nullptr;
  const ObjectRights* objects_ = nullptr;
  std::shared_ptr<const auth::Session> session_ = {};
};

}  // namespace cairn::gate
