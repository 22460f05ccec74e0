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

std::shared_ptr<const auth::ObjectCaller> Caller::holder() const {
  if (!key_ || key_->access_key_id.empty() || objects_ == nullptr || !objects_->holder_of)
    return nullptr;
  return objects_->holder_of(*key_);
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
  return (!public_only() && may_by_key(privilege, index)) || may_without_key(privilege, index);
}

bool Caller::may_without_key(std::string_view privilege, std::string_view index) const {
  if (!is_reading_privilege(privilege)) return false;
  return may_read_as_holder(index) ||
         (facts_ != nullptr && facts_->is_public && facts_->is_public(index));
}

std::string Caller::stream_of(std::string_view index) const {
  return facts_ != nullptr && facts_->stream_of ? facts_->stream_of(index) : std::string();
}

bool Caller::may_by_key(std::string_view privilege, std::string_view index) const {
  if (key_->may_index(privilege, index)) return true;
  const std::string stream = stream_of(index);
  return !stream.empty() && key_->may_index(privilege, stream);
}

bool Caller::reads_all_of(std::string_view index) const {
  if (may_without_key("read", index)) return true;
  return may_index("read", index) && document_filter(index) == nullptr;
}

// Rights on an index of a stream come from its own name, or else from that of the stream.
std::shared_ptr<const Json> Caller::document_filter(std::string_view index) const {
  if (public_only() || may_without_key("read", index)) return nullptr;
  if (key_->reads_all_of(index)) return nullptr;
  if (!key_->may_index("read", index))
    if (const std::string stream = stream_of(index); !stream.empty())
      return key_->document_filter(stream);
  return key_->document_filter(index);
}

// A pattern would have to be covered whole, and policies speak of one bucket at a time.
bool Caller::may_read_as_holder(std::string_view index) const {
  if (objects_ == nullptr || !objects_->may_read || index.empty() || index == "_all" ||
      index.find_first_of("*?,") != std::string_view::npos)
    return false;
  const auto holder = this->holder();
  return holder != nullptr && objects_->may_read(*holder, index);
}

bool Caller::may_some_index(std::string_view privilege) const {
  if (!public_only() && key_->may_some_index(privilege)) return true;
  if (is_reading_privilege(privilege) && objects_ != nullptr && objects_->may_read && holder())
    return true;
  return is_reading_privilege(privilege) && facts_ != nullptr && facts_->any && facts_->any();
}

}  // namespace cairn::gate
