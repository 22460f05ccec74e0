// SPDX-License-Identifier: Apache-2.0
// A key to its stored record, to its shown form, and its answers.
#include "auth/keys/key.h"

#include <algorithm>

#include "auth/errors.h"
#include "auth/keys/document_query.h"
#include "base/encode.h"

namespace cairn::auth {
namespace {

constexpr std::size_t query_bytes_of_key_max = 1u << 20;

bool shows_all_of(const Rights& rights, std::string_view index) {
  return rights.query_bytes() == 0 || rights.reads_all_of(index) ||
         rights.queries_of(index).empty();
}

/// What any of the queries shows.
Json any_of(const std::vector<std::shared_ptr<const Json>>& queries) {
  Json should = Json::array();
  for (const auto& query : queries) should.push(*query);
  return Json::object({{"bool", Json::object({{"should", std::move(should)}})}});
}

}  // namespace

bool Key::may_cluster(std::string_view privilege) const {
  if (bounds.empty()) return false;
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const Rights& rights) { return rights.cluster(privilege); });
}

bool Key::may_index(std::string_view privilege, std::string_view index) const {
  if (bounds.empty()) return false;
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const Rights& rights) { return rights.index(privilege, index); });
}

bool Key::may_some_index(std::string_view privilege) const {
  if (bounds.empty()) return false;
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const Rights& rights) { return rights.some_index(privilege); });
}

bool Key::searches_only() const {
  return std::any_of(bounds.begin(), bounds.end(),
                     [](const Rights& rights) { return rights.reads_only(); });
}

bool Key::lasting_administrator() const {
  return access_key_id.empty() && !invalidation_ms && !disabled && !expiration_ms &&
         may_cluster("all") && may_index("all", "*") && reads_all_of("*");
}

bool Key::reads_all_of(std::string_view index) const {
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const Rights& rights) { return shows_all_of(rights, index); });
}

std::shared_ptr<const Json> Key::document_filter(std::string_view index) const {
  std::vector<std::shared_ptr<const Json>> all;  // each bound must show a document
  for (const Rights& rights : bounds) {
    if (shows_all_of(rights, index)) continue;
    const auto any = rights.queries_of(index);
    all.push_back(any.size() == 1 ? any.front() : std::make_shared<const Json>(any_of(any)));
  }
  if (all.size() <= 1) return all.empty() ? nullptr : all.front();
  Json filter = Json::array();
  for (const auto& query : all) filter.push(*query);
  return std::make_shared<const Json>(
      Json::object({{"bool", Json::object({{"filter", std::move(filter)}})}}));
}

Status Key::prepare() {
  counted_as = ratelimit::key_identity(id);
  if (identity() != nullptr) {
    CAIRN_TRY(counted_as, ratelimit::parse_identity(*identity(), username));
  }
  counted_as.exempt = created_by.empty();
  bounds.clear();
  const bool own = role_descriptors.is_object() && !role_descriptors.as_object().empty();
  if (own) {
    CAIRN_TRY(auto rights, Rights::parse(role_descriptors, user_of_templates(username, metadata)));
    bounds.push_back(std::move(rights));
  }
  if (!limited_by.is_array()) return ok_status();
  for (const auto& limit : limited_by.as_array()) {
    CAIRN_TRY(auto rights, Rights::parse(limit));
    bounds.push_back(std::move(rights));
  }
  std::size_t bytes = 0;
  for (const Rights& rights : bounds) bytes += rights.query_bytes();
  if (bytes > query_bytes_of_key_max)
    return illegal_argument("the queries of the roles of an API key, and of those that bound it, "
                            "may not take more than [" + std::to_string(query_bytes_of_key_max) +
                            "] bytes");
  return ok_status();
}

std::string Key::encode() const {
  Json record = Json::object({{"id", id},
                              {"name", name},
                              {"secret_sha256", to_hex(secret_sha256)},
                              {"creation", creation_ms},
                              {"serial", serial},
                              {"username", username},
                              {"created_by", created_by},
                              {"role_descriptors", role_descriptors},
                              {"limited_by", limited_by},
                              {"metadata", metadata},
                              {"version", version}});
  if (!access_key_id.empty()) record.set("access_key_id", access_key_id);
  if (expiration_ms) record.set("expiration", *expiration_ms);
  if (invalidation_ms) record.set("invalidation", *invalidation_ms);
  if (disabled) record.set("disabled", true);
  if (!previous_sha256.empty()) {
    record.set("previous_sha256", to_hex(previous_sha256));
    record.set("previous_until", previous_until_ms);
  }
  return record.dump();
}

Result<Key> Key::decode(std::string_view bytes, std::string_view etag) {
  const Error corrupt{ErrorKind::corrupt, {}, "an API key's record does not read back"};
  auto parsed = parse_json(bytes);
  if (!parsed.ok() || !parsed->is_object()) return corrupt;
  const Json& record = *parsed;
  Key key;
  key.id = record.string_or("id");
  key.name = record.string_or("name");
  const auto digest = from_hex(record.string_or("secret_sha256"));
  if (key.id.empty() || !digest || digest->size() != 32) return corrupt;
  key.secret_sha256 = *digest;
  if (record.find("previous_sha256") != nullptr) {
    const auto previous = from_hex(record.string_or("previous_sha256"));
    if (!previous || previous->size() != 32) return corrupt;
    key.previous_sha256 = *previous;
    key.previous_until_ms = record.int_or("previous_until");
  }
  key.creation_ms = record.int_or("creation");
  key.serial = record.int_or("serial");
  if (record.find("expiration") != nullptr) key.expiration_ms = record.int_or("expiration");
  if (record.find("invalidation") != nullptr) key.invalidation_ms = record.int_or("invalidation");
  key.disabled = record.bool_or("disabled", false);
  key.username = record.string_or("username");
  key.created_by = record.string_or("created_by");
  key.access_key_id = record.string_or("access_key_id");
  if (const Json* roles = record.find("role_descriptors")) key.role_descriptors = *roles;
  if (const Json* limits = record.find("limited_by")) key.limited_by = *limits;
  if (const Json* metadata = record.find("metadata")) key.metadata = *metadata;
  key.version = record.int_or("version", 1);
  key.etag = etag;
  if (!key.prepare().ok()) return corrupt;
  return key;
}

Json Key::shown(bool with_limited_by) const {
  Json out =
      Json::object({{"id", id}, {"name", name}, {"type", "rest"}, {"creation", creation_ms}});
  if (expiration_ms) out.set("expiration", *expiration_ms);
  out.set("invalidated", invalidation_ms.has_value());
  if (invalidation_ms) out.set("invalidation", *invalidation_ms);
  out.set("enabled", !disabled);
  if (last_use != nullptr)
    if (auto use = shown_use(last_use->get())) out.set("last_used", *std::move(use));
  out.set("username", username);
  if (!access_key_id.empty()) out.set("access_key_id", access_key_id);
  out.set("realm", "cairn");
  out.set("realm_type", "cairn");
  out.set("metadata", metadata);
  out.set("role_descriptors", normalized_roles(role_descriptors));
  if (with_limited_by) {
    Json limits = Json::array();
    for (const auto& limit : limited_by.as_array()) limits.push(normalized_roles(limit));
    out.set("limited_by", std::move(limits));
  }
  return out;
}

std::optional<Json> shown_use(const Use& use) {
  if (use.at_ms == 0) return std::nullopt;
  Json out = Json::object({{"at", use.at_ms}});
  if (!use.address.empty()) out.set("address", use.address);
  return out;
}

Json shown_requests(const LastUse* use) {
  Json out = Json::array();
  if (use == nullptr) return out;
  for (const auto& [hour_ms, requests] : use->requests().get())
    out.push(Json::object({{"hour", hour_ms}, {"requests", requests}}));
  return out;
}

Json no_rights() {
  return Json::object(
      {{"none", Json::object({{"cluster", Json::array()}, {"indices", Json::array()}})}});
}

Json limits_for_children(const Key& key) {
  Json limits = key.limited_by;
  const bool own = key.role_descriptors.is_object() && !key.role_descriptors.as_object().empty();
  if (!own) return limits;
  // The key was made ready, so that its templates can be filled in.
  auto filled = filled_roles(key.role_descriptors, user_of_templates(key.username, key.metadata));
  const Json roles = filled.ok() ? *std::move(filled) : no_rights();
  const auto& there = limits.as_array();
  if (std::find(there.begin(), there.end(), roles) == there.end()) limits.push(roles);
  return limits;
}

}  // namespace cairn::auth
