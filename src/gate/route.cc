// SPDX-License-Identifier: Apache-2.0
// Who is calling, and the names of stabilities.
#include "gate/route.h"

#include "base/assert.h"

namespace cairn::gate {

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
  return key_ && key_->may_cluster(privilege);
}

bool Caller::may_index(std::string_view privilege, std::string_view index) const {
  return key_ && key_->may_index(privilege, index);
}

bool Caller::may_some_index(std::string_view privilege) const {
  return key_ && key_->may_some_index(privilege);
}

}  // namespace cairn::gate
