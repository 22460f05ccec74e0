// SPDX-License-Identifier: Apache-2.0
// Who may do what with a bucket or an object: lists of grants, as header fields, as canned names,
// and as the document that is kept. Judging requests by them is not done here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "s3/model.h"
#include "s3/operations/access_operations.h"

namespace cairn::s3 {

inline constexpr std::size_t grants_max = 100;  // of one list

enum class GranteeKind : std::uint8_t { canonical_user, email, group };
enum class Group : std::uint8_t { all_users, authenticated_users, log_delivery };
/// Whether requests may grant to e-mail addresses that were not there before.
enum class EmailGrantees : std::uint8_t { refused, taken };
enum class GrantRight : std::uint8_t { full_control, read, write, read_acp, write_acp };

struct Grant {
  GranteeKind kind = GranteeKind::canonical_user;
  std::string name = {};  // a canonical id, or an e-mail address of a list that was kept
  Group group = Group::all_users;
  GrantRight right = GrantRight::full_control;
  friend bool operator==(const Grant&, const Grant&) = default;
};

struct GrantList {
  std::string owner_id = {};  // canonical id of who owns the bucket or object
  std::vector<Grant> grants = {};
  friend bool operator==(const GrantList&, const GrantList&) = default;
};

std::string_view uri_of(Group group);
std::optional<Group> group_of_uri(std::string_view uri);
std::string_view name_of(GrantRight right);
/// True for FULL_CONTROL and for the right itself.
bool gives(GrantRight granted, GrantRight wanted);

/// What a list is that nobody gave: everything to the owner.
GrantList private_grants(std::string_view owner_id);
/// What a canned name stands for ("public-read"); nothing for an unknown one. `bucket_owner_id`
/// matters to the names of objects that mention it.
std::optional<GrantList> canned_grants(std::string_view name, std::string_view owner_id,
                                       std::string_view bucket_owner_id);
/// True where a grant is for everybody or for everybody with an account.
bool is_public(const GrantList& list);

/// The fields x-amz-grant-*, each `id="…", uri="…"`. No text: nothing granted by that field.
struct GrantFields {
  std::optional<std::string> full_control = {};
  std::optional<std::string> read = {};
  std::optional<std::string> write = {};
  std::optional<std::string> read_acp = {};
  std::optional<std::string> write_acp = {};
  bool any() const { return full_control || read || write || read_acp || write_acp; }
};
/// Errors: InvalidArgument ("Argument format not recognized", "Invalid id", "Invalid group uri");
/// UnresolvableGrantByEmailAddress, where e-mail addresses are refused.
Result<std::vector<Grant>> grants_of_fields(const GrantFields& fields,
                                            EmailGrantees emails = EmailGrantees::refused);

/// From the body of a request. Errors: MalformedACLError; InvalidArgument, as above;
/// UnresolvableGrantByEmailAddress for a refused e-mail address that `kept` does not have.
Result<GrantList> grants_of_policy(const AccessControlPolicyElement& policy, const GrantList& kept,
                                   EmailGrantees emails = EmailGrantees::refused);

/// As results show it: without display names.
std::vector<GrantElement> grant_elements(const GrantList& list);

/// The document that is kept of a list, and back. An empty text is the private list of `owner_id`.
/// Errors: corrupt.
std::string text_of_grants(const GrantList& list);
Result<GrantList> grants_of_text(std::string_view text, std::string_view owner_id);

}  // namespace cairn::s3
