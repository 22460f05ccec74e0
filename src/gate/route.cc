// SPDX-License-Identifier: Apache-2.0
// Who is calling, and the names of stabilities.
#include "gate/route.h"

#include "base/assert.h"

namespace cairn::gate {
namespace {

/// Privileges that a public index gives to everybody.
bool is_reading_privilege(std::string_view privilege) {
  return privilege == "read" || privilege == "view_index_metadata";
}

}  // namespace

bool reads_only(const Route& route) {
  return route.reads || route.method == "GET" || route.method == "HEAD" ||
         route.method == "OPTIONS";
}

std::uint32_t usual_points(const Route& route) {
  if (route.resource.empty() || route.surface == Surface::large_files) return 0;
  return reads_only(route) ? 1 : 5;
}

std::string_view name_of(Stability stability) {
  switch (stability) {
    case Stability::stable:
      return "stable";
    case Stability::beta:
      return "beta";
    case Stability::experimental:
      return "experimental";
  }
  return "stable";
}

const auth::Key& Caller::key() const {
  CAIRN_ASSERT(key_ != nullptr);
  return *key_;
}

std::string_view Caller::username() const {
  return key_ ? std::string_view(key_->username) : std::string_view();
}

const Json& Caller::identity() const {
  static const Json none;
  const Json* identity = key_ ? key_->identity() : nullptr;
  return identity != nullptr ? *identity : none;
}

bool Caller::may_cluster(std::string_view privilege) const {
  return !public_only() && key_->may_cluster(privilege);
}

bool Caller::may_index(std::string_view privilege, std::string_view index) const {
  if (!public_only() && key_->may_index(privilege, index)) return true;
  return is_reading_privilege(privilege) && public_ != nullptr && public_->is_public &&
         public_->is_public(index);
}

bool Caller::may_some_index(std::string_view privilege) const {
  if (!public_only() && key_->may_some_index(privilege)) return true;
  return is_reading_privilege(privilege) && public_ != nullptr && public_->any && public_->any();
}

}  // namespace cairn::gate
