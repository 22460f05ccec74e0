// SPDX-License-Identifier: Apache-2.0
// What is kept with a bucket, as text and as values: each document is read once and then shared.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/xml.h"
#include "objectstore/bucket_state.h"
#include "objectstore/core/lifecycle.h"
#include "s3/grants.h"
#include "s3/operations/access_operations.h"
#include "s3/operations/lifecycle_operations.h"
#include "s3/operations/setting_operations.h"
#include "s3/operations/shape.h"
#include "s3/operations/tagging_operations.h"
#include "s3/wire/xml_body.h"
#include "s3api/access/access.h"

namespace cairn::s3api {

/// A structure as the text that is kept of it.
template <class Element>
std::string document_text(std::string_view root, const Element& element) {
  std::string text;
  XmlWriter out(text);
  out.open(root);
  s3::write_elements(out, s3::shape_of<Element>(), &element, {});
  out.close(root);
  return text;
}

/// The structure of a kept text. A text that cannot be read gives an empty structure: texts are
/// checked before they are kept.
template <class Element>
Element element_of(const std::string& text) {
  Element element{};
  const auto root = parse_xml(text);
  if (root.ok())
    static_cast<void>(
        s3::read_elements(*root, s3::shape_of<Element>(), &element, {.strict = false}).ok());
  return element;
}

/// The document of that name, or null.
template <class Element>
std::shared_ptr<const Element> document_of(const objectstore::BucketState& bucket,
                                           std::string_view name) {
  const auto document = bucket.document(name);
  return document == nullptr ? nullptr : document->parsed<Element>(&element_of<Element>);
}

/// Rules for browsers; none where the bucket has none.
std::shared_ptr<const s3::CorsConfigurationElement> cors_of(const objectstore::BucketState& bucket);

struct LifecycleDocument {
  s3::LifecycleConfigurationElement configuration = {};
  std::vector<objectstore::LifecycleRule> rules = {};  // those that are enabled
};
/// The rules that are enabled, as the engine applies them.
std::vector<objectstore::LifecycleRule> enabled_rules(
    const s3::LifecycleConfigurationElement& configuration);
/// Null where the bucket has none.
std::shared_ptr<const LifecycleDocument> lifecycle_of(const objectstore::BucketState& bucket);

/// The document of a bucket that encrypts with that algorithm by default.
std::string encryption_text(std::string_view algorithm);

/// The default encryption that was set; null where there is none.
std::shared_ptr<const s3::EncryptionRuleElement> encryption_of(
    const objectstore::BucketState& bucket);

/// All four are off where the bucket has no such document.
s3::PublicAccessBlockElement public_access_block_of(const objectstore::BucketState& bucket);

/// The grants of the bucket: the kept ones, else everything to the owner.
s3::GrantList grants_of(const objectstore::BucketState& bucket);

/// "arn:aws:s3:::name", or that of a directory bucket with its region and account.
std::string arn_of(const s3::Bucket& bucket);

/// The policy of a bucket. Errors: those of auth::Policy.
Result<std::shared_ptr<const auth::Policy>> policy_of_text(std::string_view text,
                                                           const s3::Bucket& bucket);

/// All that decisions on access look at.
BucketRules rules_of(const objectstore::BucketState& bucket);

}  // namespace cairn::s3api
