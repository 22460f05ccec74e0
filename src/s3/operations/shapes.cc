// SPDX-License-Identifier: Apache-2.0
// The descriptions of all structures, made from what each says of its fields. They are tables of
// this file alone: nothing of them stands in a second one.
#include <array>
#include <type_traits>
#include <utility>

#include "s3/operations/operation.h"

namespace cairn::s3 {
namespace {

template <class T>
struct Unwrapped {
  using type = T;
  static constexpr bool optional = false, list = false;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using type = T;
  static constexpr bool optional = true, list = false;
};
template <class T>
struct Unwrapped<std::vector<T>> {
  using type = T;
  static constexpr bool optional = true, list = true;
};

template <class T>
constexpr Type type_of() {
  using U = Unwrapped<T>;
  using Inner = typename U::type;
  if constexpr (std::is_same_v<Inner, std::string>)
    return U::list ? Type::text_list : Type::text;
  else if constexpr (std::is_same_v<Inner, std::int64_t>)
    return Type::integer;
  else if constexpr (std::is_same_v<Inner, bool>)
    return Type::boolean;
  else if constexpr (std::is_same_v<Inner, Time>)
    return Type::time;
  else if constexpr (std::is_same_v<Inner, Metadata>)
    return Type::text_map;
  else
    return U::list ? Type::structure_list : Type::structure;
}

template <class T>
constexpr Access access_of = [] {
  using U = Unwrapped<T>;
  Access a{};
  if constexpr (U::list) {
    a.has = [](const void* f) { return !static_cast<const T*>(f)->empty(); };
    a.size = [](const void* f) { return static_cast<const T*>(f)->size(); };
    a.at = [](void* f, std::size_t i) -> void* { return &(*static_cast<T*>(f))[i]; };
    a.append = [](void* f) -> void* { return &static_cast<T*>(f)->emplace_back(); };
  } else if constexpr (U::optional) {
    a.has = [](const void* f) { return static_cast<const T*>(f)->has_value(); };
    a.value = [](void* f) -> void* {
      auto& field = *static_cast<T*>(f);
      return field ? &*field : &field.emplace();
    };
  } else if constexpr (std::is_same_v<T, Metadata>) {
    a.has = [](const void* f) { return !static_cast<const T*>(f)->empty(); };
    a.value = [](void* f) -> void* { return f; };
  } else {
    a.has = [](const void*) { return true; };
    a.value = [](void* f) -> void* { return f; };
  }
  return a;
}();

template <class S>
constexpr const Shape* shape_at();

template <class T>
constexpr Member member(detail::FieldOf<T> described) {
  using Inner = typename Unwrapped<T>::type;
  constexpr Type type = type_of<T>();
  // A field that would be a word of the language has a "_" more.
  if (described.name.ends_with('_')) described.name.remove_suffix(1);
  Member m{.name = described.name,
           .wire = described.wire,
           .type = type,
           .required = described.wire.must || (!Unwrapped<T>::optional && type != Type::text_map),
           .access = &access_of<T>,
           .field = {described.offset},
           .shape = nullptr};
  if constexpr (type == Type::structure || type == Type::structure_list)
    m.shape = shape_at<Inner>();
  return m;
}

template <class S, int Place>
concept DescribedAt = requires {
  S::describe(detail::At<Place>{});
};

template <class S, int... Offsets>
constexpr std::size_t count_members(std::integer_sequence<int, Offsets...>) {
  return (std::size_t{DescribedAt<S, S::shape_begin + Offsets>} + ... + 0);
}

template <class S, int Place, class Members>
constexpr void add_member(Members& members, std::size_t& next) {
  if constexpr (DescribedAt<S, Place>) members[next++] = member(S::describe(detail::At<Place>{}));
}

template <class S, int... Offsets>
constexpr auto collect_members(std::integer_sequence<int, Offsets...> all) {
  std::array<Member, count_members<S>(all)> members{};
  std::size_t next = 0;
  (add_member<S, S::shape_begin + Offsets>(members, next), ...);
  return members;
}

template <class S>
constexpr auto members_of =
    collect_members<S>(std::make_integer_sequence<int, S::shape_end - S::shape_begin>{});

template <class S>
[[gnu::cold]] void* make_or_end(void* structure) {
  if (structure == nullptr) return new S{};
  delete static_cast<S*>(structure);
  return nullptr;
}

// Callers have whole parameters and results, and never a part of them.
template <class S>
constexpr auto life_of() -> void* (*)(void*) {
  if constexpr (S::shape_name.ends_with("Input") || S::shape_name.ends_with("Output"))
    return &make_or_end<S>;
  else
    return nullptr;
}

template <class S>
constexpr Shape shape_for{S::shape_name, members_of<S>, life_of<S>()};

template <class S>
constexpr const Shape* shape_at() {
  return &shape_for<S>;
}

}  // namespace

template <class Structure>
const Shape& shape_of() {
  return shape_for<Structure>;
}

template const Shape& shape_of<OwnerElement>();
template const Shape& shape_of<BucketElement>();
template const Shape& shape_of<ListBucketsInput>();
template const Shape& shape_of<ListBucketsOutput>();
template const Shape& shape_of<LocationElement>();
template const Shape& shape_of<BucketInfoElement>();
template const Shape& shape_of<TagElement>();
template const Shape& shape_of<CreateBucketConfiguration>();
template const Shape& shape_of<CreateBucketInput>();
template const Shape& shape_of<CreateBucketOutput>();
template const Shape& shape_of<BucketInput>();
template const Shape& shape_of<HeadBucketOutput>();
template const Shape& shape_of<GetBucketLocationOutput>();
template const Shape& shape_of<EmptyOutput>();

template const Shape& shape_of<VersioningConfigurationElement>();
template const Shape& shape_of<PutBucketVersioningInput>();
template const Shape& shape_of<GetBucketVersioningOutput>();
template const Shape& shape_of<CorsRuleElement>();
template const Shape& shape_of<CorsConfigurationElement>();
template const Shape& shape_of<PutBucketCorsInput>();
template const Shape& shape_of<GetBucketCorsOutput>();
template const Shape& shape_of<EncryptionByDefaultElement>();
template const Shape& shape_of<BlockedEncryptionTypesElement>();
template const Shape& shape_of<EncryptionRuleElement>();
template const Shape& shape_of<EncryptionConfigurationElement>();
template const Shape& shape_of<PutBucketEncryptionInput>();
template const Shape& shape_of<GetBucketEncryptionOutput>();
template const Shape& shape_of<RequestPaymentElement>();
template const Shape& shape_of<PutBucketRequestPaymentInput>();
template const Shape& shape_of<PutBucketDocumentInput>();
template const Shape& shape_of<GetBucketRequestPaymentOutput>();
template const Shape& shape_of<AccelerateInput>();
template const Shape& shape_of<AccelerateOutput>();

template const Shape& shape_of<GranteeElement>();
template const Shape& shape_of<GrantElement>();
template const Shape& shape_of<AccessControlPolicyElement>();
template const Shape& shape_of<PutBucketAclInput>();
template const Shape& shape_of<GetAclOutput>();
template const Shape& shape_of<PutObjectAclInput>();
template const Shape& shape_of<OwnershipRuleElement>();
template const Shape& shape_of<OwnershipControlsElement>();
template const Shape& shape_of<PutBucketOwnershipControlsInput>();
template const Shape& shape_of<GetBucketOwnershipControlsOutput>();
template const Shape& shape_of<PublicAccessBlockElement>();
template const Shape& shape_of<PutPublicAccessBlockInput>();
template const Shape& shape_of<GetPublicAccessBlockOutput>();
template const Shape& shape_of<PutBucketPolicyInput>();
template const Shape& shape_of<GetBucketPolicyOutput>();
template const Shape& shape_of<PolicyStatusElement>();
template const Shape& shape_of<GetBucketPolicyStatusOutput>();

template const Shape& shape_of<TaggingElement>();
template const Shape& shape_of<PutBucketTaggingInput>();
template const Shape& shape_of<GetBucketTaggingOutput>();
template const Shape& shape_of<PutObjectTaggingInput>();
template const Shape& shape_of<DeleteObjectTaggingInput>();
template const Shape& shape_of<ObjectTaggingOutput>();
template const Shape& shape_of<GetObjectTaggingOutput>();

template const Shape& shape_of<DefaultRetentionElement>();
template const Shape& shape_of<LockRuleElement>();
template const Shape& shape_of<ObjectLockConfigurationElement>();
template const Shape& shape_of<PutObjectLockConfigurationInput>();
template const Shape& shape_of<GetObjectLockConfigurationOutput>();
template const Shape& shape_of<RetentionElement>();
template const Shape& shape_of<PutObjectRetentionInput>();
template const Shape& shape_of<GetObjectRetentionOutput>();
template const Shape& shape_of<LegalHoldElement>();
template const Shape& shape_of<PutObjectLegalHoldInput>();
template const Shape& shape_of<GetObjectLegalHoldOutput>();
template const Shape& shape_of<ChargedOutput>();

template const Shape& shape_of<LifecycleExpirationElement>();
template const Shape& shape_of<LifecycleAndElement>();
template const Shape& shape_of<LifecycleFilterElement>();
template const Shape& shape_of<TransitionElement>();
template const Shape& shape_of<NoncurrentTransitionElement>();
template const Shape& shape_of<NoncurrentExpirationElement>();
template const Shape& shape_of<AbortUploadsElement>();
template const Shape& shape_of<LifecycleRuleElement>();
template const Shape& shape_of<LifecycleConfigurationElement>();
template const Shape& shape_of<PutBucketLifecycleConfigurationInput>();
template const Shape& shape_of<PutBucketLifecycleConfigurationOutput>();
template const Shape& shape_of<GetBucketLifecycleConfigurationOutput>();

template const Shape& shape_of<RestoreStatusElement>();
template const Shape& shape_of<ObjectElement>();
template const Shape& shape_of<CommonPrefixElement>();
template const Shape& shape_of<ListObjectsInput>();
template const Shape& shape_of<ListObjectsOutput>();
template const Shape& shape_of<ListObjectsV2Input>();
template const Shape& shape_of<ListObjectsV2Output>();
template const Shape& shape_of<VersionElement>();
template const Shape& shape_of<ListObjectVersionsInput>();
template const Shape& shape_of<ListObjectVersionsOutput>();

template const Shape& shape_of<ObjectInput>();
template const Shape& shape_of<PutObjectInput>();
template const Shape& shape_of<PutObjectOutput>();
template const Shape& shape_of<GetObjectInput>();
template const Shape& shape_of<GetObjectOutput>();
template const Shape& shape_of<DeleteObjectInput>();
template const Shape& shape_of<DeleteObjectOutput>();
template const Shape& shape_of<ObjectIdentifier>();
template const Shape& shape_of<Delete>();
template const Shape& shape_of<DeleteObjectsInput>();
template const Shape& shape_of<DeletedElement>();
template const Shape& shape_of<ErrorElement>();
template const Shape& shape_of<DeleteObjectsOutput>();
template const Shape& shape_of<CopyObjectInput>();
template const Shape& shape_of<CopyObjectResult>();
template const Shape& shape_of<CopyObjectOutput>();

template const Shape& shape_of<GetObjectAttributesInput>();
template const Shape& shape_of<ChecksumElement>();
template const Shape& shape_of<ObjectPartElement>();
template const Shape& shape_of<ObjectPartsElement>();
template const Shape& shape_of<GetObjectAttributesOutput>();
template const Shape& shape_of<GlacierJobElement>();
template const Shape& shape_of<RestoreRequestElement>();
template const Shape& shape_of<RestoreObjectInput>();
template const Shape& shape_of<RestoreObjectOutput>();

template const Shape& shape_of<CreateMultipartUploadInput>();
template const Shape& shape_of<CreateMultipartUploadOutput>();
template const Shape& shape_of<UploadPartInput>();
template const Shape& shape_of<UploadPartOutput>();
template const Shape& shape_of<UploadPartCopyInput>();
template const Shape& shape_of<CopyPartResult>();
template const Shape& shape_of<UploadPartCopyOutput>();
template const Shape& shape_of<CompletedPart>();
template const Shape& shape_of<CompletedMultipartUpload>();
template const Shape& shape_of<CompleteMultipartUploadInput>();
template const Shape& shape_of<CompleteMultipartUploadOutput>();
template const Shape& shape_of<AbortMultipartUploadInput>();
template const Shape& shape_of<AbortMultipartUploadOutput>();
template const Shape& shape_of<PartElement>();
template const Shape& shape_of<ListPartsInput>();
template const Shape& shape_of<ListPartsOutput>();
template const Shape& shape_of<UploadElement>();
template const Shape& shape_of<ListMultipartUploadsInput>();
template const Shape& shape_of<ListMultipartUploadsOutput>();

template const Shape& shape_of<TableEncryption>();
template const Shape& shape_of<RecordExpiration>();
template const Shape& shape_of<JournalTableConfiguration>();
template const Shape& shape_of<InventoryTableConfiguration>();
template const Shape& shape_of<MetadataConfiguration>();
template const Shape& shape_of<CreateBucketMetadataConfigurationInput>();
template const Shape& shape_of<TableDestination>();
template const Shape& shape_of<TableFault>();
template const Shape& shape_of<JournalTableResult>();
template const Shape& shape_of<InventoryTableResult>();
template const Shape& shape_of<UpdateBucketMetadataJournalTableConfigurationInput>();
template const Shape& shape_of<UpdateBucketMetadataInventoryTableConfigurationInput>();
template const Shape& shape_of<ListBucketMetadataTableRowsInput>();
template const Shape& shape_of<ListBucketMetadataTableRowsOutput>();
template const Shape& shape_of<MetadataConfigurationResult>();
template const Shape& shape_of<BucketMetadataConfigurationResult>();
template const Shape& shape_of<GetBucketMetadataConfigurationOutput>();
template const Shape& shape_of<CreateSessionInput>();
template const Shape& shape_of<SessionCredentials>();
template const Shape& shape_of<CreateSessionOutput>();
template const Shape& shape_of<ListDirectoryBucketsInput>();
template const Shape& shape_of<ListDirectoryBucketsOutput>();
template const Shape& shape_of<RenameObjectInput>();

template const Shape& shape_of<VpcElement>();
template const Shape& shape_of<ScopeElement>();
template const Shape& shape_of<CreateAccessPointRequest>();
template const Shape& shape_of<CreateAccessPointInput>();
template const Shape& shape_of<CreateAccessPointOutput>();
template const Shape& shape_of<AccessPointInput>();
template const Shape& shape_of<GetAccessPointOutput>();
template const Shape& shape_of<ListAccessPointsInput>();
template const Shape& shape_of<AccessPointElement>();
template const Shape& shape_of<ListAccessPointsOutput>();
template const Shape& shape_of<PutAccessPointPolicyRequest>();
template const Shape& shape_of<PutAccessPointPolicyInput>();
template const Shape& shape_of<GetAccessPointPolicyOutput>();
template const Shape& shape_of<GetAccessPointPolicyStatusOutput>();
template const Shape& shape_of<PutAccessPointScopeRequest>();
template const Shape& shape_of<PutAccessPointScopeInput>();
template const Shape& shape_of<GetAccessPointScopeOutput>();
template const Shape& shape_of<ListAccessPointsForDirectoryBucketsInput>();
template const Shape& shape_of<OutpostBucketInput>();
template const Shape& shape_of<CreateOutpostBucketOutput>();
template const Shape& shape_of<GetOutpostBucketOutput>();
template const Shape& shape_of<ListRegionalBucketsInput>();
template const Shape& shape_of<RegionalBucketElement>();
template const Shape& shape_of<ListRegionalBucketsOutput>();

template const Shape& shape_of<GranteeOfGrant>();
template const Shape& shape_of<GrantLocationConfiguration>();
template const Shape& shape_of<CreateAccessGrantsInstanceRequest>();
template const Shape& shape_of<CreateAccessGrantsInstanceInput>();
template const Shape& shape_of<AccessGrantsInput>();
template const Shape& shape_of<AccessGrantsNameInput>();
template const Shape& shape_of<AccessGrantsInstanceOutput>();
template const Shape& shape_of<AccessGrantsPageInput>();
template const Shape& shape_of<ListAccessGrantsInstancesOutput>();
template const Shape& shape_of<GetAccessGrantsInstanceForPrefixInput>();
template const Shape& shape_of<GetAccessGrantsInstanceForPrefixOutput>();
template const Shape& shape_of<CreateAccessGrantsLocationRequest>();
template const Shape& shape_of<CreateAccessGrantsLocationInput>();
template const Shape& shape_of<UpdateAccessGrantsLocationRequest>();
template const Shape& shape_of<UpdateAccessGrantsLocationInput>();
template const Shape& shape_of<AccessGrantsLocationOutput>();
template const Shape& shape_of<ListAccessGrantsLocationsInput>();
template const Shape& shape_of<ListAccessGrantsLocationsOutput>();
template const Shape& shape_of<CreateAccessGrantRequest>();
template const Shape& shape_of<CreateAccessGrantInput>();
template const Shape& shape_of<AccessGrantOutput>();
template const Shape& shape_of<ListAccessGrantsInput>();
template const Shape& shape_of<ListAccessGrantsOutput>();
template const Shape& shape_of<GetDataAccessInput>();
template const Shape& shape_of<GrantCredentials>();
template const Shape& shape_of<GetDataAccessOutput>();

}  // namespace cairn::s3
