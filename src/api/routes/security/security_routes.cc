// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/security_routes.h"

#include <algorithm>
#include <set>

#include "api/dry_run.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "auth/keys/document_query.h"
#include "auth/keys/key_query.h"
#include "auth/keys/key_rules.h"

namespace cairn::api {
namespace {

using auth::Keys;

constexpr std::int64_t key_window_max = 10'000;
constexpr std::int64_t rotation_overlap_ms = 24ll * 3600 * 1000;

Error own_only(const Call& call) {
  return {ErrorKind::permission_denied, "security_exception",
          "action [" + call.route().action + "] is unauthorized for API key id [" +
              call.caller().key().id + "] of user [" + std::string(call.caller().username()) +
              "], this action is granted by the cluster privileges " +
              "[read_security,manage_api_key,manage_security,all]; with [manage_own_api_key] ask "
              "with [owner=true]"};
}

/// What `objects` of a new key asks for: the access key that it has its holder from.
struct WantedHolder {
  std::optional<std::string> access_key_id = {};  // one that is there
  PrincipalRequest principal = {};                // of a new one
};

Error may_not_make_access_keys(const Call& call) {
  return {ErrorKind::permission_denied, "security_exception",
          "action [" + call.route().action + "] with [objects] is unauthorized for API key id [" +
              call.caller().key().id + "] of user [" + std::string(call.caller().username()) +
              "], this action is granted by the cluster privileges [manage_security,all]"};
}

Result<std::optional<WantedHolder>> wanted_holder(const Call& call, Fields& fields) {
  if (fields.is_null("objects")) return std::optional<WantedHolder>();
  CAIRN_TRY(const Json* objects, fields.object("objects"));
  if (objects == nullptr) return std::optional<WantedHolder>();
  if (!call.caller().may_cluster("manage_security")) return may_not_make_access_keys(call);
  Fields inner = fields.nested(*objects, "objects", "api_key_objects");
  WantedHolder out;
  CAIRN_TRY(out.access_key_id, inner.string("access_key_id"));
  CAIRN_TRY(out.principal, read_principal(inner));
  CAIRN_CHECK(inner.finish());
  if (out.access_key_id && !out.principal.empty())
    return illegal_argument(
        "[access_key_id] names an access key that is there, whose account and user stay; leave "
        "[account], [user], [kind] and [policy] out");
  return std::optional<WantedHolder>(std::move(out));
}

Json shown_new_key(const auth::CreatedKey& made) {
  Json out = Json::object({{"id", made.key->id}, {"name", made.key->name}});
  if (made.key->expiration_ms) out.set("expiration", *made.key->expiration_ms);
  out.set("api_key", made.secret);
  out.set("encoded", auth::encoded_key(made.key->id, made.secret));
  return out;
}

Result<Reply> create_key_with_access_key(Call& call, const KeyBooks& books,
                                         const auth::NewKey& wanted, const WantedHolder& holder) {
  const auth::Key& creator = call.caller().key();
  if (holder.access_key_id) {
    CAIRN_TRY(const auto both, books.principals->create_for(wanted, *holder.access_key_id, creator,
                                                            call.deadline()));
    Json out = shown_new_key(both.api_key);
    out.set("objects", shown_access_key(*both.access_key));
    return Reply::json(std::move(out));
  }
  auth::NewKey checked = wanted;  // before anything is made for it
  checked.holder = auth::KeyHolder{};
  CAIRN_CHECK(auth::check_new_key(checked, creator));
  CAIRN_TRY(const auto account, make_principal(books, holder.principal, call.deadline()));
  CAIRN_TRY(const auto both,
            books.principals->create(wanted, account->id, holder.principal.user.value_or(""),
                                     creator, call.deadline()));
  Json out = shown_new_key(both.api_key);
  Json pair = shown_access_key(*both.access_key);
  pair.set("secret_access_key", both.access_key->secret);
  out.set("objects", std::move(pair));
  return Reply::json(std::move(out));
}

/// Queries in roles that no search could be asked would open nothing.
Status check_document_queries(const Call& call, const KeyBooks& books, const Json& roles,
                              const Json& metadata) {
  if (!books.check_query || !roles.is_object()) return ok_status();
  const Json user = auth::user_of_templates(call.caller().username(), metadata);
  CAIRN_CHECK(auth::Rights::parse(roles, user));
  CAIRN_TRY(const Json filled, auth::filled_roles(roles, user));
  for (const auto& [name, role] : filled.as_object())
    for (const auto* member : {"indices", "index"}) {
      const Json* entries = role.find(member);
      if (entries == nullptr) continue;
      for (const Json& entry : entries->as_array())
        if (const Json* query = entry.find("query"); query != nullptr && query->is_object())
          if (const Status asked = books.check_query(*query, call.deadline()); !asked.ok())
            return Error{asked.error().kind, asked.error().code,
                         "failed to parse field 'query' for indices [" +
                             entry.find("names")->dump() + "] of role [" + name +
                             "]: " + asked.error().message};
    }
  return ok_status();
}

Result<Reply> create_key(Call& call, const KeyBooks& books) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "api_key_request");
  auth::NewKey wanted;
  CAIRN_TRY(wanted.name, fields.string_or("name", ""));
  if (!fields.is_null("expiration")) {
    CAIRN_TRY(wanted.lifetime_ms, fields.time_ms("expiration"));
  }
  if (!fields.is_null("role_descriptors")) {
    CAIRN_TRY(const Json* roles, fields.object("role_descriptors"));
    if (roles != nullptr) wanted.role_descriptors = *roles;
  }
  if (!fields.is_null("metadata")) {
    CAIRN_TRY(const Json* metadata, fields.object("metadata"));
    if (metadata != nullptr) wanted.metadata = *metadata;
  }
  CAIRN_TRY(const auto holder, wanted_holder(call, fields));
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(check_document_queries(call, books, wanted.role_descriptors, wanted.metadata));
  if (holder) return create_key_with_access_key(call, books, wanted, *holder);
  CAIRN_TRY(const auto made, books.keys->create(wanted, call.caller().key(), call.deadline()));
  return Reply::json(shown_new_key(made));
}

/// True where the caller may see or change keys of others.
bool sees_all(const Call& call) {
  return call.caller().may_cluster("read_security") || call.caller().may_cluster("manage_api_key");
}

Result<auth::KeyFilter> filter_of(const Call& call) {
  auth::KeyFilter filter;
  filter.ids = call.list("id");
  filter.name = call.query("name").value_or("");
  filter.realm = call.query("realm_name").value_or("");
  filter.username = call.query("username").value_or("");
  CAIRN_TRY(filter.active_only, call.flag("active_only", false));
  CAIRN_TRY(const bool owner, call.flag("owner", false));
  const std::string& self = call.caller().key().id;
  if (owner && (!filter.realm.empty() || !filter.username.empty()))
    return validation_fault(
        {"neither username nor realm-name may be specified when retrieving "
         "owned API keys"});
  if (!filter.ids.empty() && !filter.name.empty())
    return validation_fault({"only one of [api key id, api key name] can be specified"});
  if (!owner && !sees_all(call) && filter.ids != std::vector<std::string>{self})
    return own_only(call);
  if (owner || !sees_all(call)) filter.owner = self;
  return filter;
}

Result<Reply> get_keys(Call& call, Keys& keys) {
  CAIRN_TRY(const auto filter, filter_of(call));
  CAIRN_TRY(const bool limited_by, call.flag("with_limited_by", false));
  CAIRN_TRY(const bool profile, call.flag("with_profile_uid", false));
  (void)profile;  // there are no user profiles; keys have none to show
  CAIRN_TRY(const bool requests, call.flag("with_requests", false));
  Json shown = Json::array();
  for (const auto& key : keys.find(filter)) {
    Json one = key->shown(limited_by);
    if (requests) one.set("requests", auth::shown_requests(key->last_use.get()));
    shown.push(std::move(one));
  }
  const bool missing = !filter.ids.empty() && shown.as_array().empty();
  return Reply::json(Json::object({{"api_keys", std::move(shown)}}), missing ? 404 : 200);
}

/// Whether an administrator's key that lasts is left without these.
bool leaves_administrator(Keys& keys, const std::set<std::string>& gone) {
  const auto all = keys.find({.active_only = true});
  return std::any_of(all.begin(), all.end(), [&](const auto& key) {
    return key->lasting_administrator() && !gone.contains(key->id);
  });
}

/// Whom the end of these keys would shut out, and which of them would stay: the last key of an
/// administrator does.
Json ending_of_keys(Keys& keys, const auth::KeyFilter& filter) {
  Json ending = Json::array(), previously = Json::array(), refused = Json::array();
  std::set<std::string> gone;
  for (const auto& key : keys.find(filter)) {
    if (key->invalidation_ms) {
      previously.push(key->id);
      continue;
    }
    gone.insert(key->id);
    if (key->lasting_administrator() && !leaves_administrator(keys, gone)) {
      gone.erase(key->id);
      refused.push(key->id);
      continue;
    }
    ending.push(key->shown(false));
  }
  return Json::object({{"api_keys", std::move(ending)},
                       {"previously_invalidated_api_keys", std::move(previously)},
                       {"refused", std::move(refused)}});
}

Result<Reply> invalidate_keys(Call& call, const KeyBooks& books) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "invalidate_api_key");
  auth::KeyFilter filter;
  CAIRN_TRY(auto ids, fields.strings("ids"));
  CAIRN_TRY(auto id, fields.string("id"));
  CAIRN_TRY(filter.name, fields.string_or("name", ""));
  CAIRN_TRY(filter.realm, fields.string_or("realm_name", ""));
  CAIRN_TRY(filter.username, fields.string_or("username", ""));
  CAIRN_TRY(const bool owner, fields.boolean_or("owner", false));
  CAIRN_CHECK(fields.finish());
  if (ids && id) return validation_fault({"only one of [id, ids] can be specified"});
  if (ids && ids->empty()) return validation_fault({"Field [ids] cannot be an empty array"});
  if (ids) filter.ids = *ids;
  if (id) filter.ids = {*id};
  if (filter.ids.empty() && filter.name.empty() && filter.realm.empty() &&
      filter.username.empty() && !owner)
    return validation_fault(
        {"One of [api key id(s), api key name, username, realm name] must be "
         "specified if [owner] flag is false"});
  const std::string& self = call.caller().key().id;
  const bool all = call.caller().may_cluster("manage_api_key");
  if (!all && !owner && filter.ids != std::vector<std::string>{self}) return own_only(call);
  if (owner || !all) filter.owner = self;
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) return would(ending_of_keys(*books.keys, filter));
  CAIRN_TRY(const auto done, books.principals->invalidate(filter, call.deadline()));
  Json out = Json::object({{"invalidated_api_keys", Json::array_of(done.ids)},
                           {"previously_invalidated_api_keys", Json::array_of(done.previously)},
                           {"error_count", static_cast<std::int64_t>(done.errors.size())}});
  if (!done.errors.empty()) {
    Json details = Json::array();
    for (const auto& error : done.errors) details.push(error_object(error));
    out.set("error_details", std::move(details));
  }
  return Reply::json(std::move(out));
}

Result<Reply> update_key(Call& call, const KeyBooks& books) {
  Keys& keys = *books.keys;
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "update_api_key_request_payload");
  auth::KeyChange change;
  CAIRN_TRY(const Json* roles, fields.object("role_descriptors"));
  if (roles != nullptr) change.role_descriptors = *roles;
  CAIRN_TRY(const Json* metadata, fields.object("metadata"));
  if (metadata != nullptr) change.metadata = *metadata;
  CAIRN_TRY(change.lifetime_ms, fields.time_ms("expiration"));
  CAIRN_CHECK(fields.finish());
  const std::string& id = call.path("id");
  const auto key = keys.get(id);
  const auto& self = call.caller().key();
  const bool own = key && (key->id == self.id || key->created_by == self.id);
  if (!own && !call.caller().may_cluster("manage_api_key"))
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "no API key owned by requesting user found for ID [" + id + "]"};
  if (change.role_descriptors)
    CAIRN_CHECK(check_document_queries(call, books, *change.role_descriptors,
                                       change.metadata.value_or(key ? key->metadata : Json())));
  CAIRN_TRY(const bool updated, keys.update(id, change, self, call.deadline()));
  return Reply::json(Json::object({{"updated", updated}}));
}

Result<Reply> rotate_key(Call& call, Keys& keys) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "rotate_api_key_request");
  CAIRN_TRY(const auto overlap_ms, fields.time_ms("overlap"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const auto rotated,
            keys.rotate(call.path("id"), overlap_ms.value_or(rotation_overlap_ms),
                        call.caller().key(), call.deadline()));
  Json out = Json::object({{"id", rotated.key->id}, {"name", rotated.key->name}});
  out.set("api_key", rotated.secret);
  out.set("encoded", auth::encoded_key(rotated.key->id, rotated.secret));
  if (rotated.previous_until_ms != 0) out.set("previous_until", rotated.previous_until_ms);
  return Reply::json(std::move(out));
}

Result<Reply> switch_key(Call& call, Keys& keys, bool enabled) {
  const std::string& id = call.path("id");
  CAIRN_CHECK(keys.set_enabled(id, enabled, call.caller().key(), call.deadline()));
  return Reply::json(Json::object({{"id", id}, {"enabled", enabled}}));
}

struct KeySearch {
  std::optional<auth::KeyQuery> query;
  std::vector<auth::KeySort> sort;
  std::int64_t from = 0;
  std::int64_t size = 10;
  std::optional<Json> search_after;
};

Result<KeySearch> key_search_of(const Json& body) {
  Fields fields(body, "query_api_key_request_payload");
  KeySearch search;
  CAIRN_TRY(const Json* query, fields.object("query"));
  if (query != nullptr) {
    CAIRN_TRY(search.query, auth::KeyQuery::parse(*query));
  }
  if (const Json* sort = fields.any("sort")) {
    CAIRN_TRY(search.sort, auth::parse_key_sort(*sort));
  }
  CAIRN_TRY(search.from, fields.integer_or("from", 0));
  CAIRN_TRY(search.size, fields.integer_or("size", 10));
  CAIRN_TRY(const Json* after, fields.array("search_after"));
  if (after != nullptr) search.search_after = *after;
  CAIRN_CHECK(fields.finish());
  if (search.from < 0 || search.size < 0)
    return illegal_argument("[from] and [size] parameters cannot be negative");
  if (search.from + search.size > key_window_max)
    return illegal_argument(
        "Result window is too large, from + size must be less than or equal "
        "to: [10000] but was [" +
        std::to_string(search.from + search.size) + "]");
  if (after != nullptr && (after->as_array().size() != search.sort.size() || search.sort.empty()))
    return illegal_argument("[search_after] must have as many values as [sort] has fields");
  if (after != nullptr && search.from != 0)
    return illegal_argument("[from] parameter must be set to 0 when [search_after] is used");
  return search;
}

Result<Reply> query_keys(Call& call, Keys& keys) {
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const KeySearch search, key_search_of(body));
  CAIRN_TRY(const bool limited_by, call.flag("with_limited_by", false));
  auth::KeyFilter filter;
  if (!sees_all(call)) filter.owner = call.caller().key().id;
  auto found = keys.find(filter);
  std::erase_if(found, [&](const auto& key) { return search.query && !search.query->fits(*key); });
  const auto total = static_cast<std::int64_t>(found.size());
  const auto values = [&](const auto& key) { return auth::sort_values(*key, search.sort); };
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    return auth::compare_sort_values(values(a), values(b), search.sort) < 0;
  });
  if (search.search_after)
    std::erase_if(found, [&](const auto& key) {
      return auth::compare_sort_values(values(key), *search.search_after, search.sort) <= 0;
    });
  Json shown = Json::array();
  for (std::int64_t i = search.from;
       i < std::min(search.from + search.size, static_cast<std::int64_t>(found.size())); ++i) {
    const auto& key = found[static_cast<std::size_t>(i)];
    Json one = key->shown(limited_by);
    if (!search.sort.empty()) one.set("_sort", values(key));
    shown.push(std::move(one));
  }
  const auto count = static_cast<std::int64_t>(shown.as_array().size());
  return Reply::json(
      Json::object({{"total", total}, {"count", count}, {"api_keys", std::move(shown)}}));
}

Reply authenticate(const Call& call) {
  const auto& key = call.caller().key();
  Json metadata = Json::object();
  if (const auto holder = call.caller().holder()) metadata.set("principal", holder->arn);
  const char* const name = key.signed_in ? "oidc" : "_es_api_key";
  const Json realm = Json::object({{"name", name}, {"type", name}});
  Json roles = Json::array();
  if (key.signed_in && key.role_descriptors.is_object())
    for (const auto& [role, descriptor] : key.role_descriptors.as_object()) roles.push(role);
  Json out = Json::object({{"username", key.username},
                           {"roles", std::move(roles)},
                           {"full_name", Json()},
                           {"email", Json()},
                           {"metadata", std::move(metadata)},
                           {"enabled", true},
                           {"authentication_realm", realm},
                           {"lookup_realm", realm},
                           {"authentication_type", key.signed_in ? "token" : "api_key"}});
  if (!key.signed_in)
    out.set("api_key", Json::object({{"id", key.id}, {"name", key.name}}));
  return Reply::json(std::move(out));
}

Result<Json> asked_indices(const Call& call, const Json& entries, bool& all) {
  Json out = Json::object();
  for (const auto& entry : entries.as_array()) {
    if (!entry.is_object()) return parse_fault("[index] must be an array of objects");
    Fields fields(entry, "has_privileges_index");
    CAIRN_TRY(const auto names, fields.strings("names"));
    CAIRN_TRY(const auto privileges, fields.strings("privileges"));
    CAIRN_CHECK(fields.boolean("allow_restricted_indices"));
    CAIRN_CHECK(fields.finish());
    if (!names || !privileges) return parse_fault("[index] entries need [names] and [privileges]");
    for (const auto& name : *names) {
      Json* answers = out.find(name);
      if (answers == nullptr) answers = &out.set(name, Json::object());
      for (const auto& privilege : *privileges) {
        const bool may = call.caller().may_index(privilege, name);
        all = all && may;
        answers->set(privilege, may);
      }
    }
  }
  return out;
}

Result<Reply> has_privileges(Call& call) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "has_privileges_request");
  CAIRN_TRY(const auto cluster, fields.strings("cluster"));
  CAIRN_TRY(const Json* index, fields.array("index"));
  CAIRN_TRY(const Json* application, fields.array("application"));
  CAIRN_CHECK(fields.finish());
  if (!cluster && index == nullptr && application == nullptr)
    return parse_fault(
        "failed to parse privilege check [must specify one of cluster, index, "
        "application]");
  bool all = true;
  Json on_cluster = Json::object();
  for (const auto& privilege : cluster.value_or(std::vector<std::string>{})) {
    const bool may = call.caller().may_cluster(privilege);
    all = all && may;
    on_cluster.set(privilege, may);
  }
  CAIRN_TRY(Json on_index, asked_indices(call, index != nullptr ? *index : Json::array(), all));
  // Applications keep no privileges here, so nobody has one.
  const bool applications = application != nullptr && !application->as_array().empty();
  return Reply::json(Json::object({{"username", call.caller().username()},
                                   {"has_all_requested", all && !applications},
                                   {"cluster", std::move(on_cluster)},
                                   {"index", std::move(on_index)},
                                   {"application", Json::object()}}));
}

void add_key_rows(Router& router, const KeyBooks& books) {
  const auto keys = books.keys;
  const std::vector<std::string> own = {"manage_own_api_key"};
  const std::vector<std::string> look = {"manage_own_api_key", "read_security"};
  const gate::Parameter refresh = {"refresh", "string", "true, false or wait_for; all act alike."};
  for (const auto* method : {"PUT", "POST"})
    router.add({.method = method,
                .path = "/_security/api_key",
                .operation = "security.create_api_key",
                .cluster = own,
                .content = true,
                .since = "6.7.0",
                .query = {refresh},
                .summary = "Makes an API key, with an access key of the object storage where "
                           "[objects] asks for one; secrets are shown in this answer only.",
                .action = "cluster:admin/xpack/security/api_key/create",
                .body_required = true},
               [books](Call& call) { return create_key(call, books); });
  router.add({.method = "GET",
              .path = "/_security/api_key",
              .operation = "security.get_api_key",
              .cluster = look,
              .since = "6.7.0",
              .query = {{"id", "string"},
                        {"name", "string", "A name, or a prefix with *."},
                        {"owner", "boolean", "Only this key and those that it made."},
                        {"realm_name", "string"},
                        {"username", "string"},
                        {"with_limited_by", "boolean"},
                        {"with_profile_uid", "boolean"},
                        {"active_only", "boolean"},
                        with_requests_parameter},
              .summary = "Shows API keys, without their secrets.",
              .action = "cluster:admin/xpack/security/api_key/get"},
             [keys](Call& call) { return get_keys(call, *keys); });
  router.add({.method = "DELETE",
              .path = "/_security/api_key",
              .operation = "security.invalidate_api_key",
              .cluster = own,
              .since = "6.7.0",
              .query = {dry_run_parameter},
              .summary = "Invalidates API keys at once, and deletes their access keys.",
              .action = "cluster:admin/xpack/security/api_key/invalidate",
              .body_required = true},
             [books](Call& call) { return invalidate_keys(call, books); });
  router.add({.method = "PUT",
              .path = "/_security/api_key/{id}",
              .operation = "security.update_api_key",
              .cluster = own,
              .since = "8.4.0",
              .summary = "Changes rights, metadata or expiration of an API key.",
              .action = "cluster:admin/xpack/security/api_key/update"},
             [books](Call& call) { return update_key(call, books); });
  router.add({.method = "POST",
              .path = "/_security/api_key/{id}/_rotate",
              .operation = "security.rotate_api_key",
              .cluster = own,
              .content = true,
              .summary = "Draws a new secret, shown in this answer only; the old one holds for the "
                         "overlap (24h).",
              .action = "cluster:admin/cairn/api_key/rotate"},
             [keys](Call& call) { return rotate_key(call, *keys); });
  const std::vector<std::string> manage = {"manage_api_key"};
  router.add({.method = "PUT",
              .path = "/_security/api_key/{id}/_disable",
              .operation = "security.disable_api_key",
              .cluster = manage,
              .summary = "Has an API key refused from now on, with its sessions and its access key, "
                         "until it is enabled again; not for the key that asks.",
              .action = "cluster:admin/cairn/api_key/disable"},
             [keys](Call& call) { return switch_key(call, *keys, false); });
  router.add({.method = "PUT",
              .path = "/_security/api_key/{id}/_enable",
              .operation = "security.enable_api_key",
              .cluster = manage,
              .summary = "Has an API key taken again that was disabled.",
              .action = "cluster:admin/cairn/api_key/enable"},
             [keys](Call& call) { return switch_key(call, *keys, true); });
  for (const auto* method : {"GET", "POST"})
    router.add({.method = method,
                .path = "/_security/_query/api_key",
                .operation = "security.query_api_keys",
                .cluster = look,
                .reads = true,
                .computes = true,
                .since = "7.15.0",
                .query = {{"with_limited_by", "boolean"},
                          {"with_profile_uid", "boolean"},
                          {"typed_keys", "boolean"}},
                .summary = "Searches API keys.",
                .action = "cluster:admin/xpack/security/api_key/query"},
               [keys](Call& call) { return query_keys(call, *keys); });
}

}  // namespace

void add_security_routes(Router& router, const KeyBooks& books) {
  add_key_rows(router, books);
  router.add({.method = "GET",
              .path = "/_security/_authenticate",
              .operation = "security.authenticate",
              .since = "5.5.0",
              .summary = "Says whose credentials these are.",
              .action = "cluster:admin/xpack/security/user/authenticate"},
             [](Call& call) -> Result<Reply> { return authenticate(call); });
  for (const auto* method : {"GET", "POST"})
    router.add({.method = method,
                .path = "/_security/user/_has_privileges",
                .operation = "security.has_privileges",
                .reads = true,
                .since = "6.4.0",
                .summary = "Says which of the named privileges this key has.",
                .action = "cluster:admin/xpack/security/user/has_privileges",
                .body_required = true},
               [](Call& call) { return has_privileges(call); });
  router.add(
      {.method = "GET",
       .path = "/_security/privilege/_builtin",
       .operation = "security.get_builtin_privileges",
       .cluster = {"read_security"},
       .since = "7.3.0",
       .summary = "Names all privileges that there are.",
       .action = "cluster:admin/xpack/security/privilege/builtin/get"},
      [](Call&) -> Result<Reply> {
        return Reply::json(Json::object({{"cluster", Json::array_of(auth::cluster_privileges())},
                                         {"index", Json::array_of(auth::index_privileges())}}));
      });
}

}  // namespace cairn::api
