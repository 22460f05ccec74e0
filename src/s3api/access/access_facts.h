// SPDX-License-Identifier: Apache-2.0
// What conditions of policies can ask about a request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/policy/policy_key.h"
#include "s3api/access/access.h"

namespace cairn::s3api {

/// Looks values up when they are asked for. What it was made of outlives it.
class RequestFacts final : public auth::PolicyFacts {
 public:
  /// `subject`: null where the request is about no bucket that is there.
  RequestFacts(const AccessContext& context, const AccessSubject* subject,
               std::string_view location_constraint = {})
      : context_(context), subject_(subject), location_constraint_(location_constraint) {}

  bool find(const auth::PolicyKey& key, std::vector<std::string>& values) const override;

 private:
  bool find_of_caller(auth::Fact fact, std::vector<std::string>& values) const;
  bool find_of_access_point(auth::Fact fact, std::vector<std::string>& values) const;
  bool find_of_connection(auth::Fact fact, std::vector<std::string>& values) const;
  bool find_of_signature(auth::Fact fact, std::vector<std::string>& values) const;
  bool find_header(std::string_view name, std::vector<std::string>& values) const;
  bool find_query(std::string_view name, std::vector<std::string>& values) const;
  bool find_lock(auth::Fact fact, std::vector<std::string>& values) const;
  bool find_tags(const auth::PolicyKey& key, std::vector<std::string>& values) const;
  std::optional<s3::Tags> new_tags() const;
  void note_body_asked() const;

  const AccessContext& context_;
  const AccessSubject* subject_;
  std::string_view location_constraint_;
};

/// A header field by its name in dialect aws.
std::optional<std::string_view> header_of(const AccessContext& context, std::string_view aws_name);

}  // namespace cairn::s3api
