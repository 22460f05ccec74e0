// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/type_text.h"

namespace cairn::api {

const std::string_view graphql_resource_types = R"(
type Connector implements Node {
  id: ID!
  connectorId: String! @from(path: "id_")
  name: String
  description: String
  indexName: String @from(path: "index_name")
  serviceType: String @from(path: "service_type")
  status: String
  error: String
  isNative: Boolean @from(path: "is_native")
  language: String
  configuration: JSON
  scheduling: JSON
  filtering: JSON
  features: JSON
  pipeline: JSON
  lastSeen: DateTime @from(path: "last_seen")
  lastSynced: DateTime @from(path: "last_synced")
  lastSyncStatus: String @from(path: "last_sync_status")
  lastSyncError: String @from(path: "last_sync_error")
  "The index that it fills."
  index: Index
  "Newest first."
  syncJobs(status: String, first: Int, after: String, last: Int, before: String): SyncJobConnection!
}
type ConnectorEdge {
  cursor: String!
  node: Connector
}
type ConnectorConnection {
  nodes: [Connector]
  edges: [ConnectorEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

"One run of a connector."
type SyncJob implements Node {
  id: ID!
  jobId: String! @from(path: "id_")
  status: String
  jobType: String @from(path: "job_type")
  triggerMethod: String @from(path: "trigger_method")
  error: String
  createdAt: DateTime @from(path: "created_at")
  startedAt: DateTime @from(path: "started_at")
  completedAt: DateTime @from(path: "completed_at")
  canceledAt: DateTime @from(path: "canceled_at")
  indexedDocumentCount: Long @from(path: "indexed_document_count")
  indexedDocumentVolume: Long @from(path: "indexed_document_volume")
  deletedDocumentCount: Long @from(path: "deleted_document_count")
  totalDocumentCount: Long @from(path: "total_document_count")
  metadata: JSON
  connectorId: String @from(path: "connector.id")
  connector: Connector
}
type SyncJobEdge {
  cursor: String!
  node: SyncJob
}
type SyncJobConnection {
  nodes: [SyncJob]
  edges: [SyncJobEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type InferenceEndpoint implements Node {
  id: ID!
  inferenceId: String! @from(path: "inference_id")
  taskType: String! @from(path: "task_type")
  service: String!
  serviceSettings: JSON @from(path: "service_settings")
  taskSettings: JSON @from(path: "task_settings")
  chunkingSettings: JSON @from(path: "chunking_settings")
}
type InferenceEndpointEdge {
  cursor: String!
  node: InferenceEndpoint
}
type InferenceEndpointConnection {
  nodes: [InferenceEndpoint]
  edges: [InferenceEndpointEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Model {
  modelId: String! @from(path: "model_id")
  modelType: String @from(path: "model_type")
  description: String
  tags: [String!]
  "Everything that is known of it."
  config: JSON
}
type ModelEdge {
  cursor: String!
  node: Model
}
type ModelConnection {
  nodes: [Model]
  edges: [ModelEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Repository implements Node {
  id: ID!
  name: String!
  type: String!
  settings: JSON
  snapshot(name: String!): Snapshot
  "Oldest first."
  snapshots(first: Int, after: String, last: Int, before: String): SnapshotConnection!
}
type RepositoryEdge {
  cursor: String!
  node: Repository
}
type RepositoryConnection {
  nodes: [Repository]
  edges: [RepositoryEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Snapshot {
  name: String! @from(path: "snapshot")
  uuid: String
  state: String
  indices: [String!]
  dataStreams: [String!] @from(path: "data_streams")
  startedAt: DateTime @from(path: "start_time_in_millis")
  endedAt: DateTime @from(path: "end_time_in_millis")
  durationMilliseconds: Long @from(path: "duration_in_millis")
  metadata: JSON
  failures: JSON
  shards: JSON
}
type SnapshotEdge {
  cursor: String!
  node: Snapshot
}
type SnapshotConnection {
  nodes: [Snapshot]
  edges: [SnapshotEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

"A key, without its secret."
type ApiKey implements Node {
  id: ID!
  keyId: String! @from(path: "id_")
  name: String
  type: String
  username: String
  createdAt: DateTime @from(path: "creation")
  expiresAt: DateTime @from(path: "expiration")
  invalidated: Boolean
  invalidatedAt: DateTime @from(path: "invalidation")
  "False: it is refused until it is enabled again."
  enabled: Boolean
  "Absent: no use is known of. A use counts where the key verified."
  lastUsed: KeyUse @from(path: "last_used")
  accessKeyId: String @from(path: "access_key_id")
  metadata: JSON
  roleDescriptors: JSON @from(path: "role_descriptors")
}
"When a key was used last, and from which address."
type KeyUse {
  at: DateTime
  address: String
}
type ApiKeyEdge {
  cursor: String!
  node: ApiKey
}
type ApiKeyConnection {
  nodes: [ApiKey]
  edges: [ApiKeyEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Bucket {
  name: String!
  createdAt: DateTime @from(path: "created")
  "Null, with an error, where there is none."
  object(key: String!): Object
  "By key, in the order of their bytes. Only forward: first and after."
  objects(prefix: String, first: Int!, after: String): ObjectConnection!
  "Beginnings of keys up to the delimiter, after the prefix."
  commonPrefixes(prefix: String, delimiter: String = "/", first: Int!, after: String): CommonPrefixPage
}
type BucketEdge {
  cursor: String!
  node: Bucket
}
type BucketConnection {
  nodes: [Bucket]
  edges: [BucketEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Object {
  bucket: String!
  key: String!
  size: Long
  eTag: String
  lastModified: DateTime
  storageClass: String
  contentType: String
  "User metadata."
  metadata: JSON
  "The body of an object of text, of at most so many bytes (256 KiB where nothing is said, a MiB at most); null for bytes that are no UTF-8."
  text(bytes: Int = 262144): String
}
type ObjectEdge {
  cursor: String!
  node: Object
}
type ObjectConnection {
  nodes: [Object]
  edges: [ObjectEdge]
  pageInfo: PageInfo!
}
type CommonPrefixPage {
  prefixes: [String!]!
  hasNextPage: Boolean!
  "The next page is after it."
  endCursor: String
}

type ObjectAccount {
  name: String
  accountId: String @from(path: "id")
  canonicalId: String @from(path: "canonical_id")
  email: String
  createdAt: DateTime @from(path: "creation")
  "Each with its name, ARN and policies."
  users: JSON
}
type ObjectAccountEdge {
  cursor: String!
  node: ObjectAccount
}
type ObjectAccountConnection {
  nodes: [ObjectAccount]
  edges: [ObjectAccountEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Task {
  "As _tasks/{task_id} takes it."
  taskId: String! @from(path: "task_id")
  action: String!
  description: String
  startedAt: DateTime @from(path: "start_time_in_millis")
  runningNanoseconds: Long @from(path: "running_time_in_nanos")
  cancellable: Boolean
  cancelled: Boolean
  status: JSON
}
type TaskEdge {
  cursor: String!
  node: Task
}
type TaskConnection {
  nodes: [Task]
  edges: [TaskEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}
)";

}  // namespace cairn::api
