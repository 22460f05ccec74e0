// SPDX-License-Identifier: Apache-2.0
// The object storage on the platform's port, for the caller of that port: what a page of the
// console asks for objects with.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/router.h"
#include "app/objects/object_caller.h"
#include "auth/accounts/accounts.h"
#include "lfs/options.h"
#include "s3api/service.h"

namespace cairn::app {

struct ObjectPassage {
  std::shared_ptr<const ObjectCaller> callers;
  s3api::Service& service;                   // which counts, judges and audits
  std::function<std::string()> objects_url;  // of its listener
  const lfs::Options& urls;                  // how it is reached from outside
  const auth::Accounts& accounts;            // whose rights are simulated
};

/// Where a browser that sends a request to the platform's port reaches the object storage.
std::function<std::string(const net::RequestHead& head)> objects_reached_at(
    api::ServiceRef<const ObjectPassage> passage);

/// Rows of all methods at /_cairn/objects, /_cairn/objects/{bucket} and
/// /_cairn/objects/{bucket}/{key...}, POST /_cairn/objects/_presign, and POST
/// /_cairn/buckets/{bucket}/_simulate. `base_path`: the prefix of
/// all paths. The passage outlives the router's dispatcher.
void add_object_passage_routes(api::Router& router, api::ServiceRef<const ObjectPassage> passage,
                               const std::string& base_path);

}  // namespace cairn::app
