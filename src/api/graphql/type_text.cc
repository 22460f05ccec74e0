// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/type_text.h"

namespace cairn::api {

const std::string_view graphql_types = R"(
"A whole number of 64 bits."
scalar Long
"A time as text: 2026-01-31T08:05:09.000Z."
scalar DateTime
"Any JSON value: documents, queries, mappings, and answers as REST gives them."
scalar JSON @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc8259")

"Something that has an id of its own among all things."
interface Node {
  "Opaque; node(id:) finds the thing again."
  id: ID!
}

"Where a page of a connection stands."
type PageInfo {
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  "Of the first edge; null where there is none."
  startCursor: String
  "Of the last edge: the next page is after it."
  endCursor: String
}

type Query {
  "The thing of that id."
  node(id: ID!): Node
  "What this request costs, and what is left of the caller's limit for GraphQL; null where nothing is limited."
  rateLimit("Kept for clients that send it; this request runs and is counted either way." dryRun: Boolean = false): RateLimit
  "Who asks."
  viewer: Viewer!

  "An index, a data stream's included, by its name."
  index(name: String!): Index
  "Indices by a name or a pattern, in the order of their names."
  indices("Names and patterns, separated by commas." pattern: String = "*", first: Int, after: String, last: Int, before: String): IndexConnection!
  "Documents of indices that match, best first. What GET /{index}/_search answers, page by page."
  search("Names and patterns; none: all." index: [String!], "In the query language." query: JSON, "Instead of a query: a tree of retrievers." retriever: JSON, "As the search takes it; none: by score." sort: JSON, "Further members of the search: aggs, knn, highlight, min_score and others." body: JSON, first: Int!, after: String): HitConnection!

  connector(id: ID!): Connector
  connectors(indexName: [String!], serviceType: [String!], query: String, first: Int, after: String, last: Int, before: String): ConnectorConnection!
  syncJob(id: ID!): SyncJob
  syncJobs(connectorId: String, status: String, first: Int, after: String, last: Int, before: String): SyncJobConnection!

  inferenceEndpoint(id: String!): InferenceEndpoint
  inferenceEndpoints(first: Int, after: String, last: Int, before: String): InferenceEndpointConnection!
  "Vectors, scores, an order or a text for inputs, as the endpoint's task is."
  infer(endpoint: String!, input: [String!]!, "What a rerank endpoint compares the inputs with." query: String, taskSettings: JSON): JSON
  models(first: Int, after: String, last: Int, before: String): ModelConnection!

  repository(name: String!): Repository
  repositories(first: Int, after: String, last: Int, before: String): RepositoryConnection!

  apiKey(id: String!): ApiKey
  apiKeys("Only the caller's own." owner: Boolean, "Only those that work." active: Boolean, first: Int, after: String, last: Int, before: String): ApiKeyConnection!
  "A bucket, with the access key that the caller's key has."
  bucket(name: String!): Bucket
  "The buckets of the account, by name."
  buckets(first: Int, after: String, last: Int, before: String): BucketConnection!
  "Accounts of the object storage."
  objectAccounts(first: Int, after: String, last: Int, before: String): ObjectAccountConnection!

  "Tasks that run, and those whose results are kept."
  tasks(actions: [String!], first: Int, after: String, last: Int, before: String): TaskConnection!
  "What is left of every limit of the caller."
  limits: [Limit!]!
  # fields of Query follow
}

type Mutation {
  "PUT /{bucket} of the object storage."
  createBucket(name: String!): Bucket
  "DELETE /{bucket} of the object storage; the bucket must be empty."
  deleteBucket(name: String!): Boolean
  "PUT /{bucket}/{key} of the object storage, of a text of at most 512 KiB."
  putObject(bucket: String!, key: String!, text: String!, contentType: String = "text/plain; charset=utf-8"): Object
  "DELETE /{bucket}/{key} of the object storage."
  deleteObject(bucket: String!, key: String!): Boolean
  # fields of Mutation follow
}

"What a change answered."
type Answer {
  "As of the same request through REST."
  status: Int!
  body: JSON
  "Reads what is there now, in the same request."
  query: Query!
}

type RateLimit {
  limit: Int!
  "Of this request: the pages that its connections may need, divided by 100 and rounded, at least 1."
  cost: Int!
  remaining: Int!
  used: Int!
  resetAt: DateTime!
  "How many nodes this request may return, where every page is full."
  nodeCount: Int!
}

type Limit {
  resource: String!
  limit: Int!
  used: Int!
  remaining: Int!
  resetAt: DateTime!
}

"Whoever sent the request."
type Viewer {
  username: String!
  "api_key or token."
  authenticationType: String! @from(path: "authentication_type")
  roles: [String!]!
  metadata: JSON
  "Of the key that was used; null for tokens."
  apiKeyId: String @from(path: "api_key.id")
  apiKeyName: String @from(path: "api_key.name")
}

enum Health {
  GREEN
  YELLOW
  RED
}

enum IndexStatus {
  OPEN
  CLOSE
}

type Index implements Node {
  id: ID!
  name: String!
  uuid: String
  health: Health
  status: IndexStatus
  "Documents that are there, those of nested objects included."
  documentCount: Long @from(path: "documents")
  deletedDocumentCount: Long @from(path: "deleted")
  "Bytes on the store."
  bytes: Long
  segmentCount: Int @from(path: "segments")
  createdAt: DateTime @from(path: "created")
  "Names that stand for it, with what they say besides."
  aliases: JSON
  mappings: JSON
  settings: JSON
  "One document; null, with an error, where there is none."
  document(id: ID!, routing: String): Document
  "How many documents match; all where there is no query."
  count(query: JSON): Long
  "As Query.search, in this index."
  search(query: JSON, retriever: JSON, sort: JSON, body: JSON, first: Int!, after: String): HitConnection!
}
type IndexEdge {
  cursor: String!
  node: Index
}
type IndexConnection {
  nodes: [Index]
  edges: [IndexEdge]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Document {
  index: String! @from(path: "_index")
  id: ID! @from(path: "_id")
  version: Long @from(path: "_version")
  seqNo: Long @from(path: "_seq_no")
  primaryTerm: Long @from(path: "_primary_term")
  source: JSON @from(path: "_source")
  "One member of the source, by its dotted path."
  field(path: String!): JSON
}

"A document that a search found."
type Hit {
  index: String! @from(path: "_index")
  id: ID! @from(path: "_id")
  score: Float @from(path: "_score")
  source: JSON @from(path: "_source")
  "One member of the source, by its dotted path."
  field(path: String!): JSON
  "Fields that the search asked for."
  fields: JSON
  highlight: JSON
  sort: JSON
  explanation: JSON @from(path: "_explanation")
  innerHits: JSON @from(path: "inner_hits")
}
type HitEdge {
  cursor: String!
  node: Hit
}
type HitConnection {
  nodes: [Hit]
  edges: [HitEdge]
  pageInfo: PageInfo!
  "How many documents match; all of them are counted where this is asked for."
  totalCount: Long!
  maxScore: Float
  "Milliseconds."
  took: Int
  timedOut: Boolean
  aggregations: JSON
  suggest: JSON
}
)";

}  // namespace cairn::api
