// SPDX-License-Identifier: Apache-2.0
// What the parameters of a write say of the object beside its bytes.
#pragma once

#include <string>

#include "base/result.h"
#include "s3/model.h"
#include "s3/tags.h"
#include "s3api/access/acls.h"
#include "s3api/objects/attributes.h"
#include "s3api/call.h"
#include "s3api/directory/directory.h"
#include "s3api/objects/locks.h"

namespace cairn::s3api {

struct NewObject {
  s3::ObjectAttributes attributes = {};
  s3::Tags tags = {};
  s3::Owner owner = {};
  std::string acl = {};
  LockRequest lock = {};
};

/// Without attributes and tags, which a copy may take from its source.
template <class Input>
Result<NewObject> new_object_around(const Call& call, const Input& in) {
  NewObject out;
  CAIRN_TRY(out.lock, lock_request(call, in));
  CAIRN_TRY(const GrantsRequest wanted, grants_request(call, in));
  out.owner = owner_of_new(call, wanted);
  CAIRN_TRY(out.acl, acl_of_new(call, wanted, out.owner));
  return out;
}

template <class Input>
Result<NewObject> new_object(const Call& call, const Input& in) {
  CAIRN_TRY(NewObject out, new_object_around(call, in));
  CAIRN_TRY(out.attributes, attributes_of(in, call.context.options));
  out.attributes.storage_class = storage_class_of_new(call, in.storage_class);
  CAIRN_TRY(out.tags, s3::tags_of_field(in.tagging.value_or("")));
  return out;
}

}  // namespace cairn::s3api
