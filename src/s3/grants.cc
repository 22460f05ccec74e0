// SPDX-License-Identifier: Apache-2.0
#include "s3/grants.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "format/xml.h"
#include "s3/errors.h"
#include "s3/wire/wire.h"
#include "s3/wire/xml_body.h"

namespace cairn::s3 {
namespace {

constexpr std::string_view group_uris[] = {
    "http://acs.amazonaws.com/groups/global/AllUsers",
    "http://acs.amazonaws.com/groups/global/AuthenticatedUsers",
    "http://acs.amazonaws.com/groups/s3/LogDelivery"};
constexpr std::string_view right_names[] = {"FULL_CONTROL", "READ", "WRITE", "READ_ACP",
                                            "WRITE_ACP"};

std::optional<GrantRight> right_of_name(std::string_view name) {
  for (std::size_t i = 0; i < std::size(right_names); ++i)
    if (right_names[i] == name) return static_cast<GrantRight>(i);
  return std::nullopt;
}

bool is_canonical_id(std::string_view id) {
  return id.size() == 64 && std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Error invalid(std::string_view name, std::string_view value, std::string message) {
  return error("InvalidArgument", std::move(message))
      .with_detail("ArgumentName", std::string(name))
      .with_detail("ArgumentValue", std::string(value));
}

Error email_refused() { return error("UnresolvableGrantByEmailAddress"); }

Grant to_user(std::string_view id, GrantRight right) {
  return {.kind = GranteeKind::canonical_user, .name = std::string(id), .right = right};
}
Grant to_group(Group group, GrantRight right) {
  return {.kind = GranteeKind::group, .group = group, .right = right};
}

Grant to_email(std::string_view address, GrantRight right) {
  return {.kind = GranteeKind::email, .name = std::string(address), .right = right};
}

// `id="abc"`, `uri=abc`: quotes may be left out.
Result<Grant> read_grantee(std::string_view text, std::string_view field, GrantRight right,
                           EmailGrantees emails) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return invalid(field, text, "Argument format not recognized");
  const std::string kind = lower_ascii(trim(text.substr(0, equals)));
  std::string_view value = trim(text.substr(equals + 1));
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front())
    value = value.substr(1, value.size() - 2);
  if (kind == "id") {
    if (!is_canonical_id(value)) return invalid("id", value, "Invalid id");
    return to_user(value, right);
  }
  if (kind == "uri") {
    const auto group = group_of_uri(value);
    if (!group) return invalid("uri", value, "Invalid group uri");
    return to_group(*group, right);
  }
  if (kind == "emailaddress") {
    if (emails == EmailGrantees::refused) return email_refused();
    return to_email(value, right);
  }
  return invalid(field, text, "Argument format not recognized");
}

Result<Grant> read_element(const GrantElement& element, const GrantList& kept,
                           EmailGrantees emails) {
  if (!element.grantee || !element.permission) return error("MalformedACLError");
  const GranteeElement& grantee = *element.grantee;
  const GrantRight right = right_of_name(*element.permission).value_or(GrantRight::read);
  if (grantee.type == "Group") {
    const auto group = group_of_uri(grantee.uri.value_or(""));
    if (!group) return invalid("Group/URI", grantee.uri.value_or(""), "Invalid group uri");
    return to_group(*group, right);
  }
  if (grantee.type == "AmazonCustomerByEmail") {
    const Grant grant = to_email(grantee.email_address.value_or(""), right);
    const bool known = emails == EmailGrantees::taken ||
                       std::any_of(kept.grants.begin(), kept.grants.end(), [&](const Grant& g) {
                         return g.kind == grant.kind && g.name == grant.name;
                       });
    if (known) return grant;
    return email_refused();
  }
  const std::string id = grantee.id.value_or("");
  if (!is_canonical_id(id)) return invalid("CanonicalUser/ID", id, "Invalid id");
  return to_user(id, right);
}

}  // namespace

std::string_view uri_of(Group group) { return group_uris[static_cast<std::size_t>(group)]; }

std::optional<Group> group_of_uri(std::string_view uri) {
  for (std::size_t i = 0; i < std::size(group_uris); ++i)
    if (group_uris[i] == uri) return static_cast<Group>(i);
  return std::nullopt;
}

std::string_view name_of(GrantRight right) { return right_names[static_cast<std::size_t>(right)]; }

bool gives(GrantRight granted, GrantRight wanted) {
  return granted == GrantRight::full_control || granted == wanted;
}

GrantList private_grants(std::string_view owner_id) {
  return {.owner_id = std::string(owner_id),
          .grants = {to_user(owner_id, GrantRight::full_control)}};
}

std::optional<GrantList> canned_grants(std::string_view name, std::string_view owner_id,
                                       std::string_view bucket_owner_id) {
  using enum GrantRight;
  GrantList list = private_grants(owner_id);
  const auto add = [&](Grant grant) { list.grants.push_back(std::move(grant)); };
  const bool other = owner_id != bucket_owner_id;
  if (name == "private" || name == "aws-exec-read") return list;
  if (name == "public-read" || name == "public-read-write") {
    add(to_group(Group::all_users, read));
    if (name == "public-read-write") add(to_group(Group::all_users, write));
    return list;
  }
  if (name == "authenticated-read") {
    add(to_group(Group::authenticated_users, read));
    return list;
  }
  if (name == "log-delivery-write") {
    add(to_group(Group::log_delivery, write));
    add(to_group(Group::log_delivery, read_acp));
    return list;
  }
  if (name == "bucket-owner-read" || name == "bucket-owner-full-control") {
    if (other) add(to_user(bucket_owner_id, name == "bucket-owner-read" ? read : full_control));
    return list;
  }
  return std::nullopt;
}

bool is_public(const GrantList& list) {
  return std::any_of(list.grants.begin(), list.grants.end(), [](const Grant& grant) {
    return grant.kind == GranteeKind::group && grant.group != Group::log_delivery;
  });
}

Result<std::vector<Grant>> grants_of_fields(const GrantFields& fields, EmailGrantees emails) {
  using enum GrantRight;
  struct Field {
    std::string_view name;
    const std::optional<std::string>& text;
    GrantRight right;
  };
  const Field all[] = {{"x-amz-grant-full-control", fields.full_control, full_control},
                       {"x-amz-grant-read", fields.read, read},
                       {"x-amz-grant-write", fields.write, write},
                       {"x-amz-grant-read-acp", fields.read_acp, read_acp},
                       {"x-amz-grant-write-acp", fields.write_acp, write_acp}};
  std::vector<Grant> grants;
  for (const Field& field : all) {
    if (!field.text || trim(*field.text).empty()) continue;
    for (std::string_view piece : split(*field.text, ',')) {
      CAIRN_TRY(Grant grant, read_grantee(trim(piece), field.name, field.right, emails));
      grants.push_back(std::move(grant));
    }
  }
  if (grants.size() > grants_max) return error("MalformedACLError");
  return grants;
}

Result<GrantList> grants_of_policy(const AccessControlPolicyElement& policy, const GrantList& kept,
                                   EmailGrantees emails) {
  if (!policy.owner || policy.grants.size() > grants_max) return error("MalformedACLError");
  GrantList list{.owner_id = policy.owner->id.value_or("")};
  if (!is_canonical_id(list.owner_id))
    return invalid("CanonicalUser/ID", list.owner_id, "Invalid id");
  if (list.owner_id != kept.owner_id) return error("AccessDenied");  // owners do not change
  for (const GrantElement& element : policy.grants) {
    CAIRN_TRY(Grant grant, read_element(element, kept, emails));
    list.grants.push_back(std::move(grant));
  }
  return list;
}

std::vector<GrantElement> grant_elements(const GrantList& list) {
  std::vector<GrantElement> out;
  for (const Grant& grant : list.grants) {
    GranteeElement grantee;
    switch (grant.kind) {
      case GranteeKind::canonical_user:
        grantee.type = "CanonicalUser";
        grantee.id = grant.name;
        break;
      case GranteeKind::email:
        grantee.type = "AmazonCustomerByEmail";
        grantee.email_address = grant.name;
        break;
      case GranteeKind::group:
        grantee.type = "Group";
        grantee.uri = uri_of(grant.group);
        break;
    }
    out.push_back({.grantee = std::move(grantee), .permission = std::string(name_of(grant.right))});
  }
  return out;
}

std::string text_of_grants(const GrantList& list) {
  AccessControlPolicyElement policy{.owner = OwnerElement{.id = list.owner_id},
                                    .grants = grant_elements(list)};
  std::string text;
  XmlWriter out(text);
  out.open("AccessControlPolicy");
  write_elements(out, shape_of<AccessControlPolicyElement>(), &policy, {});
  out.close("AccessControlPolicy");
  return text;
}

Result<GrantList> grants_of_text(std::string_view text, std::string_view owner_id) {
  if (text.empty()) return private_grants(owner_id);
  CAIRN_TRY(const XmlElement root, parse_xml(text));
  AccessControlPolicyElement policy;
  CAIRN_CHECK(
      read_elements(root, shape_of<AccessControlPolicyElement>(), &policy, {.strict = false}));
  GrantList list;
  if (policy.owner) list.owner_id = policy.owner->id.value_or("");
  for (const GrantElement& element : policy.grants) {
    auto grant = read_element(element, {}, EmailGrantees::taken);
    if (!grant.ok())
      return Error{.kind = ErrorKind::corrupt, .message = "a kept list of grants cannot be read"};
    list.grants.push_back(std::move(*grant));
  }
  return list;
}

}  // namespace cairn::s3
