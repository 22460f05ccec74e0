// Written by console/tools/generate.mjs from the OpenAPI document of the program. Do not edit.

export type QueryValue = string | number | boolean | readonly string[] | undefined
export type NoPath = {}

/** An access key of the object storage. */
export type AccessKey = {
  access_key_id: string
  account: string
  active: boolean
  api_key?: string
  arn: string
  creation: number
  enabled: boolean
  last_used?: KeyUse
  requests?: KeyRequests[]
  secret_access_key?: string
  user: string | null
}

/** A change that was made. */
export type Acknowledged = {
  acknowledged: boolean
}

/** How allocations follow the load. */
export type AdaptiveAllocations = {
  enabled: boolean
  max_number_of_allocations?: number
  min_number_of_allocations?: number
}

/** One change of aliases. */
export type AliasAction = {
  add?: {
    alias?: string
    aliases?: Names
    filter?: Query
    index?: string
    index_routing?: string | number
    indices?: Names
    is_hidden?: boolean
    is_write_index?: boolean
    must_exist?: boolean
    routing?: string | number
    search_routing?: string | number
  }
  remove?: {
    alias?: string
    aliases?: Names
    index?: string
    indices?: Names
    must_exist?: boolean
  }
  remove_index?: {
    index?: string
    indices?: Names
    must_exist?: boolean
  }
}

/** What an alias says of an index. */
export type AliasProperties = {
  filter?: Query
  index_routing?: string
  is_hidden?: boolean
  is_write_index?: boolean
  routing?: string
  search_routing?: string
}

/** Aliases that were changed. */
export type AliasesChanged = {
  acknowledged: boolean
  action_results?: Record<string, any>[]
  errors?: boolean
}

/** An API key, without its secret. */
export type ApiKey = {
  _sort?: any[]
  access_key_id?: string
  creation: number
  enabled: boolean
  expiration?: number
  id: string
  invalidated: boolean
  invalidation?: number
  last_used?: KeyUse
  limited_by?: Record<string, RoleDescriptor>[]
  metadata: Record<string, any>
  name: string
  realm: string
  realm_type: string
  requests?: KeyRequests[]
  role_descriptors: Record<string, RoleDescriptor>
  type: string
  username: string
}

/** For whom an application may have tokens. */
export type ApplicationGrant = {
  account: string
  application: string
  granted: number
  granted_by: string
  identity: any
  role_descriptors: any
  username: string
}

/** Where and how a model is deployed. */
export type Assignment = {
  assignment: Record<string, any>
  [more: string]: any
}

/** How far an async search is, with its answer once there is one. */
export type AsyncSearchAnswer = {
  completion_time_in_millis?: number
  error?: ErrorCause
  expiration_time_in_millis: number
  id?: string
  is_partial: boolean
  is_running: boolean
  response?: SearchAnswer
  start_time_in_millis: number
}

/** How far an async search is. */
export type AsyncSearchStatus = {
  _shards: Shards
  completion_status?: number
  completion_time_in_millis?: number
  expiration_time_in_millis: number
  id: string
  is_partial: boolean
  is_running: boolean
  start_time_in_millis: number
}

/** A line of the audit log. */
export type AuditEvent = {
  '@timestamp'?: string
  event?: Record<string, any>
  [more: string]: any
}

/** How far the audit log is shipped to its bucket. */
export type AuditShipping = {
  to: string | null
  [more: string]: any
}

/** Whose credentials these are. */
export type Authenticated = {
  api_key?: {
    id: string
    name: string
  }
  authentication_realm: {
    name: string
    type: string
  }
  authentication_type: string
  email: string | null
  enabled: boolean
  full_name: string | null
  lookup_realm: {
    name: string
    type: string
  }
  metadata: Record<string, any>
  roles: string[]
  username: string
}

/** One backup of all that the server keeps. */
export type Backup = {
  begun: string
  bytes?: number
  bytes_added: number
  bytes_read: number
  damaged?: any
  ended?: string
  error?: string
  files: {
    done: number
    total: number
  }
  id: string
  older_removed?: any
  pieces_added: number
  place: string
  scheduled: boolean
  state: 'running' | 'done' | 'failed'
}

/** What a change of a record did. */
export type BareResult = {
  result: 'created' | 'updated' | 'noop' | 'deleted'
}

/** Indices that were blocked or let go. */
export type BlockedIndices = {
  acknowledged: boolean
  indices: {
    blocked?: boolean
    name: string
    unblocked?: boolean
  }[]
  shards_acknowledged: boolean
}

/** Which document a line of a bulk request is about. */
export type BulkAction = {
  _id?: string | number
  _index?: string
  _routing?: string
  _source?: any
  dynamic_templates?: Record<string, any>
  if_primary_term?: number
  if_seq_no?: number
  list_executed_pipelines?: boolean
  op_type?: string
  pipeline?: string
  require_alias?: boolean
  require_data_stream?: boolean
  retry_on_conflict?: number
  routing?: string
  version?: number
  version_type?: string
}

/** What every action did, in the order of the request. */
export type BulkAnswer = {
  errors: boolean
  items: {
    create?: BulkItemResult
    delete?: BulkItemResult
    index?: BulkItemResult
    update?: BulkItemResult
  }[]
  took: number
}

/** What an action of a bulk request did. */
export type BulkItemResult = {
  _id: string | null
  _index: string
  _primary_term?: number
  _seq_no?: number
  _shards?: Shards
  _version?: number
  error?: ErrorCause
  forced_refresh?: boolean
  get?: UpdatedDocument
  result?: 'created' | 'updated' | 'deleted' | 'noop' | 'not_found'
  status: number
}

/** An action, or the document or change that follows it. */
export type BulkLine = {
  create?: BulkAction
  delete?: BulkAction
  index?: BulkAction
  update?: BulkAction
} | Record<string, any>

/** What a change of many documents did. */
export type ByQueryAnswer = {
  batches: number
  created?: number
  deleted: number
  failures: any[]
  noops: number
  requests_per_second: number
  retries: {
    bulk: number
    search: number
  }
  throttled_millis: number
  throttled_until_millis: number
  timed_out: boolean
  took: number
  total: number
  updated?: number
  version_conflicts: number
  [more: string]: any
}

/** Which documents. */
export type ByQueryBody = {
  conflicts?: 'abort' | 'proceed'
  max_docs?: number
  query?: Query
  slice?: Record<string, any>
  sort?: any
}

/** Rows of a table, by the names of columns; with format=json. A table as text without it. */
export type CatRows = Record<string, string>[]

/** What will begin otherwise when it is next made; null: no template. */
export type ChangedBeginning = {
  name: string
  template: string | null
  template_after: string | null
}

/** One message of a chat. */
export type ChatMessage = {
  content?: any
  role: string
  [more: string]: any
}

/** How long texts are cut. */
export type ChunkingSettings = {
  max_chunk_size?: number
  overlap?: number
  sentence_overlap?: number
  separator_group?: string
  separators?: string[]
  strategy?: 'word' | 'sentence' | 'recursive' | 'none'
  [more: string]: any
}

/** Whether all indices are ready. */
export type ClusterHealth = {
  active_primary_shards: number
  active_shards: number
  active_shards_percent_as_number: number
  cluster_name: string
  delayed_unassigned_shards: number
  initializing_shards: number
  number_of_data_nodes: number
  number_of_in_flight_fetch: number
  number_of_nodes: number
  number_of_pending_tasks: number
  relocating_shards: number
  status: HealthColour
  task_max_waiting_in_queue_millis: number
  timed_out: boolean
  unassigned_primary_shards: number
  unassigned_shards: number
}

/** A part that index templates are composed of. */
export type ComponentTemplate = {
  _meta?: Record<string, any>
  deprecated?: boolean
  template: TemplateBody
  version?: number
}

/** A source outside, and the index that it fills. */
export type Connector = {
  api_key_id: string | null
  api_key_secret_id: string | null
  configuration: Record<string, ConnectorSetting>
  custom_scheduling: Record<string, any>
  deleted: boolean
  description: string | null
  error: string | null
  features: ConnectorFeatures | null
  filtering: ConnectorFiltering[]
  id: string
  index_name: string | null
  is_native: boolean
  language: string | null
  last_access_control_sync_error: string | null
  last_access_control_sync_scheduled_at: string | null
  last_access_control_sync_status: string | null
  last_deleted_document_count: number | null
  last_incremental_sync_scheduled_at: string | null
  last_indexed_document_count: number | null
  last_seen: string | null
  last_sync_error: string | null
  last_sync_scheduled_at: string | null
  last_sync_status: SyncStatus | null
  last_synced: string | null
  name: string | null
  paused: boolean
  pipeline: ConnectorPipeline | null
  scheduling: {
    access_control?: ConnectorSchedule
    full?: ConnectorSchedule
    incremental?: ConnectorSchedule
  }
  service_type: string | null
  status: ConnectorStatus
  sync_cursor: any
  sync_now: boolean
}

/** What the service of a connector can do. */
export type ConnectorFeatures = {
  document_level_security?: FeatureSwitch
  incremental_sync?: FeatureSwitch
  native_connector_api_keys?: FeatureSwitch
  sync_rules?: {
    advanced?: FeatureSwitch
    basic?: FeatureSwitch
  }
}

/** The rules that hold, and the draft of the next. */
export type ConnectorFiltering = {
  active: SyncRules
  domain?: string
  draft: SyncRules
}

/** How documents are made before they are indexed. */
export type ConnectorPipeline = {
  extract_binary_content: boolean
  name: string
  reduce_whitespace: boolean
  run_ml_inference: boolean
}

/** What the deletion of a connector would do, with dry_run. */
export type ConnectorRemoval = {
  dry_run: boolean
  would: {
    connector: string
    index_that_stays: string | null
    record_stays: boolean
    running_sync_jobs: number
    sync_jobs: number
    sync_jobs_that_stay: number
  }
}

/** When syncs of one type begin by themselves. */
export type ConnectorSchedule = {
  enabled: boolean
  interval: string
}

/** One value that a source is configured with, and how to ask for it. */
export type ConnectorSetting = {
  category?: string
  default_value?: any
  depends_on?: any[]
  display?: string
  label?: string
  options?: any[]
  order?: number
  placeholder?: string
  required?: boolean
  sensitive?: boolean
  tooltip?: string | null
  type?: string
  ui_restrictions?: any[]
  validations?: any[]
  value?: any
  [more: string]: any
}

/** How far a connector is set up. */
export type ConnectorStatus = 'created' | 'needs_configuration' | 'configured' | 'connected' | 'error'

/** A new API key: its secret is shown here only. */
export type CreatedApiKey = {
  api_key: string
  encoded: string
  expiration?: number
  id: string
  name: string
  objects?: AccessKey
}

/** A data stream and its indices. */
export type DataStream = {
  _meta?: Record<string, any>
  allow_custom_routing: boolean
  generation: number
  hidden: boolean
  indices: {
    index_name: string
    index_uuid: string
    managed_by: string
    prefer_ilm: boolean
  }[]
  maximum_timestamp?: number
  name: string
  next_generation_managed_by: string
  prefer_ilm: boolean
  replicated: boolean
  rollover_on_write: boolean
  status: string
  system: boolean
  template?: string
  timestamp_field: {
    name: string
  }
}

/** How far the model of an endpoint is loaded. */
export type DeploymentProgress = {
  state?: string
  [more: string]: any
}

/** A model that is loaded to answer. */
export type DeploymentStats = {
  allocation_status?: Record<string, any>
  deployment_id: string
  model_id: string
  nodes?: Record<string, any>[]
  number_of_allocations?: number
  priority?: string
  queue_capacity?: number
  start_time?: number
  state?: string
  threads_per_allocation?: number
  [more: string]: any
}

/** A document, or that there is none. */
export type Document = {
  _id: string
  _ignored?: string[]
  _index: string
  _primary_term?: number
  _routing?: string
  _seq_no?: number
  _source?: Record<string, any>
  _version?: number
  fields?: Record<string, any[]>
  found: boolean
}

/** A document that could not be read. */
export type DocumentFailure = {
  _id: string
  _index: string
  error: ErrorCause
}

/** A length of time: a number with a unit, as 30s, 5m, 1h or 7d; a number alone is milliseconds. */
export type Duration = string | number

/** A key that objects can be encrypted with, without its bytes. */
export type EncryptionKey = {
  account: string
  aliases: string[]
  arn: string
  creation?: number
  default: boolean
  description: string
  enabled: boolean
  id: string
}

/** An inference endpoint. */
export type Endpoint = {
  chunking_settings?: ChunkingSettings
  deployment?: DeploymentProgress
  inference_id: string
  service: string
  service_settings: ServiceSettings
  task_settings?: Record<string, any>
  task_type: TaskType
}

/** What was deleted, or what stands in the way. */
export type EndpointDeletion = {
  acknowledged: boolean
  dry_run?: boolean
  error_message?: string
  indexes: string[]
  pipelines: string[]
  would?: {
    be_refused: boolean
    indices: string[]
    pipelines: string[]
  }
}

/** An error. */
export type Error = {
  error: ErrorCause | string
  status?: number
  [more: string]: any
}

/** What went wrong. */
export type ErrorCause = {
  caused_by?: ErrorCause
  reason?: string | null
  root_cause?: ErrorCause[]
  type: string
  [more: string]: any
}

/** One limit that a request meets. */
export type ExplainedLimit = {
  admits: boolean
  cap?: number | null
  cost?: number
  limit: string
  remaining?: number
  used?: number
  [more: string]: any
}

/** How a score comes about. */
export type Explanation = {
  description: string
  details: Explanation[]
  value: number
}

/** Whether something is on. */
export type FeatureSwitch = {
  enabled: boolean
}

/** What a field of one type can do. */
export type FieldCapability = {
  aggregatable: boolean
  indices?: string[]
  meta?: Record<string, any>
  metadata_field: boolean
  non_aggregatable_indices?: string[] | null
  non_searchable_indices?: string[] | null
  searchable: boolean
  type: string
}

/** One field: its type, and what that type takes. */
export type FieldMapping = {
  analyzer?: string
  dims?: number
  fields?: Record<string, FieldMapping>
  index?: boolean
  inference_id?: string
  properties?: Record<string, FieldMapping>
  search_analyzer?: string
  similarity?: string
  store?: boolean
  type?: string
  [more: string]: any
}

/** What was ended. */
export type Freed = {
  num_freed: number
  succeeded: boolean
}

/** How well something is. */
export type HealthColour = 'green' | 'yellow' | 'red'

/** One part of the server. */
export type HealthIndicator = {
  details?: Record<string, any>
  diagnosis?: {
    action: string
    affected_resources: Record<string, any>
    cause: string
    help_url: string
    id: string
  }[]
  impacts?: {
    description: string
    id: string
    impact_areas: string[]
    severity: number
  }[]
  status: 'green' | 'unknown' | 'yellow' | 'red'
  symptom: string
}

/** A document that was found. */
export type Hit = {
  _explanation?: Explanation
  _id: string
  _ignored?: string[]
  _index: string
  _nested?: Record<string, any>
  _node?: string
  _primary_term?: number
  _routing?: string
  _score: number | null
  _seq_no?: number
  _shard?: string
  _source?: Record<string, any>
  _version?: number
  fields?: Record<string, any>
  highlight?: Record<string, string[]>
  inner_hits?: Record<string, any>
  matched_queries?: string[] | Record<string, number>
  sort?: any[]
}

/** An index: its names, fields and settings. */
export type Index = {
  aliases?: Record<string, AliasProperties>
  data_stream?: string
  defaults?: IndexSettings
  mappings?: Mapping
  settings?: IndexSettings
}

/** An index, counted; one that is closed is not. */
export type IndexCount = {
  bytes?: number
  closed?: boolean
  documents?: number
  index: string
}

/** Figures of an index. */
export type IndexFigures = {
  docs?: {
    count: number
    deleted: number
  }
  segments?: {
    count: number
    memory_in_bytes: number
  }
  store?: {
    size_in_bytes: number
  }
}

/** Rights on indices of some names. */
export type IndexGrant = {
  allow_restricted_indices?: boolean
  field_security?: Record<string, any>
  names: string[]
  privileges: string[]
  query?: any
  [more: string]: any
}

/** What a deletion of indices would do, with dry_run. */
export type IndexRemoval = {
  dry_run: boolean
  would: {
    aliases: string[]
    bytes: number
    connectors?: string[]
    documents: number
    indices: IndexCount[]
  }
}

/** Settings of an index, nested or with dotted names: {"index": {"refresh_interval": "1s"}}. */
export type IndexSettings = Record<string, any>

/** What new indices and data streams of some names begin with. */
export type IndexTemplate = {
  _meta?: Record<string, any>
  allow_auto_create?: boolean
  composed_of?: string[]
  data_stream?: Record<string, any>
  deprecated?: boolean
  ignore_missing_component_templates?: string[]
  index_patterns: Names
  priority?: number
  template?: TemplateBody
  version?: number
}

/** One member, named after the task: what each input comes to, or the texts in order. */
export type InferAnswer = {
  choices?: Record<string, any>[]
  completion?: {
    result: string
  }[]
  created?: number
  id?: string
  model?: string
  object?: string
  rerank?: RankedText[]
  sparse_embedding?: {
    embedding: Record<string, number>
    is_truncated: boolean
  }[]
  text_embedding?: {
    embedding: number[]
  }[]
  text_embedding_bits?: {
    embedding: number[]
  }[]
  text_embedding_bytes?: {
    embedding: number[]
  }[]
  usage?: Record<string, any>
}

/** What an endpoint is run on; completions and chats take messages instead. */
export type InferBody = {
  input?: string | string[]
  input_type?: 'ingest' | 'search' | 'classification' | 'clustering' | null
  messages?: ChatMessage[]
  query?: string | null
  return_documents?: boolean | null
  task_settings?: Record<string, any> | Record<string, any>
  timeout?: Duration | null
  top_n?: number | null
  [more: string]: any
}

/** A service that endpoints may name. */
export type InferenceService = {
  configurations: Record<string, {
    default_value?: any
    description: string
    label: string
    required: boolean
    sensitive: boolean
    supported_task_types: TaskType[]
    type: string
    updatable: boolean
  }>
  name: string
  service: string
  task_types: TaskType[]
}

/** Whom the end of keys would shut out, with dry_run. */
export type KeyRemoval = {
  dry_run: boolean
  would: {
    api_keys: ApiKey[]
    previously_invalidated_api_keys: string[]
    refused: string[]
  }
}

/** How many requests came with a key in one hour, which starts then: milliseconds since 1970. */
export type KeyRequests = {
  hour: number
  requests: number
}

/** When a key was used last, in milliseconds since 1970, and from which address. */
export type KeyUse = {
  address?: string
  at: number
}

/** The nearest vectors of a field. */
export type Knn = {
  boost?: number
  field?: string
  filter?: Query | Query[]
  k?: number
  num_candidates?: number
  query_vector?: number[] | string | any
  query_vector_builder?: Record<string, any>
  similarity?: number
  [more: string]: any
}

/** A request of another program. */
export type LimitCheck = {
  bytes?: number
  content?: boolean
  cost?: number
  cpu_ms?: number
  endpoint?: string
  headers?: Record<string, string>
  identity: string | Record<string, any>
  indices?: string[]
  points?: number
  resource?: string
}

/** Whether a request may pass. */
export type LimitDecision = {
  admitted: boolean
  documentation_url?: string
  headers: Record<string, string>
  identity: string
  message?: string
  refusal?: string
  retry_after?: number
}

/** A limit and what is used of it. */
export type LimitWindow = {
  limit: number
  remaining: number
  reset: number
  resource?: string
  shown?: boolean
  used: number
  window_s?: number
}

/** Who used a limit, or is refused by one. */
export type LimitedIdentity = {
  identity: string
  kind: string
  last?: number
  limit: number | string
  operation?: string
  refused?: boolean
  remaining?: number
  reset?: number
  rule?: string
  times?: number
  until?: number
  used?: number
}

/** The fields of an index and how each is indexed. */
export type Mapping = {
  _meta?: Record<string, any>
  _routing?: Record<string, any>
  _source?: Record<string, any>
  date_detection?: boolean
  dynamic?: boolean | string
  dynamic_date_formats?: string[]
  dynamic_templates?: any[]
  numeric_detection?: boolean
  properties?: Record<string, FieldMapping>
  runtime?: Record<string, any>
  [more: string]: any
}

/** What a change of mappings would do, with dry_run. */
export type MappingChange = {
  dry_run: boolean
  would: {
    documents_not_reindexed: number
    indices: {
      added: string[]
      changed: string[]
      documents_not_reindexed: number
      index: string
    }[]
  }
}

/** A model of the model store. */
export type Model = {
  create_time: number
  description: string
  fully_defined?: boolean
  inference_config: Record<string, any>
  input: {
    field_names: string[]
  }
  model_id: string
  model_size_bytes: number
  model_type: string
  tags: string[]
}

/** How far a model is received. */
export type ModelImport = {
  model_id?: string
  [more: string]: any
}

/** What the deletion of a model would do. */
export type ModelRemoval = {
  dry_run: true
  would: {
    bytes: number
    deployments: string[]
    endpoints: string[]
    model_id: string
  }
}

/** A model, and how its deployment goes. */
export type ModelStats = {
  deployment_stats?: DeploymentStats
  inference_stats?: Record<string, any>
  model_id: string
  model_size_stats: {
    model_size_bytes: number
    required_native_memory_bytes: number
  }
  pipeline_count: number
}

/** Which documents. */
export type MultiGetBody = {
  docs?: {
    _id: string
    _index?: string
    _source?: boolean | string | string[] | Record<string, any>
    routing?: string
    stored_fields?: Names
  }[]
  ids?: string | string[]
}

/** The answer of one search, or why it failed. */
export type MultiSearchItem = {
  _scroll_id?: string
  _shards?: Shards
  aggregations?: Record<string, any>
  error?: ErrorCause
  hits?: {
    hits: Hit[]
    max_score: number | null
    total?: TotalHits | number
  }
  pit_id?: string
  profile?: Record<string, any>
  status: number
  suggest?: Record<string, any>
  terminated_early?: boolean
  timed_out?: boolean
  took?: number
}

/** One name, names separated by commas, or a list of names. */
export type Names = string | string[]

/** An API key as it is made. */
export type NewApiKey = {
  expiration?: Duration | null
  metadata?: Record<string, any> | Record<string, any>
  name?: string
  objects?: NewKeyHolder | null
  role_descriptors?: Record<string, RoleDescriptor> | Record<string, RoleDescriptor>
}

/** A connector as it is made or replaced. */
export type NewConnector = {
  description?: string | null
  index_name?: string | null
  is_native?: boolean
  language?: string | null
  name?: string | null
  service_type?: string | null
}

/** An inference endpoint as it is made. */
export type NewEndpoint = {
  chunking_settings?: ChunkingSettings | null
  service: string
  service_settings: ServiceSettings
  task_settings?: Record<string, any> | Record<string, any>
}

/** What a new index begins with. */
export type NewIndex = {
  aliases?: Record<string, AliasProperties> | Record<string, AliasProperties>
  mappings?: Mapping | null
  settings?: IndexSettings | null
}

/** Who of the object storage a new key acts for. */
export type NewKeyHolder = {
  access_key_id?: string
  account?: string
  kind?: 'user' | 'service'
  policy?: Record<string, any> | string
  policy_name?: string
  user?: string
}

/** Which indices a snapshot takes; all where it is absent. */
export type NewSnapshot = {
  expand_wildcards?: string
  feature_states?: Names
  ignore_unavailable?: boolean
  include_global_state?: boolean
  indices?: Names
  metadata?: Record<string, any>
  partial?: boolean
}

/** How many servers were asked: there is one. */
export type NodeCounts = {
  failed: number
  successful: number
  total: number
}

/** Figures of the server. */
export type NodeFigures = {
  timestamp?: number
  [more: string]: any
}

/** An account of the object storage. */
export type ObjectAccount = {
  canonical_id: string
  creation: number
  email?: string
  id: string
  name: string
  users?: ObjectUser[]
}

/** A user or a service of an account of the object storage. */
export type ObjectUser = {
  arn: string
  creation: number
  kind?: string
  name: string
  policies: Record<string, any>
  user_id: string
}

/** An inference endpoint, as a model of OpenAI's interface. */
export type OpenAiModel = {
  created: number
  id: string
  model_id: string
  object: string
  owned_by: string
  task_type: TaskType
}

/** A session of some browser. */
export type OpenSession = {
  address: string
  browser: string
  created_at_ms: number
  current: boolean
  expires_at_ms: number
  id: string
  key: SessionKey
  used_at_ms: number
  username: string
}

/** A setting of the program, with the value that is in force. */
export type ProgramSetting = {
  default: string
  description: string
  name: string
  needs_restart: boolean
  origin: 'default' | 'file' | 'environment' | 'flag' | 'cluster'
  secret: boolean
  value: string
  where: string
}

/** A query of the query language: one member, which names its kind. */
export type Query = {
  bool?: Record<string, any>
  boosting?: Record<string, any>
  combined_fields?: Record<string, any>
  constant_score?: Record<string, any>
  dis_max?: Record<string, any>
  exists?: {
    _name?: string
    boost?: number
    field: string
  }
  function_score?: Record<string, any>
  fuzzy?: Record<string, any>
  ids?: {
    _name?: string
    boost?: number
    values?: Names | any[]
  }
  knn?: Knn
  match?: Record<string, any>
  match_all?: Record<string, any>
  match_bool_prefix?: Record<string, any>
  match_none?: Record<string, any>
  match_phrase?: Record<string, any>
  match_phrase_prefix?: Record<string, any>
  more_like_this?: Record<string, any>
  multi_match?: Record<string, any>
  nested?: Record<string, any>
  prefix?: Record<string, any>
  query_string?: Record<string, any>
  range?: Record<string, any>
  regexp?: Record<string, any>
  script_score?: Record<string, any>
  semantic?: Record<string, any>
  simple_query_string?: Record<string, any>
  sparse_vector?: Record<string, any>
  term?: Record<string, any>
  terms?: Record<string, any>
  terms_set?: Record<string, any>
  text_expansion?: Record<string, any>
  wildcard?: Record<string, any>
  [more: string]: any
}

/** A text and how well it fits the query. */
export type RankedText = {
  index: number
  relevance_score: number
  text?: string
}

/** How an index came to be in this process. */
export type Recovery = {
  id: number
  index: Record<string, any>
  primary: boolean
  source: Record<string, any>
  stage: string
  start_time_in_millis: number
  stop_time_in_millis: number
  target: Record<string, any>
  total_time_in_millis: number
  translog: Record<string, any>
  type: 'EMPTY_STORE' | 'EXISTING_STORE' | 'SNAPSHOT'
}

/** Where snapshots are kept. */
export type Repository = {
  settings: Record<string, any>
  type: string
  uuid?: string
}

/** What is restored, and under which names. */
export type RestoreBody = {
  feature_states?: Names
  ignore_index_settings?: Names
  ignore_unavailable?: boolean
  include_aliases?: boolean
  include_global_state?: boolean
  index_settings?: IndexSettings
  indices?: Names
  partial?: boolean
  rename_alias_pattern?: string
  rename_alias_replacement?: string
  rename_pattern?: string
  rename_replacement?: string
}

/** A tree that finds and ranks documents: one member, which names its kind. */
export type Retriever = {
  diversify?: Record<string, any>
  knn?: Knn
  linear?: Record<string, any>
  pinned?: Record<string, any>
  rescorer?: Record<string, any>
  rrf?: Record<string, any>
  rule?: Record<string, any>
  standard?: Record<string, any>
  text_similarity_reranker?: Record<string, any>
  [more: string]: any
}

/** Rights. */
export type RoleDescriptor = {
  applications?: any[]
  cluster?: string[]
  index?: IndexGrant[]
  indices?: IndexGrant[]
  metadata?: Record<string, any>
  run_as?: string[]
  [more: string]: any
}

/** Which scroll, and for how long it is kept. */
export type ScrollBody = {
  scroll?: Duration | null
  scroll_id?: Names
}

/** What a search found. */
export type SearchAnswer = {
  _scroll_id?: string
  _shards: Shards
  aggregations?: Record<string, any>
  hits: {
    hits: Hit[]
    max_score: number | null
    total?: TotalHits | number
  }
  num_reduce_phases?: number
  pit_id?: string
  profile?: Record<string, any>
  suggest?: Record<string, any>
  terminated_early?: boolean
  timed_out: boolean
  took: number
}

/** A search. All members are optional. */
export type SearchBody = {
  _source?: boolean | string | string[] | Record<string, any> | null
  aggregations?: Record<string, any>
  aggs?: Record<string, any>
  collapse?: Record<string, any>
  docvalue_fields?: any[]
  explain?: boolean
  ext?: Record<string, any>
  fields?: any[]
  from?: number
  highlight?: Record<string, any>
  indices_boost?: any
  knn?: Knn | Knn[]
  min_score?: number
  pit?: {
    id: string
    keep_alive?: Duration
  }
  post_filter?: Query
  profile?: boolean
  query?: Query | null
  rescore?: any
  retriever?: Retriever
  runtime_mappings?: Record<string, any>
  script_fields?: Record<string, any>
  search_after?: any[]
  seq_no_primary_term?: boolean
  size?: number
  slice?: Record<string, any>
  sort?: any
  stats?: any
  stored_fields?: Names
  suggest?: Record<string, any>
  terminate_after?: number
  timeout?: Duration
  track_scores?: boolean
  track_total_hits?: boolean | number
  version?: boolean
}

/** A template and values for it. */
export type SearchTemplateBody = {
  explain?: boolean
  id?: string
  params?: Record<string, any>
  profile?: boolean
  source?: string | Record<string, any>
}

/** A folder as the server sees it. */
export type SeenFolder = {
  allowed?: boolean
  mark?: string
  path: string
  readable?: boolean
  reason?: string
}

/** Who this server is. */
export type ServerInfo = {
  cluster_name: string
  cluster_uuid: string
  name: string
  tagline: string
  version: {
    build_date: string
    build_flavor: string
    build_hash: string
    build_snapshot: boolean
    build_type: string
    cairn_version: string
    lucene_version: string
    minimum_index_compatibility_version: string
    minimum_wire_compatibility_version: string
    number: string
  }
}

/** What runs, and how. */
export type ServiceSettings = {
  adaptive_allocations?: AdaptiveAllocations
  dimensions?: number
  element_type?: string
  max_input_tokens?: number
  model_id?: string
  num_allocations?: number
  num_threads?: number
  rate_limit?: Record<string, any>
  similarity?: string
  url?: string
  [more: string]: any
}

/** The session of this browser. */
export type Session = {
  csrf_token: string
  expires_at_ms: number
  id: string
  idle_ms: number
  key: SessionKey
  username: string
}

/** The key that a session stands for. */
export type SessionKey = {
  id: string
  name: string
}

/** What a change of settings would do, with dry_run. */
export type SettingsChange = {
  dry_run: boolean
  would: {
    indices: {
      changes: Record<string, {
        from: any
        to: any
      }>
      closed_meanwhile: boolean
      index: string
    }[]
  }
}

/** The one part of an index and its segments. */
export type Shard = {
  num_committed_segments: number
  num_search_segments: number
  routing: Record<string, any>
  segments: Record<string, {
    committed: boolean
    compound: boolean
    deleted_docs: number
    memory_in_bytes: number
    num_docs: number
    search: boolean
    size_in_bytes: number
  }>
}

/** Of how many parts of indices an answer comes; an index is one part here. */
export type Shards = {
  failed: number
  skipped?: number
  successful: number
  total: number
}

/** What an index would begin with. */
export type SimulatedTemplate = {
  overlapping?: {
    index_patterns: string[]
    name: string
  }[]
  template?: {
    aliases: Record<string, AliasProperties>
    mappings: Mapping
    settings: IndexSettings
  }
}

/** A copy of indices in a repository. */
export type Snapshot = {
  data_streams: string[]
  duration_in_millis?: number
  end_time?: string
  end_time_in_millis?: number
  failures?: any[]
  feature_states?: any[]
  include_global_state?: boolean
  indices?: string[]
  metadata?: Record<string, any>
  repository?: string
  shards?: {
    failed: number
    successful: number
    total: number
  }
  snapshot: string
  start_time?: string
  start_time_in_millis?: number
  state: SnapshotState
  uuid: string
  version?: string
  version_id?: number
}

/** Data blobs and their bytes. */
export type SnapshotFiles = {
  file_count: number
  size_in_bytes: number
}

/** What a cleanup or the deletion of snapshots would do, with dry_run. */
export type SnapshotRemoval = {
  dry_run: boolean
  would: {
    blobs: number
    bytes: number
    snapshot_running: boolean
    snapshots: string[]
  }
}

/** How many indices, which have one shard each, are how far. */
export type SnapshotShardsStats = {
  done: number
  failed: number
  finalizing: number
  initializing: number
  started: number
  total: number
}

/** How far a snapshot is. */
export type SnapshotState = 'IN_PROGRESS' | 'SUCCESS' | 'FAILED' | 'PARTIAL' | 'INCOMPATIBLE'

/** Data of a snapshot, or of an index in it. */
export type SnapshotStats = {
  incremental?: SnapshotFiles
  processed?: SnapshotFiles
  start_time_in_millis: number
  time_in_millis: number
  total: SnapshotFiles
}

/** What a snapshot wrote and refers to, and how far it is. */
export type SnapshotStatus = {
  include_global_state: boolean
  indices: Record<string, {
    shards: Record<string, {
      stage: 'INIT' | 'STARTED' | 'DONE' | 'FAILURE'
      stats: SnapshotStats
    }>
    shards_stats: SnapshotShardsStats
    stats: SnapshotStats
  }>
  repository: string
  shards_stats: SnapshotShardsStats
  snapshot: string
  state: 'STARTED' | 'SUCCESS' | 'PARTIAL' | 'FAILED'
  stats: SnapshotStats
  uuid: string
}

/** Something of a source that could not be read. */
export type SourceProblem = {
  kind: string
  path: string
  reason: string
}

/** A kept script or template. */
export type StoredScript = {
  lang: string
  options?: Record<string, any>
  source: string | Record<string, any>
  [more: string]: any
}

/** What a deletion of data streams would do, with dry_run. */
export type StreamRemoval = {
  dry_run: boolean
  would: {
    bytes: number
    data_streams: string[]
    documents: number
    indices: IndexCount[]
  }
}

/** A key that was disabled or enabled. */
export type SwitchedKey = {
  enabled: boolean
  id: string
}

/** One run of a connector. */
export type SyncJob = {
  cancelation_requested_at: string | null
  canceled_at: string | null
  completed_at: string | null
  connector: SyncJobConnector
  created_at: string
  deleted_document_count: number
  error: string | null
  id: string
  indexed_document_count: number
  indexed_document_volume: number
  job_type: SyncJobType
  last_seen: string | null
  metadata: Record<string, any>
  started_at: string | null
  status: SyncStatus
  sync_cursor?: any
  total_document_count: number | null
  trigger_method: SyncTrigger
  worker_hostname: string | null
}

/** The connector as it was when the job was made. */
export type SyncJobConnector = {
  configuration?: Record<string, ConnectorSetting>
  filtering?: SyncRules
  id: string
  index_name?: string | null
  language?: string | null
  pipeline?: ConnectorPipeline | null
  service_type?: string | null
}

/** Everything, what changed, or who may read. */
export type SyncJobType = 'full' | 'incremental' | 'access_control'

/** Which documents of a source are taken. */
export type SyncRule = {
  created_at?: string
  field: string
  id: string
  order: number
  policy: 'include' | 'exclude'
  rule: 'regex' | 'equals' | 'contains' | 'starts_with' | 'ends_with' | '>' | '<'
  updated_at?: string
  value: any
  [more: string]: any
}

/** Rules, a snippet of the source's own kind, and whether they are valid. */
export type SyncRules = {
  advanced_snippet?: {
    created_at?: string
    updated_at?: string
    value: any
  }
  rules?: SyncRule[]
  validation?: {
    errors: {
      ids?: string[]
      messages?: string[]
    }[]
    state: 'edited' | 'invalid' | 'valid'
  }
  [more: string]: any
}

/** How far a sync job is. */
export type SyncStatus = 'pending' | 'in_progress' | 'canceling' | 'canceled' | 'completed' | 'error' | 'suspended'

/** Whether somebody asked for a sync, or its schedule. */
export type SyncTrigger = 'on_demand' | 'scheduled'

/** Something that goes on. */
export type Task = {
  action: string
  cancellable: boolean
  cancelled?: boolean
  children?: any[]
  description?: string
  headers: Record<string, any>
  id: number
  node: string
  parent_task_id?: string
  running_time_in_nanos: number
  start_time_in_millis: number
  status?: Record<string, any>
  type: string
  [more: string]: any
}

/** Tasks, by server, by parent, or as a list. */
export type TaskList = {
  node_failures?: ErrorCause[]
  nodes?: Record<string, {
    host: string
    ip: string
    name: string
    roles: string[]
    tasks: Record<string, Task>
    transport_address: string
    [more: string]: any
  }>
  task_failures?: ErrorCause[]
  tasks?: Record<string, Task> | Task[]
}

/** A task that goes on in the background. */
export type TaskStarted = {
  task: string
}

/** What an inference endpoint does. */
export type TaskType = 'sparse_embedding' | 'text_embedding' | 'rerank' | 'completion' | 'chat_completion'

/** What new indices begin with. */
export type TemplateBody = {
  aliases?: Record<string, AliasProperties>
  mappings?: Mapping
  settings?: IndexSettings
}

/** What a change of templates would do. */
export type TemplateChange = {
  dry_run: true
  would: {
    changed?: boolean
    created?: boolean
    data_streams: ChangedBeginning[]
    deleted?: string[]
    index_templates: string[]
    indices: ChangedBeginning[]
    other_indices: number
  }
}

/** How many documents match. */
export type TotalHits = {
  relation: 'eq' | 'gte'
  value: number
}

/** What changes of a document. */
export type UpdateBody = {
  _source?: boolean | string | string[] | Record<string, any>
  detect_noop?: boolean
  doc?: Record<string, any>
  doc_as_upsert?: boolean
  upsert?: Record<string, any>
}

/** The document as it is after an update that asked for it. */
export type UpdatedDocument = {
  _primary_term: number
  _seq_no: number
  _source: Record<string, any>
  found: boolean
}

/** What an identity has used. */
export type UsedLimits = {
  account: string
  ban: any
  exempt: boolean
  kind: string
  known: boolean
  secondary: Record<string, any>
  shares_record: boolean
  windows: Record<string, LimitWindow>
}

/** One document that was written. */
export type WriteResult = {
  _id: string
  _index: string
  _primary_term: number
  _seq_no: number
  _shards: Shards
  _version: number
  forced_refresh?: boolean
  get?: UpdatedDocument
  result: 'created' | 'updated' | 'deleted' | 'noop' | 'not_found'
}

export interface Operations {
  /** Says who this server is and which version it speaks. */
  'GET /': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: ServerInfo
  }
  /** Lists the aliases of indices. */
  'GET /_alias': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      aliases: Record<string, AliasProperties>
    }>
  }
  /** Adds an alias; the body names it and the index. */
  'PUT /_alias': {
    path: NoPath
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Lists aliases by name. */
  'GET /_alias/{name}': {
    path: { name: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      aliases: Record<string, AliasProperties>
    }>
  }
  /** Says whether there is such an alias. */
  'HEAD /_alias/{name}': {
    path: { name: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Adds an alias. */
  'PUT /_alias/{name}': {
    path: { name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Adds an alias. */
  'POST /_alias/{name}': {
    path: { name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Lists the aliases of indices. */
  'GET /_aliases': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      aliases: Record<string, AliasProperties>
    }>
  }
  /** Adds and removes aliases, and removes indices: all at one moment, or none. */
  'POST /_aliases': {
    path: NoPath
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      actions: AliasAction[]
    }
    answer: AliasesChanged
  }
  /** Adds an alias. */
  'PUT /_aliases/{name}': {
    path: { name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Adds an alias. */
  'POST /_aliases/{name}': {
    path: { name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Shows the tokens of a text. */
  'GET /_analyze': {
    path: NoPath
    query: { index?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      analyzer?: string
      char_filter?: any
      explain?: boolean
      field?: string
      filter?: any
      normalizer?: string
      text: string | string[]
      tokenizer?: any
    }
    answer: {
      tokens: {
        end_offset: number
        position: number
        positionLength?: number
        start_offset: number
        token: string
        type: string
      }[]
    }
  }
  /** Shows the tokens of a text. */
  'POST /_analyze': {
    path: NoPath
    query: { index?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      analyzer?: string
      char_filter?: any
      explain?: boolean
      field?: string
      filter?: any
      normalizer?: string
      text: string | string[]
      tokenizer?: any
    }
    answer: {
      tokens: {
        end_offset: number
        position: number
        positionLength?: number
        start_offset: number
        token: string
        type: string
      }[]
    }
  }
  /** Begins a search that goes on while its client does something else. */
  'POST /_async_search': {
    path: NoPath
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, from?: number | string, size?: number | string, sort?: string | readonly string[] | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', include_named_queries_score?: boolean | 'true' | 'false' | '', docvalue_fields?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, suggest_field?: string | number | boolean, suggest_text?: string | number | boolean, suggest_mode?: string | number | boolean, suggest_size?: number | string, track_total_hits?: string | number | boolean, track_scores?: boolean | 'true' | 'false' | '', version?: boolean | 'true' | 'false' | '', seq_no_primary_term?: boolean | 'true' | 'false' | '', explain?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', batched_reduce_size?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', allow_partial_search_results?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', wait_for_completion_timeout?: string | number | boolean, keep_on_completion?: boolean | 'true' | 'false' | '', keep_alive?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchBody
    answer: AsyncSearchAnswer
  }
  /** Says how far an async search is, without its answer. */
  'GET /_async_search/status/{id}': {
    path: { id: string }
    query: { keep_alive?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: AsyncSearchStatus
  }
  /** Says how far an async search is, or what it answered. */
  'GET /_async_search/{id}': {
    path: { id: string }
    query: { keep_alive?: string | number | boolean, wait_for_completion_timeout?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', rest_total_hits_as_int?: boolean | 'true' | 'false' | '', return_intermediate_results?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: AsyncSearchAnswer
  }
  /** Ends an async search, and deletes its answer. */
  'DELETE /_async_search/{id}': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Writes, updates and deletes documents, in order. */
  'PUT /_bulk': {
    path: NoPath
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, list_executed_pipelines?: boolean | 'true' | 'false' | '', refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: BulkAnswer
  }
  /** Writes, updates and deletes documents, in order. */
  'POST /_bulk': {
    path: NoPath
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, list_executed_pipelines?: boolean | 'true' | 'false' | '', refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: BulkAnswer
  }
  /** Forgets which documents filters select. */
  'POST /_cache/clear': {
    path: NoPath
    query: { query?: boolean | 'true' | 'false' | '', index?: string | readonly string[] | boolean, fielddata?: boolean | 'true' | 'false' | '', fields?: string | readonly string[] | boolean, request?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Lines of the audit log, newest first. */
  'GET /_cairn/audit': {
    path: NoPath
    query: { since?: string | number | boolean, until?: string | number | boolean, identity?: string | number | boolean, operation?: string | number | boolean, outcome?: string | number | boolean, resource?: string | number | boolean, before?: number | string, size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      events: AuditEvent[]
      next?: number
    }
  }
  /** The next lines of the audit log with their chain, and a seal. */
  'GET /_cairn/audit/_export': {
    path: NoPath
    query: { after?: number | string, size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** The public key that seals verify with. */
  'GET /_cairn/audit/_key': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      algorithm: string
      key: string
      public_key: string
    }
  }
  /** Ships what the bucket lacks, now. */
  'POST /_cairn/audit/_ship': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: AuditShipping
  }
  /** How far the audit log is shipped to its bucket. */
  'GET /_cairn/audit/_shipping': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: AuditShipping
  }
  /** The backup that is being made, and those that ended since the start. */
  'GET /_cairn/backups': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      backups: Backup[]
      keep?: number
      next?: string
      place?: string
    }
  }
  /** Begins a backup of all that the server keeps. */
  'POST /_cairn/backups': {
    path: NoPath
    query: { wait_for_completion?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      client?: string
      key?: string
      place?: string
      reread?: boolean
    }
    answer: Backup
  }
  /** Ends the backup that is being made. */
  'DELETE /_cairn/backups': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      cancelled: boolean
    }
  }
  /** Whether requests to a bucket would be allowed, and by what. */
  'POST /_cairn/buckets/{bucket}/_simulate': {
    path: { bucket: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      policy?: Record<string, any> | Record<string, any> | Record<string, any>
      requests: {
        action: string
        context?: Record<string, string | number | boolean | any[]>
        key?: string
        principal: string
      }[]
    }
    answer: {
      results: {
        allowed: boolean
        by: {
          action?: string
          effect: 'allow' | 'deny'
          policy?: string
          sid?: string
          statement?: number
          where: 'owner' | 'acl' | 'bucket policy' | 'identity policy' | 'access point policy' | 'public access block' | 'access grant' | 'requester pays'
        }[]
        decision: 'allow' | 'explicit_deny' | 'implicit_deny'
      }[]
    }
  }
  /** What goes on, as a stream of server-sent events. */
  'GET /_cairn/events': {
    path: NoPath
    query: { topics?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** The folders that connectors may read, and where that is written. */
  'GET /_cairn/folders': {
    path: NoPath
    query: { path?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      folder?: SeenFolder
      origin: string
      roots: SeenFolder[]
      settings: {
        beside: SeenFolder
        drop_in_folder: string
      }
    }
  }
  /** What went on: requests, latencies, memory, disk and work, over time. */
  'GET /_cairn/history': {
    path: NoPath
    query: { metrics?: string | readonly string[] | boolean, range?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      from_ms: number
      metrics: Record<string, (number | null)[]>
      step_ms: number
    }
  }
  /** The policy that is in use, in the shape of the configuration. */
  'GET /_cairn/limits': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      rate_limit: Record<string, any>
    }
  }
  /** The same by header fields, for proxies: 200, or the status of a refusal. */
  'GET /_cairn/limits/_auth': {
    path: NoPath
    query: { denied?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      admitted: boolean
    }
  }
  /** Counts a request of another program, and says whether it may pass. */
  'POST /_cairn/limits/_check': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: LimitCheck | {
      checks: LimitCheck[]
    }
    answer: LimitDecision | {
      results: LimitDecision[]
    }
  }
  /** Why a request would be admitted or refused; counts nothing. */
  'GET /_cairn/limits/_explain': {
    path: NoPath
    query: { identity?: string | number | boolean, method?: string | number | boolean, path?: string | number | boolean, listener?: string | number | boolean, header?: string | readonly string[] | boolean, address?: string | number | boolean, body_bytes?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      admitted: boolean
      exempt: boolean
      identity: string
      kind: string
      limited: boolean
      limits?: ExplainedLimit[]
      refusal?: string
      request: {
        bucket?: string
        may_be_paid_for?: boolean
        method: string
        not_understood?: string
        operation?: string
        path: string
        route?: string
      }
      retry_after?: number
      rule?: string
      shadow_rules?: string[]
      why?: string
      would_be_refused?: string
    }
  }
  /** The identities that a limit refuses now, or would without shadow mode. */
  'GET /_cairn/limits/_limited': {
    path: NoPath
    query: { size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      identities: LimitedIdentity[]
    }
  }
  /** The operator's own rules, and what they have said since the start. */
  'GET /_cairn/limits/_rules': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      rules: Record<string, any>[]
    }
  }
  /** The identities that used most of a resource in this window. */
  'GET /_cairn/limits/_top': {
    path: NoPath
    query: { resource?: string | number | boolean, size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      identities: LimitedIdentity[]
      resource: string
    }
  }
  /** What an identity has used, the secondary limits included. */
  'GET /_cairn/limits/{identity}': {
    path: { identity: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: UsedLimits
  }
  /** Forgets what was counted of an identity. */
  'DELETE /_cairn/limits/{identity}': {
    path: { identity: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      account: string
      acknowledged: boolean
      found: boolean
    }
  }
  /** Draws a new master key, and seals every kept secret with it. */
  'POST /_cairn/master_key/_rotate': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, any>
  }
  /** What is wrong now, and how far messages about it are. */
  'GET /_cairn/messages': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      conditions: any
      given_up: number
      last_error: {
        reason: string
        time: string
      } | {
        reason: string
        time: string
      }
      sent: any
      waiting: number
      ways: string[]
    }
  }
  /** Sends a message by each way, and tells whether it was taken. */
  'POST /_cairn/messages/_test': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, any>
  }
  /** The two folders of the data, and whether each is whole. */
  'GET /_cairn/mirror': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      fault?: string
      filling?: {
        compared_files: number
        copied_bytes: number
        copied_files: number
      }
      folders: {
        folder: string
        reason?: string
        setting: string
        state: string
      }[]
      last_filling_failed?: string
      whole: boolean
    }
  }
  /** Begins to give the folder that was away what it lacks. */
  'POST /_cairn/mirror/_fill': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Puts one folder aside, so that its disk can be taken out. */
  'POST /_cairn/mirror/_leave': {
    path: NoPath
    query: { folder?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Begins to take a model in, or goes on with it: tells which pieces are missing. */
  'PUT /_cairn/models/{model_id}': {
    path: { model_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: ModelImport
  }
  /** Checks the files of a model and makes it one of the store. */
  'POST /_cairn/models/{model_id}/_finish': {
    path: { model_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, any>
  }
  /** Drops what was received of a model. */
  'DELETE /_cairn/models/{model_id}/_import': {
    path: { model_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, any>
  }
  /** Takes one piece of a file of a model that is on its way in. */
  'PUT /_cairn/models/{model_id}/_piece': {
    path: { model_id: string }
    query: { file?: string | number | boolean, offset?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string | Blob
    answer: ModelImport
  }
  /** The nodes that share the store: which one serves, which stand by, and how their machines are. */
  'GET /_cairn/nodes': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      nodes: {
        address?: string
        disk?: {
          available_in_bytes?: number
          free_in_bytes?: number
          total_in_bytes?: number
        }
        draining: boolean
        http: string
        id: string
        load?: number[]
        memory?: {
          total_in_bytes?: number
          used_in_bytes?: number
        }
        name: string
        pid?: number
        role: 'serving' | 'standing_by'
        started_at: string
        version: string
        weight: number
      }[]
    }
  }
  /** Tells a node to give away what it owns, as before it is stopped. */
  'POST /_cairn/nodes/{node}/_drain': {
    path: { node: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Lets a node own things again. */
  'POST /_cairn/nodes/{node}/_resume': {
    path: { node: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'GET /_cairn/objects': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** An address on the object storage's own port that is good for one request. */
  'POST /_cairn/objects/_presign': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      bucket: string
      expires_in_seconds?: number
      key: string
      method?: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
      preview?: boolean
      version_id?: string
    }
    answer: {
      type?: string | null
      url: string
    }
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'GET /_cairn/objects/{bucket}': {
    path: { bucket: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'HEAD /_cairn/objects/{bucket}': {
    path: { bucket: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'PUT /_cairn/objects/{bucket}': {
    path: { bucket: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'POST /_cairn/objects/{bucket}': {
    path: { bucket: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'DELETE /_cairn/objects/{bucket}': {
    path: { bucket: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'GET /_cairn/objects/{bucket}/{key}': {
    path: { bucket: string, key: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'HEAD /_cairn/objects/{bucket}/{key}': {
    path: { bucket: string, key: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'PUT /_cairn/objects/{bucket}/{key}': {
    path: { bucket: string, key: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'POST /_cairn/objects/{bucket}/{key}': {
    path: { bucket: string, key: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The same request to the object storage, with the access key that the caller's key has. */
  'DELETE /_cairn/objects/{bucket}/{key}': {
    path: { bucket: string, key: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** This table of operations with privileges, points and stability. */
  'GET /_cairn/routes': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      routes: {
        content: boolean
        method: string
        open: boolean
        operation: string
        path: string
        points: number
        privileges: Record<string, any>
        public: boolean
        query: string[]
        reads: boolean
        resource: string
        since: string
        stability: string
        summary: string
        surface: string
      }[]
    }
  }
  /** Who is signed in: the caller's sessions, or all with manage_security. */
  'GET /_cairn/sessions': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      sessions: OpenSession[]
    }
  }
  /** Signs a browser in with an API key, or with the code of a link. */
  'POST /_cairn/sessions': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      api_key?: string
      code?: string
    }
    answer: any
  }
  /** The session of the request's cookie, with the token that changes need. */
  'GET /_cairn/sessions/_current': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Session
  }
  /** Signs out. */
  'DELETE /_cairn/sessions/_current': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** A link that signs a browser in once, within ten minutes. */
  'POST /_cairn/sessions/_link': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      code: string
      expires_at_ms: number
      url: string
    }
  }
  /** Sends a browser to the pages of the issuer. */
  'GET /_cairn/sessions/_oidc': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Where the issuer sends the browser back; begins the session. */
  'GET /_cairn/sessions/_oidc/callback': {
    path: NoPath
    query: { code?: string | number | boolean, state?: string | number | boolean, error?: string | number | boolean, iss?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** In which ways one can sign in. */
  'GET /_cairn/sessions/_providers': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      providers: {
        name?: string
        start?: string
        type: 'api_key' | 'oidc'
      }[]
    }
  }
  /** Ends a session of the caller's, or any with manage_security. */
  'DELETE /_cairn/sessions/{session_id}': {
    path: { session_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Every setting of the program with the value in force, its default and where it is said; secrets are not shown. */
  'GET /_cairn/settings': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      files: string[]
      settings: ProgramSetting[]
    }
  }
  /** Reads the settings, certificates and keys of the issuer again, as SIGHUP does, and tells what holds from now on and what needs a restart. */
  'POST /_cairn/settings/_reload': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      changed: string[]
      faults: {
        reason: string
        what: 'settings' | 'tls' | 'oidc'
      }[]
      needs_restart: string[]
      reloaded: boolean
    }
  }
  /** Says whether a method, a path and parameters are answered. */
  'GET /_capabilities': {
    path: NoPath
    query: { method?: string | number | boolean, path?: string | number | boolean, parameters?: string | readonly string[] | boolean, capabilities?: string | readonly string[] | boolean, local_only?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      supported: boolean | null
    }
  }
  /** Lists the tables that there are. */
  'GET /_cat': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** Lists aliases as a table. */
  'GET /_cat/aliases': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists aliases as a table. */
  'GET /_cat/aliases/{name}': {
    path: { name: string }
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** How much of the disk indices take. */
  'GET /_cat/allocation': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** How much of the disk indices take. */
  'GET /_cat/allocation/{node_id}': {
    path: { node_id: string }
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The limit of memory, what is taken, and how often work was refused. */
  'GET /_cat/circuit_breaker': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The limit of memory, what is taken, and how often work was refused. */
  'GET /_cat/circuit_breaker/{circuit_breaker_patterns}': {
    path: { circuit_breaker_patterns: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Component templates as a table. */
  'GET /_cat/component_templates': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Component templates as a table. */
  'GET /_cat/component_templates/{name}': {
    path: { name: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Counts documents as a table. */
  'GET /_cat/count': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Counts documents as a table. */
  'GET /_cat/count/{index}': {
    path: { index: string }
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists fields that take memory to be sorted by: none, columns are on disk. */
  'GET /_cat/fielddata': {
    path: NoPath
    query: { fields?: string | readonly string[] | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The same of some fields. */
  'GET /_cat/fielddata/{fields}': {
    path: { fields: string }
    query: { fields?: string | readonly string[] | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Says in a line whether all indices are ready. */
  'GET /_cat/health': {
    path: NoPath
    query: { ts?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists indices as a table. */
  'GET /_cat/indices': {
    path: NoPath
    query: { health?: string | number | boolean, include_unloaded_segments?: boolean | 'true' | 'false' | '', pri?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists indices as a table. */
  'GET /_cat/indices/{index}': {
    path: { index: string }
    query: { health?: string | number | boolean, include_unloaded_segments?: boolean | 'true' | 'false' | '', pri?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The node that decides. */
  'GET /_cat/master': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists attributes of nodes: there are none. */
  'GET /_cat/nodeattrs': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The node's memory, load and disk. */
  'GET /_cat/nodes': {
    path: NoPath
    query: { full_id?: boolean | 'true' | 'false' | '', include_unloaded_segments?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists changes that wait for a node to decide: they never do. */
  'GET /_cat/pending_tasks': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists plugins: there are none. */
  'GET /_cat/plugins': {
    path: NoPath
    query: { include_bootstrap?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The same as a table. */
  'GET /_cat/recovery': {
    path: NoPath
    query: { active_only?: boolean | 'true' | 'false' | '', detailed?: boolean | 'true' | 'false' | '', index?: string | readonly string[] | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The same as a table. */
  'GET /_cat/recovery/{index}': {
    path: { index: string }
    query: { active_only?: boolean | 'true' | 'false' | '', detailed?: boolean | 'true' | 'false' | '', index?: string | readonly string[] | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists repositories of snapshots. */
  'GET /_cat/repositories': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists the segments that searches read, as a table. */
  'GET /_cat/segments': {
    path: NoPath
    query: { ignore_throttled?: boolean | 'true' | 'false' | '', allow_closed?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists the segments that searches read, as a table. */
  'GET /_cat/segments/{index}': {
    path: { index: string }
    query: { ignore_throttled?: boolean | 'true' | 'false' | '', allow_closed?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists where indices lie, as a table: one shard each, on this node. */
  'GET /_cat/shards': {
    path: NoPath
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists where indices lie, as a table: one shard each, on this node. */
  'GET /_cat/shards/{index}': {
    path: { index: string }
    query: { h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists snapshots. */
  'GET /_cat/snapshots': {
    path: NoPath
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists snapshots. */
  'GET /_cat/snapshots/{repository}': {
    path: { repository: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Lists tasks that run, as a table. */
  'GET /_cat/tasks': {
    path: NoPath
    query: { actions?: string | readonly string[] | boolean, nodes?: string | readonly string[] | boolean, node_id?: string | readonly string[] | boolean, parent_task_id?: string | number | boolean, detailed?: boolean | 'true' | 'false' | '', wait_for_completion?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Index templates as a table. */
  'GET /_cat/templates': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Index templates as a table. */
  'GET /_cat/templates/{name}': {
    path: { name: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The pool in which requests compute. */
  'GET /_cat/thread_pool': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** The pool in which requests compute. */
  'GET /_cat/thread_pool/{thread_pool_patterns}': {
    path: { thread_pool_patterns: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, h?: string | readonly string[] | boolean, s?: string | readonly string[] | boolean, v?: boolean | 'true' | 'false' | '', help?: boolean | 'true' | 'false' | '', bytes?: string | number | boolean, time?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: CatRows
  }
  /** Says where the shard of an index is, and why it stays there. */
  'GET /_cluster/allocation/explain': {
    path: NoPath
    query: { index?: string | number | boolean, shard?: number | string, primary?: boolean | 'true' | 'false' | '', current_node?: string | number | boolean, include_yes_decisions?: boolean | 'true' | 'false' | '', include_disk_info?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      can_rebalance_cluster: string
      can_rebalance_to_other_node: string
      can_remain_decisions?: Record<string, any>[]
      can_remain_on_current_node: string
      cluster_info?: Record<string, any>
      current_node: Record<string, any>
      current_state: string
      index: string
      primary: boolean
      rebalance_explanation: string
      shard: number
    }
  }
  /** Says where the shard of an index is, and why it stays there. */
  'POST /_cluster/allocation/explain': {
    path: NoPath
    query: { index?: string | number | boolean, shard?: number | string, primary?: boolean | 'true' | 'false' | '', current_node?: string | number | boolean, include_yes_decisions?: boolean | 'true' | 'false' | '', include_disk_info?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      current_node?: string
      index?: string
      primary?: boolean
      shard?: number
    }
    answer: {
      can_rebalance_cluster: string
      can_rebalance_to_other_node: string
      can_remain_decisions?: Record<string, any>[]
      can_remain_on_current_node: string
      cluster_info?: Record<string, any>
      current_node: Record<string, any>
      current_state: string
      index: string
      primary: boolean
      rebalance_explanation: string
      shard: number
    }
  }
  /** Says whether all indices are ready, and waits for it if asked to. */
  'GET /_cluster/health': {
    path: NoPath
    query: { wait_for_status?: string | number | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, wait_for_nodes?: string | number | boolean, wait_for_active_shards?: string | number | boolean, wait_for_no_relocating_shards?: boolean | 'true' | 'false' | '', wait_for_no_initializing_shards?: boolean | 'true' | 'false' | '', wait_for_events?: string | number | boolean, level?: string | number | boolean, local?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: ClusterHealth
  }
  /** Says whether all indices are ready, and waits for it if asked to. */
  'GET /_cluster/health/{index}': {
    path: { index: string }
    query: { wait_for_status?: string | number | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, wait_for_nodes?: string | number | boolean, wait_for_active_shards?: string | number | boolean, wait_for_no_relocating_shards?: boolean | 'true' | 'false' | '', wait_for_no_initializing_shards?: boolean | 'true' | 'false' | '', wait_for_events?: string | number | boolean, level?: string | number | boolean, local?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: ClusterHealth
  }
  /** Changes that wait for a node to decide: they never do. */
  'GET /_cluster/pending_tasks': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      tasks: Record<string, any>[]
    }
  }
  /** Explains or refuses commands that move shards: one node serves all. */
  'POST /_cluster/reroute': {
    path: NoPath
    query: { dry_run?: boolean | 'true' | 'false' | '', explain?: boolean | 'true' | 'false' | '', retry_failed?: boolean | 'true' | 'false' | '', metric?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      commands?: Record<string, any>[]
    }
    answer: {
      acknowledged: boolean
      explanations?: Record<string, any>[]
    }
  }
  /** Settings of the cluster that were changed. */
  'GET /_cluster/settings': {
    path: NoPath
    query: { include_defaults?: boolean | 'true' | 'false' | '', flat_settings?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      defaults?: Record<string, any>
      persistent: Record<string, any>
      transient: Record<string, any>
    }
  }
  /** Changes settings of the cluster, for good or until the next start. */
  'PUT /_cluster/settings': {
    path: NoPath
    query: { flat_settings?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      persistent?: Record<string, any> | Record<string, any>
      transient?: Record<string, any> | Record<string, any>
    }
    answer: {
      acknowledged: boolean
      persistent: Record<string, any>
      transient: Record<string, any>
    }
  }
  /** Names, definitions and blocks of indices, and where they are. */
  'GET /_cluster/state': {
    path: NoPath
    query: { flat_settings?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      blocks?: Record<string, any>
      cluster_name: string
      cluster_uuid: string
      master_node?: string
      metadata?: Record<string, any>
      nodes?: Record<string, any>
      routing_nodes?: Record<string, any>
      routing_table?: Record<string, any>
      state_uuid?: string
    }
  }
  /** Names, definitions and blocks of indices, and where they are. */
  'GET /_cluster/state/{metric}': {
    path: { metric: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      blocks?: Record<string, any>
      cluster_name: string
      cluster_uuid: string
      master_node?: string
      metadata?: Record<string, any>
      nodes?: Record<string, any>
      routing_nodes?: Record<string, any>
      routing_table?: Record<string, any>
      state_uuid?: string
    }
  }
  /** Names, definitions and blocks of indices, and where they are. */
  'GET /_cluster/state/{metric}/{index}': {
    path: { metric: string, index: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      blocks?: Record<string, any>
      cluster_name: string
      cluster_uuid: string
      master_node?: string
      metadata?: Record<string, any>
      nodes?: Record<string, any>
      routing_nodes?: Record<string, any>
      routing_table?: Record<string, any>
      state_uuid?: string
    }
  }
  /** Figures of all indices and of the node. */
  'GET /_cluster/stats': {
    path: NoPath
    query: { include_remotes?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      ccs?: Record<string, any>
      cluster_name: string
      cluster_uuid: string
      indices: Record<string, any>
      nodes: Record<string, any>
      status: HealthColour
      timestamp: number
    }
  }
  /** Figures of all indices and of the node. */
  'GET /_cluster/stats/nodes/{node_id}': {
    path: { node_id: string }
    query: { include_remotes?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      ccs?: Record<string, any>
      cluster_name: string
      cluster_uuid: string
      indices: Record<string, any>
      nodes: Record<string, any>
      status: HealthColour
      timestamp: number
    }
  }
  /** Shows component templates. */
  'GET /_component_template': {
    path: NoPath
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, settings_filter?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      component_templates: {
        component_template: ComponentTemplate
        name: string
      }[]
    }
  }
  /** Shows component templates. */
  'GET /_component_template/{name}': {
    path: { name: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, settings_filter?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      component_templates: {
        component_template: ComponentTemplate
        name: string
      }[]
    }
  }
  /** Says whether there is such a component template. */
  'HEAD /_component_template/{name}': {
    path: { name: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Keeps a part that index templates are composed of. */
  'PUT /_component_template/{name}': {
    path: { name: string }
    query: { create?: boolean | 'true' | 'false' | '', cause?: string | number | boolean, dry_run?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: ComponentTemplate
    answer: Acknowledged | TemplateChange
  }
  /** Keeps a part that index templates are composed of. */
  'POST /_component_template/{name}': {
    path: { name: string }
    query: { create?: boolean | 'true' | 'false' | '', cause?: string | number | boolean, dry_run?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: ComponentTemplate
    answer: Acknowledged | TemplateChange
  }
  /** Deletes component templates that no index template uses. */
  'DELETE /_component_template/{name}': {
    path: { name: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged | TemplateChange
  }
  /** Lists connectors. */
  'GET /_connector': {
    path: NoPath
    query: { from?: number | string, size?: number | string, index_name?: string | readonly string[] | boolean, connector_name?: string | readonly string[] | boolean, service_type?: string | readonly string[] | boolean, query?: string | number | boolean, include_deleted?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      count: number
      results: Connector[]
    }
  }
  /** Creates or replaces a connector. */
  'PUT /_connector': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewConnector
    answer: {
      id: string
      result: 'created' | 'updated'
    }
  }
  /** Creates or replaces a connector. */
  'POST /_connector': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewConnector
    answer: {
      id: string
      result: 'created' | 'updated'
    }
  }
  /** Keeps a secret. */
  'POST /_connector/_secret': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      value: string
    }
    answer: {
      id: string
    }
  }
  /** Gives a secret. */
  'GET /_connector/_secret/{id}': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      id: string
      value: string
    }
  }
  /** Keeps a secret under this id. */
  'PUT /_connector/_secret/{id}': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      value: string
    }
    answer: BareResult
  }
  /** Deletes a secret. */
  'DELETE /_connector/_secret/{id}': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      deleted: boolean
    }
  }
  /** Lists sync jobs. */
  'GET /_connector/_sync_job': {
    path: NoPath
    query: { from?: number | string, size?: number | string, status?: string | number | boolean, connector_id?: string | number | boolean, job_type?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      count: number
      results: SyncJob[]
    }
  }
  /** Creates a sync job. */
  'POST /_connector/_sync_job': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      id: string
      job_type?: SyncJobType
      trigger_method?: SyncTrigger
    }
    answer: any
  }
  /** Gives a sync job. */
  'GET /_connector/_sync_job/{connector_sync_job_id}': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SyncJob
  }
  /** Deletes a sync job. */
  'DELETE /_connector/_sync_job/{connector_sync_job_id}': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Ends a sync job. */
  'PUT /_connector/_sync_job/{connector_sync_job_id}/_cancel': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BareResult
  }
  /** Notes a sign of life. */
  'PUT /_connector/_sync_job/{connector_sync_job_id}/_check_in': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BareResult
  }
  /** Takes a job for a worker. */
  'PUT /_connector/_sync_job/{connector_sync_job_id}/_claim': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      sync_cursor?: any
      worker_hostname: string
    }
    answer: BareResult
  }
  /** Ends a sync job well. */
  'PUT /_connector/_sync_job/{connector_sync_job_id}/_complete': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BareResult
  }
  /** Ends a job with an error. */
  'PUT /_connector/_sync_job/{connector_sync_job_id}/_error': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      error: string
    }
    answer: BareResult
  }
  /** Sets the figures of a job. */
  'PUT /_connector/_sync_job/{connector_sync_job_id}/_stats': {
    path: { connector_sync_job_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      deleted_document_count: number
      indexed_document_count: number
      indexed_document_volume: number
      last_seen?: string
      metadata?: Record<string, any>
      total_document_count?: number
    }
    answer: BareResult
  }
  /** Gives a connector. */
  'GET /_connector/{connector_id}': {
    path: { connector_id: string }
    query: { include_deleted?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Connector
  }
  /** Creates or replaces a connector. */
  'PUT /_connector/{connector_id}': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewConnector
    answer: {
      id: string
      result: 'created' | 'updated'
    }
  }
  /** Deletes a connector. */
  'DELETE /_connector/{connector_id}': {
    path: { connector_id: string }
    query: { delete_sync_jobs?: boolean | 'true' | 'false' | '', hard?: boolean | 'true' | 'false' | '', dry_run?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged | ConnectorRemoval
  }
  /** Names its key. */
  'PUT /_connector/{connector_id}/_api_key_id': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      api_key_id?: string | null
      api_key_secret_id?: string | null
    }
    answer: BareResult
  }
  /** Notes a sign of life. */
  'PUT /_connector/{connector_id}/_check_in': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BareResult
  }
  /** Sets the configuration, or values of it. */
  'PUT /_connector/{connector_id}/_configuration': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      configuration?: Record<string, ConnectorSetting> | Record<string, ConnectorSetting>
      values?: Record<string, any> | Record<string, any>
    }
    answer: BareResult
  }
  /** Counts what a sync would do, and does nothing. */
  'POST /_connector/{connector_id}/_dry_run': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      bytes: number
      changed: number
      items: number
      new: number
      problems: SourceProblem[]
      skipped: number
      unchanged: number
      unreadable: number
      vanished: number
    }
  }
  /** Sets or clears the error. */
  'PUT /_connector/{connector_id}/_error': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      error: string | null
    }
    answer: BareResult
  }
  /** Takes word of changes in the source; a sync follows soon. */
  'POST /_connector/{connector_id}/_event': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: BareResult
  }
  /** The same for stores that send no header fields: with a key in the query. */
  'POST /_connector/{connector_id}/_event/_by_key': {
    path: { connector_id: string }
    query: { api_key?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: BareResult
  }
  /** Says what its service can do. */
  'PUT /_connector/{connector_id}/_features': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      features: ConnectorFeatures
    }
    answer: BareResult
  }
  /** Sets sync rules, or edits their draft. */
  'PUT /_connector/{connector_id}/_filtering': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      advanced_snippet?: Record<string, any>
      filtering?: Record<string, any>[]
      rules?: SyncRule[]
    }
    answer: BareResult
  }
  /** Makes the draft of the sync rules the ones that hold. */
  'PUT /_connector/{connector_id}/_filtering/_activate': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BareResult
  }
  /** Says whether the draft of the sync rules is valid. */
  'PUT /_connector/{connector_id}/_filtering/_validation': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      validation: {
        errors?: Record<string, any>[]
        state: 'edited' | 'invalid' | 'valid'
      }
    }
    answer: BareResult
  }
  /** Sets the index. */
  'PUT /_connector/{connector_id}/_index_name': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      index_name: string | null
    }
    answer: BareResult
  }
  /** Sets the figures of the last sync. */
  'PUT /_connector/{connector_id}/_last_sync': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      last_access_control_sync_error?: string | null
      last_access_control_sync_scheduled_at?: string | null
      last_access_control_sync_status?: string | null
      last_deleted_document_count?: number | null
      last_incremental_sync_scheduled_at?: string | null
      last_indexed_document_count?: number | null
      last_seen?: string | null
      last_sync_error?: string | null
      last_sync_scheduled_at?: string | null
      last_sync_status?: string | null
      last_synced?: string | null
      sync_cursor?: any
    }
    answer: BareResult
  }
  /** Sets name and description. */
  'PUT /_connector/{connector_id}/_name': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      description?: string
      name?: string
    }
    answer: BareResult
  }
  /** Says who manages it. */
  'PUT /_connector/{connector_id}/_native': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      is_native: boolean
    }
    answer: BareResult
  }
  /** Lets its sync jobs and schedules rest; one that runs is suspended. */
  'POST /_connector/{connector_id}/_pause': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BareResult
  }
  /** Sets the ingest pipeline. */
  'PUT /_connector/{connector_id}/_pipeline': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      pipeline: ConnectorPipeline
    }
    answer: BareResult
  }
  /** Gives some documents of the source, and writes none. */
  'POST /_connector/{connector_id}/_preview': {
    path: { connector_id: string }
    query: { size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      documents: {
        _id: string
        _source: Record<string, any>
        [more: string]: any
      }[]
      problems: SourceProblem[]
      [more: string]: any
    }
  }
  /** Lists what the last sync could not read, with the reasons. */
  'GET /_connector/{connector_id}/_problems': {
    path: { connector_id: string }
    query: { from?: number | string, size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      count: number
      job_id: string | null
      results: SourceProblem[]
    }
  }
  /** Ends a pause: what was suspended goes on. */
  'POST /_connector/{connector_id}/_resume': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BareResult
  }
  /** Sets schedules. */
  'PUT /_connector/{connector_id}/_scheduling': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      scheduling: {
        access_control?: ConnectorSchedule
        full?: ConnectorSchedule
        incremental?: ConnectorSchedule
      }
    }
    answer: BareResult
  }
  /** Sets the kind of source. */
  'PUT /_connector/{connector_id}/_service_type': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      service_type: string
    }
    answer: BareResult
  }
  /** Moves the status. */
  'PUT /_connector/{connector_id}/_status': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      status: ConnectorStatus
    }
    answer: BareResult
  }
  /** Tests whether the source can be read. */
  'POST /_connector/{connector_id}/_test': {
    path: { connector_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      ok: boolean
      reason?: string
      source?: Record<string, any>
      [more: string]: any
    }
  }
  /** The console, for browsers. */
  'GET /_console': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** A file of the console; its name changes with what it holds. */
  'GET /_console/assets/{file}': {
    path: { file: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Counts what a query matches. */
  'GET /_count': {
    path: NoPath
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      count: number
      terminated_early?: boolean
    }
  }
  /** Counts what a query matches. */
  'POST /_count': {
    path: NoPath
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      min_score?: number
      query?: Query
      terminate_after?: number
    }
    answer: {
      _shards: Shards
      count: number
      terminated_early?: boolean
    }
  }
  /** Shows data streams. */
  'GET /_data_stream': {
    path: NoPath
    query: { expand_wildcards?: string | readonly string[] | boolean, master_timeout?: string | number | boolean, include_defaults?: boolean | 'true' | 'false' | '', verbose?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      data_streams: DataStream[]
    }
  }
  /** Makes a data stream of an alias and its indices. */
  'POST /_data_stream/_migrate/{index}': {
    path: { index: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Adds indices to data streams and takes some out: all, or none. */
  'POST /_data_stream/_modify': {
    path: NoPath
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      actions: {
        add_backing_index?: {
          data_stream: string
          index: string
        }
        remove_backing_index?: {
          data_stream: string
          index: string
        }
      }[]
    }
    answer: Acknowledged
  }
  /** Counts the indices and bytes of data streams. */
  'GET /_data_stream/_stats': {
    path: NoPath
    query: { expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      backing_indices: number
      data_stream_count: number
      data_streams: {
        backing_indices: number
        data_stream: string
        maximum_timestamp: number
        store_size_bytes: number
      }[]
      total_store_size_bytes: number
    }
  }
  /** Shows data streams. */
  'GET /_data_stream/{index}': {
    path: { index: string }
    query: { expand_wildcards?: string | readonly string[] | boolean, master_timeout?: string | number | boolean, include_defaults?: boolean | 'true' | 'false' | '', verbose?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      data_streams: DataStream[]
    }
  }
  /** Makes a data stream, as its template says. */
  'PUT /_data_stream/{index}': {
    path: { index: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Deletes data streams with their indices. */
  'DELETE /_data_stream/{index}': {
    path: { index: string }
    query: { expand_wildcards?: string | readonly string[] | boolean, dry_run?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged | StreamRemoval
  }
  /** Counts the indices and bytes of data streams. */
  'GET /_data_stream/{index}/_stats': {
    path: { index: string }
    query: { expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      backing_indices: number
      data_stream_count: number
      data_streams: {
        backing_indices: number
        data_stream: string
        maximum_timestamp: number
        store_size_bytes: number
      }[]
      total_store_size_bytes: number
    }
  }
  /** Changes how fast a task goes. */
  'POST /_delete_by_query/{task_id}/_rethrottle': {
    path: { task_id: string }
    query: { requests_per_second?: number | string, group_by?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: TaskList
  }
  /** Says what fields can do, over all indices that are named. */
  'GET /_field_caps': {
    path: NoPath
    query: { fields?: string | readonly string[] | boolean, types?: string | readonly string[] | boolean, filters?: string | readonly string[] | boolean, include_unmapped?: boolean | 'true' | 'false' | '', include_empty_fields?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      fields: Record<string, Record<string, FieldCapability>>
      indices: string[]
    }
  }
  /** Says what fields can do, over all indices that are named. */
  'POST /_field_caps': {
    path: NoPath
    query: { fields?: string | readonly string[] | boolean, types?: string | readonly string[] | boolean, filters?: string | readonly string[] | boolean, include_unmapped?: boolean | 'true' | 'false' | '', include_empty_fields?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      fields?: Names
      index_filter?: any
      runtime_mappings?: Record<string, any>
    }
    answer: {
      fields: Record<string, Record<string, FieldCapability>>
      indices: string[]
    }
  }
  /** Writes what is in the log to segments. */
  'GET /_flush': {
    path: NoPath
    query: { force?: boolean | 'true' | 'false' | '', wait_if_ongoing?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Writes what is in the log to segments. */
  'POST /_flush': {
    path: NoPath
    query: { force?: boolean | 'true' | 'false' | '', wait_if_ongoing?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Merges segments and drops deleted documents. */
  'POST /_forcemerge': {
    path: NoPath
    query: { max_num_segments?: number | string, only_expunge_deletes?: boolean | 'true' | 'false' | '', flush?: boolean | 'true' | 'false' | '', wait_for_completion?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    } | TaskStarted
  }
  /** Answers while the process does. */
  'GET /_health/live': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** 200 when requests are served, else 503 and why. */
  'GET /_health/ready': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** 200 once the server has started. */
  'GET /_health/startup': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** Says what is well, what is not, and what to do about it. */
  'GET /_health_report': {
    path: NoPath
    query: { timeout?: string | number | boolean, verbose?: boolean | 'true' | 'false' | '', size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      cluster_name: string
      indicators: Record<string, HealthIndicator>
      status?: string
    }
  }
  /** Says what is well, what is not, and what to do about it. */
  'GET /_health_report/{feature}': {
    path: { feature: string }
    query: { timeout?: string | number | boolean, verbose?: boolean | 'true' | 'false' | '', size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      cluster_name: string
      indicators: Record<string, HealthIndicator>
      status?: string
    }
  }
  /** Shows index templates. */
  'GET /_index_template': {
    path: NoPath
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      index_templates: {
        index_template: IndexTemplate
        name: string
      }[]
    }
  }
  /** Shows what a template comes to with its components. */
  'POST /_index_template/_simulate': {
    path: NoPath
    query: { create?: boolean | 'true' | 'false' | '', cause?: string | number | boolean, flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: IndexTemplate
    answer: SimulatedTemplate
  }
  /** Shows what a template comes to with its components. */
  'POST /_index_template/_simulate/{name}': {
    path: { name: string }
    query: { create?: boolean | 'true' | 'false' | '', cause?: string | number | boolean, flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: IndexTemplate
    answer: SimulatedTemplate
  }
  /** Shows what an index of this name would begin with. */
  'POST /_index_template/_simulate_index/{name}': {
    path: { name: string }
    query: { create?: boolean | 'true' | 'false' | '', cause?: string | number | boolean, flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: IndexTemplate
    answer: SimulatedTemplate
  }
  /** Shows index templates. */
  'GET /_index_template/{name}': {
    path: { name: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      index_templates: {
        index_template: IndexTemplate
        name: string
      }[]
    }
  }
  /** Says whether there is such an index template. */
  'HEAD /_index_template/{name}': {
    path: { name: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Keeps what new indices and data streams begin with, by their names. */
  'PUT /_index_template/{name}': {
    path: { name: string }
    query: { create?: boolean | 'true' | 'false' | '', cause?: string | number | boolean, dry_run?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: IndexTemplate
    answer: Acknowledged | TemplateChange
  }
  /** Keeps what new indices and data streams begin with, by their names. */
  'POST /_index_template/{name}': {
    path: { name: string }
    query: { create?: boolean | 'true' | 'false' | '', cause?: string | number | boolean, dry_run?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: IndexTemplate
    answer: Acknowledged | TemplateChange
  }
  /** Deletes index templates. */
  'DELETE /_index_template/{name}': {
    path: { name: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged | TemplateChange
  }
  /** Shows one inference endpoint, or all of a task with _all. */
  'GET /_inference': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      endpoints: Endpoint[]
    }
  }
  /** Lists the services that endpoints can name, and their settings. */
  'GET /_inference/_services': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: InferenceService[]
  }
  /** Lists the services that endpoints can name, and their settings. */
  'GET /_inference/_services/{task_type}': {
    path: { task_type: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: InferenceService[]
  }
  /** Shows one inference endpoint, or all of a task with _all. */
  'GET /_inference/rerank/{inference_id}': {
    path: { inference_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      endpoints: Endpoint[]
    }
  }
  /** Creates an inference endpoint and deploys its model. The task types completion and chat_completion, and services other than the built-in one, are extensions. */
  'PUT /_inference/rerank/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewEndpoint
    answer: Endpoint
  }
  /** Runs an inference endpoint on one or more inputs. */
  'POST /_inference/rerank/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: InferBody
    answer: InferAnswer
  }
  /** Deletes an inference endpoint and the deployment that it made. */
  'DELETE /_inference/rerank/{inference_id}': {
    path: { inference_id: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', force?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: EndpointDeletion
  }
  /** Shows one inference endpoint, or all of a task with _all. */
  'GET /_inference/sparse_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      endpoints: Endpoint[]
    }
  }
  /** Creates an inference endpoint and deploys its model. The task types completion and chat_completion, and services other than the built-in one, are extensions. */
  'PUT /_inference/sparse_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewEndpoint
    answer: Endpoint
  }
  /** Runs an inference endpoint on one or more inputs. */
  'POST /_inference/sparse_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: InferBody
    answer: InferAnswer
  }
  /** Deletes an inference endpoint and the deployment that it made. */
  'DELETE /_inference/sparse_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', force?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: EndpointDeletion
  }
  /** Shows one inference endpoint, or all of a task with _all. */
  'GET /_inference/text_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      endpoints: Endpoint[]
    }
  }
  /** Creates an inference endpoint and deploys its model. The task types completion and chat_completion, and services other than the built-in one, are extensions. */
  'PUT /_inference/text_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewEndpoint
    answer: Endpoint
  }
  /** Runs an inference endpoint on one or more inputs. */
  'POST /_inference/text_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: InferBody
    answer: InferAnswer
  }
  /** Deletes an inference endpoint and the deployment that it made. */
  'DELETE /_inference/text_embedding/{inference_id}': {
    path: { inference_id: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', force?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: EndpointDeletion
  }
  /** Shows one inference endpoint, or all of a task with _all. */
  'GET /_inference/{inference_id}': {
    path: { inference_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      endpoints: Endpoint[]
    }
  }
  /** Creates an inference endpoint and deploys its model. The task types completion and chat_completion, and services other than the built-in one, are extensions. */
  'PUT /_inference/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewEndpoint
    answer: Endpoint
  }
  /** Runs an inference endpoint on one or more inputs. */
  'POST /_inference/{inference_id}': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: InferBody
    answer: InferAnswer
  }
  /** Deletes an inference endpoint and the deployment that it made. */
  'DELETE /_inference/{inference_id}': {
    path: { inference_id: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', force?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: EndpointDeletion
  }
  /** Runs an endpoint of a completion or a chat, and streams the text as it is made. */
  'POST /_inference/{inference_id}/_stream': {
    path: { inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: InferBody
    answer: string
  }
  /** Changes the allocations and task settings of an inference endpoint. */
  'PUT /_inference/{inference_id}/_update': {
    path: { inference_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      chunking_settings?: ChunkingSettings
      service?: string
      service_settings?: ServiceSettings
      task_settings?: Record<string, any>
      task_type?: TaskType
    }
    answer: Endpoint
  }
  /** Shows one inference endpoint, or all of a task with _all. */
  'GET /_inference/{task_type}/{inference_id}': {
    path: { task_type: string, inference_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      endpoints: Endpoint[]
    }
  }
  /** Creates an inference endpoint and deploys its model. The task types completion and chat_completion, and services other than the built-in one, are extensions. */
  'PUT /_inference/{task_type}/{inference_id}': {
    path: { task_type: string, inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewEndpoint
    answer: Endpoint
  }
  /** Runs an inference endpoint on one or more inputs. */
  'POST /_inference/{task_type}/{inference_id}': {
    path: { task_type: string, inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: InferBody
    answer: InferAnswer
  }
  /** Deletes an inference endpoint and the deployment that it made. */
  'DELETE /_inference/{task_type}/{inference_id}': {
    path: { task_type: string, inference_id: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', force?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: EndpointDeletion
  }
  /** Runs an endpoint of a completion or a chat, and streams the text as it is made. */
  'POST /_inference/{task_type}/{inference_id}/_stream': {
    path: { task_type: string, inference_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: InferBody
    answer: string
  }
  /** Changes the allocations and task settings of an inference endpoint. */
  'PUT /_inference/{task_type}/{inference_id}/_update': {
    path: { task_type: string, inference_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      chunking_settings?: ChunkingSettings
      service?: string
      service_settings?: ServiceSettings
      task_settings?: Record<string, any>
      task_type?: TaskType
    }
    answer: Endpoint
  }
  /** Figures of the node by their target: connections, the pool of requests. */
  'GET /_info/{target}': {
    path: { target: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      cluster_name: string
      http?: Record<string, any>
      thread_pool?: Record<string, any>
    }
  }
  /** The licence that tools ask for. */
  'GET /_license': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', accept_enterprise?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      license: Record<string, any>
    }
  }
  /** Gives mappings. */
  'GET /_mapping': {
    path: NoPath
    query: { local?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      mappings: Mapping
    }>
  }
  /** Gives the mappings of single fields. */
  'GET /_mapping/field/{fields}': {
    path: { fields: string }
    query: { include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      mappings: Record<string, {
        full_name: string
        mapping: Record<string, FieldMapping>
      }>
    }>
  }
  /** Counters and gauges in the text format of Prometheus. */
  'GET /_metrics': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** Gives several documents. */
  'GET /_mget': {
    path: NoPath
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', realtime?: boolean | 'true' | 'false' | '', refresh?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, stored_fields?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      docs: (Document | DocumentFailure)[]
    }
  }
  /** Gives several documents. */
  'POST /_mget': {
    path: NoPath
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', realtime?: boolean | 'true' | 'false' | '', refresh?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, stored_fields?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: MultiGetBody
    answer: {
      docs: (Document | DocumentFailure)[]
    }
  }
  /** Lists the models of the model store. */
  'GET /_ml/trained_models': {
    path: NoPath
    query: { allow_no_match?: boolean | 'true' | 'false' | '', from?: number | string, size?: number | string, include?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      count: number
      trained_model_configs: Model[]
    }
  }
  /** Shows deployments: state, allocations, progress of loading, counters. */
  'GET /_ml/trained_models/_stats': {
    path: NoPath
    query: { allow_no_match?: boolean | 'true' | 'false' | '', from?: number | string, size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      count: number
      trained_model_stats: ModelStats[]
    }
  }
  /** Lists the models of the model store. */
  'GET /_ml/trained_models/{model_id}': {
    path: { model_id: string }
    query: { allow_no_match?: boolean | 'true' | 'false' | '', from?: number | string, size?: number | string, include?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      count: number
      trained_model_configs: Model[]
    }
  }
  /** Removes a model from the model store. */
  'DELETE /_ml/trained_models/{model_id}': {
    path: { model_id: string }
    query: { force?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, dry_run?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged | ModelRemoval
  }
  /** Shows deployments: state, allocations, progress of loading, counters. */
  'GET /_ml/trained_models/{model_id}/_stats': {
    path: { model_id: string }
    query: { allow_no_match?: boolean | 'true' | 'false' | '', from?: number | string, size?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      count: number
      trained_model_stats: ModelStats[]
    }
  }
  /** Deploys a model. */
  'POST /_ml/trained_models/{model_id}/deployment/_start': {
    path: { model_id: string }
    query: { deployment_id?: string | number | boolean, number_of_allocations?: number | string, threads_per_allocation?: number | string, queue_capacity?: number | string, priority?: string | number | boolean, timeout?: string | number | boolean, wait_for?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      adaptive_allocations?: AdaptiveAllocations | null
      number_of_allocations?: number | null
    }
    answer: Assignment
  }
  /** Stops deployments. */
  'POST /_ml/trained_models/{model_id}/deployment/_stop': {
    path: { model_id: string }
    query: { allow_no_match?: boolean | 'true' | 'false' | '', force?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      stopped: boolean
    }
  }
  /** Changes the allocations of a deployment. */
  'POST /_ml/trained_models/{model_id}/deployment/_update': {
    path: { model_id: string }
    query: { number_of_allocations?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      adaptive_allocations?: AdaptiveAllocations | null
      number_of_allocations?: number | null
    }
    answer: Assignment
  }
  /** Does several searches. */
  'GET /_msearch': {
    path: NoPath
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, index?: string | readonly string[] | boolean, include_named_queries_score?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** Does several searches. */
  'POST /_msearch': {
    path: NoPath
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, index?: string | readonly string[] | boolean, include_named_queries_score?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** Does several searches that are made from templates. */
  'GET /_msearch/template': {
    path: NoPath
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** Does several searches that are made from templates. */
  'POST /_msearch/template': {
    path: NoPath
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** The nodes and the addresses that they listen on. */
  'GET /_nodes': {
    path: NoPath
    query: { flat_settings?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        build_flavor: string
        build_hash: string
        build_type: string
        host: string
        http?: {
          bound_address: string[]
          max_content_length_in_bytes: number
          publish_address: string
        }
        ip: string
        name: string
        roles: string[]
        version: string
      }>
    }
  }
  /** Shows which threads compute most. */
  'GET /_nodes/hot_threads': {
    path: NoPath
    query: { ignore_idle_threads?: boolean | 'true' | 'false' | '', interval?: string | number | boolean, snapshots?: number | string, threads?: number | string, type?: string | number | boolean, sort?: string | number | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** Figures of the node: indices, memory, processor, disk. */
  'GET /_nodes/stats': {
    path: NoPath
    query: { level?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        breakers?: Record<string, any>
        fs?: NodeFigures
        host: string
        indices?: IndexFigures
        ip: string
        name: string
        os?: NodeFigures
        process?: NodeFigures
        roles: string[]
        thread_pool?: Record<string, any>
        timestamp: number
      }>
    }
  }
  /** Figures of the node: indices, memory, processor, disk. */
  'GET /_nodes/stats/{metric}': {
    path: { metric: string }
    query: { level?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        breakers?: Record<string, any>
        fs?: NodeFigures
        host: string
        indices?: IndexFigures
        ip: string
        name: string
        os?: NodeFigures
        process?: NodeFigures
        roles: string[]
        thread_pool?: Record<string, any>
        timestamp: number
      }>
    }
  }
  /** Counts the requests that were answered since the start, by operation. */
  'GET /_nodes/usage': {
    path: NoPath
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        rest_actions: Record<string, number>
        since: number
        timestamp: number
      }>
    }
  }
  /** Counts the requests that were answered since the start, by operation. */
  'GET /_nodes/usage/{metric}': {
    path: { metric: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        rest_actions: Record<string, number>
        since: number
        timestamp: number
      }>
    }
  }
  /** The nodes and the addresses that they listen on. */
  'GET /_nodes/{metric}': {
    path: { metric: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        build_flavor: string
        build_hash: string
        build_type: string
        host: string
        http?: {
          bound_address: string[]
          max_content_length_in_bytes: number
          publish_address: string
        }
        ip: string
        name: string
        roles: string[]
        version: string
      }>
    }
  }
  /** Shows which threads compute most. */
  'GET /_nodes/{node_id}/hot_threads': {
    path: { node_id: string }
    query: { ignore_idle_threads?: boolean | 'true' | 'false' | '', interval?: string | number | boolean, snapshots?: number | string, threads?: number | string, type?: string | number | boolean, sort?: string | number | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** Figures of the node: indices, memory, processor, disk. */
  'GET /_nodes/{node_id}/stats': {
    path: { node_id: string }
    query: { level?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        breakers?: Record<string, any>
        fs?: NodeFigures
        host: string
        indices?: IndexFigures
        ip: string
        name: string
        os?: NodeFigures
        process?: NodeFigures
        roles: string[]
        thread_pool?: Record<string, any>
        timestamp: number
      }>
    }
  }
  /** Figures of the node: indices, memory, processor, disk. */
  'GET /_nodes/{node_id}/stats/{metric}': {
    path: { node_id: string, metric: string }
    query: { level?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        breakers?: Record<string, any>
        fs?: NodeFigures
        host: string
        indices?: IndexFigures
        ip: string
        name: string
        os?: NodeFigures
        process?: NodeFigures
        roles: string[]
        thread_pool?: Record<string, any>
        timestamp: number
      }>
    }
  }
  /** Counts the requests that were answered since the start, by operation. */
  'GET /_nodes/{node_id}/usage': {
    path: { node_id: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        rest_actions: Record<string, number>
        since: number
        timestamp: number
      }>
    }
  }
  /** Counts the requests that were answered since the start, by operation. */
  'GET /_nodes/{node_id}/usage/{metric}': {
    path: { node_id: string, metric: string }
    query: { timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        rest_actions: Record<string, number>
        since: number
        timestamp: number
      }>
    }
  }
  /** The nodes and the addresses that they listen on. */
  'GET /_nodes/{node_id}/{metric}': {
    path: { node_id: string, metric: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _nodes: NodeCounts
      cluster_name: string
      nodes: Record<string, {
        build_flavor: string
        build_hash: string
        build_type: string
        host: string
        http?: {
          bound_address: string[]
          max_content_length_in_bytes: number
          publish_address: string
        }
        ip: string
        name: string
        roles: string[]
        version: string
      }>
    }
  }
  /** This table of operations as an OpenAPI document. */
  'GET /_openapi.json': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, any>
  }
  /** Ends a point in time. */
  'DELETE /_pit': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      id: string
    }
    answer: Freed
  }
  /** Says how good searches are, by rated documents. */
  'GET /_rank_eval': {
    path: NoPath
    query: { search_type?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      details: Record<string, any>
      failures: Record<string, any>
      metric_score: number
    }
  }
  /** Says how good searches are, by rated documents. */
  'POST /_rank_eval': {
    path: NoPath
    query: { search_type?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      max_concurrent_searches?: number
      metric: Record<string, any>
      requests: Record<string, any>[]
      templates?: Record<string, any>[]
    }
    answer: {
      details: Record<string, any>
      failures: Record<string, any>
      metric_score: number
    }
  }
  /** Says how indices came to be in this process: made, read from the store, restored. */
  'GET /_recovery': {
    path: NoPath
    query: { active_only?: boolean | 'true' | 'false' | '', detailed?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      shards: Recovery[]
    }>
  }
  /** Makes everything written so far visible to searches. */
  'GET /_refresh': {
    path: NoPath
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Makes everything written so far visible to searches. */
  'POST /_refresh': {
    path: NoPath
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Copies the documents of a query into an index. */
  'POST /_reindex': {
    path: NoPath
    query: { require_alias?: boolean | 'true' | 'false' | '', wait_for_completion?: boolean | 'true' | 'false' | '', requests_per_second?: number | string, slices?: string | number | boolean, max_docs?: number | string, refresh?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, timeout?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      conflicts?: 'abort' | 'proceed'
      dest: {
        index: string
        op_type?: string
        pipeline?: string
        routing?: string
        version_type?: string
      }
      max_docs?: number
      script?: any
      size?: number
      source: Record<string, any>
    }
    answer: ByQueryAnswer | TaskStarted
  }
  /** Changes how fast a task goes. */
  'POST /_reindex/{task_id}/_rethrottle': {
    path: { task_id: string }
    query: { requests_per_second?: number | string, group_by?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: TaskList
  }
  /** Other clusters that are known: none. */
  'GET /_remote/info': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, any>
  }
  /** Shows the search that a template with values makes. */
  'GET /_render/template': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      template_output: any
    }
  }
  /** Shows the search that a template with values makes. */
  'POST /_render/template': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchTemplateBody
    answer: {
      template_output: any
    }
  }
  /** Shows the search that a template with values makes. */
  'GET /_render/template/{id}': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      template_output: any
    }
  }
  /** Shows the search that a template with values makes. */
  'POST /_render/template/{id}': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchTemplateBody
    answer: {
      template_output: any
    }
  }
  /** Says whether this cluster, the only one, has indices of these names. */
  'GET /_resolve/cluster': {
    path: NoPath
    query: { timeout?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      connected: boolean
      error?: string
      matching_indices?: boolean
      skip_unavailable: boolean
      version?: Record<string, any>
    }>
  }
  /** Says whether this cluster, the only one, has indices of these names. */
  'GET /_resolve/cluster/{index}': {
    path: { index: string }
    query: { timeout?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      connected: boolean
      error?: string
      matching_indices?: boolean
      skip_unavailable: boolean
      version?: Record<string, any>
    }>
  }
  /** Says which indices, aliases and data streams names and patterns mean. */
  'GET /_resolve/index/{index}': {
    path: { index: string }
    query: { mode?: string | readonly string[] | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      aliases: {
        indices: string[]
        name: string
      }[]
      data_streams: {
        backing_indices: string[]
        name: string
        timestamp_field: string
      }[]
      indices: {
        aliases?: string[]
        attributes: string[]
        data_stream?: string
        name: string
      }[]
    }
  }
  /** What scripts are for, and what they give back. */
  'GET /_script_context': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      contexts: {
        methods: {
          name: string
          params: any[]
          return_type: string
        }[]
        name: string
      }[]
    }
  }
  /** The languages of scripts, and what each is for. */
  'GET /_script_language': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      language_contexts: {
        contexts: string[]
        language: string
      }[]
      types_allowed: string[]
    }
  }
  /** Shows a kept script or template of searches. */
  'GET /_scripts/{id}': {
    path: { id: string }
    query: { master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _id: string
      found: boolean
      script?: StoredScript
    }
  }
  /** Keeps a script, or a template of searches, by a name. */
  'PUT /_scripts/{id}': {
    path: { id: string }
    query: { timeout?: string | number | boolean, context?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      script: StoredScript
    }
    answer: Acknowledged
  }
  /** Keeps a script, or a template of searches, by a name. */
  'POST /_scripts/{id}': {
    path: { id: string }
    query: { timeout?: string | number | boolean, context?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      script: StoredScript
    }
    answer: Acknowledged
  }
  /** Deletes a kept script or template of searches. */
  'DELETE /_scripts/{id}': {
    path: { id: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Keeps a script, or a template of searches, by a name. */
  'PUT /_scripts/{id}/{context}': {
    path: { id: string, context: string }
    query: { timeout?: string | number | boolean, context?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      script: StoredScript
    }
    answer: Acknowledged
  }
  /** Keeps a script, or a template of searches, by a name. */
  'POST /_scripts/{id}/{context}': {
    path: { id: string, context: string }
    query: { timeout?: string | number | boolean, context?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      script: StoredScript
    }
    answer: Acknowledged
  }
  /** Searches indices. */
  'GET /_search': {
    path: NoPath
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, from?: number | string, size?: number | string, sort?: string | readonly string[] | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', include_named_queries_score?: boolean | 'true' | 'false' | '', docvalue_fields?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, suggest_field?: string | number | boolean, suggest_text?: string | number | boolean, suggest_mode?: string | number | boolean, suggest_size?: number | string, track_total_hits?: string | number | boolean, track_scores?: boolean | 'true' | 'false' | '', version?: boolean | 'true' | 'false' | '', seq_no_primary_term?: boolean | 'true' | 'false' | '', explain?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', batched_reduce_size?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', allow_partial_search_results?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SearchAnswer
  }
  /** Searches indices. */
  'POST /_search': {
    path: NoPath
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, from?: number | string, size?: number | string, sort?: string | readonly string[] | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', include_named_queries_score?: boolean | 'true' | 'false' | '', docvalue_fields?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, suggest_field?: string | number | boolean, suggest_text?: string | number | boolean, suggest_mode?: string | number | boolean, suggest_size?: number | string, track_total_hits?: string | number | boolean, track_scores?: boolean | 'true' | 'false' | '', version?: boolean | 'true' | 'false' | '', seq_no_primary_term?: boolean | 'true' | 'false' | '', explain?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', batched_reduce_size?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', allow_partial_search_results?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchBody
    answer: SearchAnswer
  }
  /** Gives the next page of a scroll. */
  'GET /_search/scroll': {
    path: NoPath
    query: { scroll?: string | number | boolean, scroll_id?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SearchAnswer
  }
  /** Gives the next page of a scroll. */
  'POST /_search/scroll': {
    path: NoPath
    query: { scroll?: string | number | boolean, scroll_id?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: ScrollBody
    answer: SearchAnswer
  }
  /** Ends scrolls of the key that asks. */
  'DELETE /_search/scroll': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      scroll_id?: Names
    }
    answer: Freed
  }
  /** Gives the next page of a scroll. */
  'GET /_search/scroll/{scroll_id}': {
    path: { scroll_id: string }
    query: { scroll?: string | number | boolean, scroll_id?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SearchAnswer
  }
  /** Gives the next page of a scroll. */
  'POST /_search/scroll/{scroll_id}': {
    path: { scroll_id: string }
    query: { scroll?: string | number | boolean, scroll_id?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: ScrollBody
    answer: SearchAnswer
  }
  /** Ends scrolls of the key that asks. */
  'DELETE /_search/scroll/{scroll_id}': {
    path: { scroll_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      scroll_id?: Names
    }
    answer: Freed
  }
  /** Searches indices as a template with values says. */
  'GET /_search/template': {
    path: NoPath
    query: { explain?: boolean | 'true' | 'false' | '', profile?: boolean | 'true' | 'false' | '', rest_total_hits_as_int?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, search_type?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SearchAnswer
  }
  /** Searches indices as a template with values says. */
  'POST /_search/template': {
    path: NoPath
    query: { explain?: boolean | 'true' | 'false' | '', profile?: boolean | 'true' | 'false' | '', rest_total_hits_as_int?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, search_type?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchTemplateBody
    answer: SearchAnswer
  }
  /** Says which shards a search would ask. */
  'GET /_search_shards': {
    path: NoPath
    query: { preference?: string | number | boolean, routing?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      indices: Record<string, any>
      nodes: Record<string, any>
      shards: Record<string, any>[][]
    }
  }
  /** Says which shards a search would ask. */
  'POST /_search_shards': {
    path: NoPath
    query: { preference?: string | number | boolean, routing?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      indices: Record<string, any>
      nodes: Record<string, any>
      shards: Record<string, any>[][]
    }
  }
  /** Says whose credentials these are. */
  'GET /_security/_authenticate': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Authenticated
  }
  /** Searches API keys. */
  'GET /_security/_query/api_key': {
    path: NoPath
    query: { with_limited_by?: boolean | 'true' | 'false' | '', with_profile_uid?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      api_keys: ApiKey[]
      count: number
      total: number
    }
  }
  /** Searches API keys. */
  'POST /_security/_query/api_key': {
    path: NoPath
    query: { with_limited_by?: boolean | 'true' | 'false' | '', with_profile_uid?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      from?: number
      query?: Query
      search_after?: any[]
      size?: number
      sort?: any
    }
    answer: {
      api_keys: ApiKey[]
      count: number
      total: number
    }
  }
  /** Shows API keys, without their secrets. */
  'GET /_security/api_key': {
    path: NoPath
    query: { id?: string | number | boolean, name?: string | number | boolean, owner?: boolean | 'true' | 'false' | '', realm_name?: string | number | boolean, username?: string | number | boolean, with_limited_by?: boolean | 'true' | 'false' | '', with_profile_uid?: boolean | 'true' | 'false' | '', active_only?: boolean | 'true' | 'false' | '', with_requests?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      api_keys: ApiKey[]
    }
  }
  /** Makes an API key, with an access key of the object storage where [objects] asks for one; secrets are shown in this answer only. */
  'PUT /_security/api_key': {
    path: NoPath
    query: { refresh?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewApiKey
    answer: CreatedApiKey
  }
  /** Makes an API key, with an access key of the object storage where [objects] asks for one; secrets are shown in this answer only. */
  'POST /_security/api_key': {
    path: NoPath
    query: { refresh?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewApiKey
    answer: CreatedApiKey
  }
  /** Invalidates API keys at once, and deletes their access keys. */
  'DELETE /_security/api_key': {
    path: NoPath
    query: { dry_run?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      id?: string
      ids?: Names
      name?: string
      owner?: boolean
      realm_name?: string
      username?: string
    }
    answer: {
      error_count: number
      error_details?: ErrorCause[]
      invalidated_api_keys: string[]
      previously_invalidated_api_keys: string[]
    } | KeyRemoval
  }
  /** Changes rights, metadata or expiration of an API key. */
  'PUT /_security/api_key/{id}': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      expiration?: Duration
      metadata?: Record<string, any>
      role_descriptors?: Record<string, RoleDescriptor>
    }
    answer: {
      updated: boolean
    }
  }
  /** Has an API key refused from now on, with its sessions and its access key, until it is enabled again; not for the key that asks. */
  'PUT /_security/api_key/{id}/_disable': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SwitchedKey
  }
  /** Has an API key taken again that was disabled. */
  'PUT /_security/api_key/{id}/_enable': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SwitchedKey
  }
  /** Draws a new secret, shown in this answer only; the old one holds for the overlap (24h). */
  'POST /_security/api_key/{id}/_rotate': {
    path: { id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      overlap?: Duration
    }
    answer: {
      api_key: string
      encoded: string
      id: string
      name: string
      previous_until?: number
    }
  }
  /** A token of a user, an installation or a workflow, for an application. */
  'POST /_security/application/token': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      account: string
      expires_in?: Duration | null
    }
    answer: {
      access_token: string
      account: string
      expires_in: number
      id: string
      kind: string
      token_type: string
    }
  }
  /** Ends a token before its time. */
  'DELETE /_security/application/token': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      access_token: string
    }
    answer: Acknowledged
  }
  /** For whom an application may have tokens: the caller's grants, or all. */
  'GET /_security/application/{application}/grant': {
    path: { application: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      grants: ApplicationGrant[]
    }
  }
  /** Lets an application have tokens that act for the caller. */
  'PUT /_security/application/{application}/grant': {
    path: { application: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      identity?: Record<string, any>
      role_descriptors?: Record<string, RoleDescriptor>
    }
    answer: ApplicationGrant
  }
  /** Ends a grant and all tokens that it has given. */
  'DELETE /_security/application/{application}/grant/{account}': {
    path: { application: string, account: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      acknowledged: boolean
      tokens_ended: number
    }
  }
  /** Shows the keys that objects can be encrypted with, without their bytes. */
  'GET /_security/encryption_key': {
    path: NoPath
    query: { account?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      encryption_keys: EncryptionKey[]
    }
  }
  /** Makes a key that objects can be encrypted with (SSE-KMS), for an account of the object storage; its bytes are never shown. */
  'POST /_security/encryption_key': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      account?: string
      aliases?: Names
      description?: string
    }
    answer: EncryptionKey
  }
  /** Disables or enables an encryption key, gives it aliases or takes them away. */
  'PUT /_security/encryption_key/{key_id}': {
    path: { key_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      add_aliases?: Names
      enabled?: boolean
      remove_aliases?: Names
    }
    answer: EncryptionKey
  }
  /** Shows the accounts of the object storage, with their users and policies. */
  'GET /_security/object_account': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      accounts: ObjectAccount[]
    }
  }
  /** Makes an account of the object storage. */
  'PUT /_security/object_account': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      email?: string
      id?: string
      name: string
    }
    answer: ObjectAccount
  }
  /** Makes an account of the object storage. */
  'POST /_security/object_account': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      email?: string
      id?: string
      name: string
    }
    answer: ObjectAccount
  }
  /** Makes a user or a service of an account, and sets policies of one. */
  'PUT /_security/object_account/{account}/user/{user}': {
    path: { account: string, user: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      kind?: 'user' | 'service'
      policies?: Record<string, any>
    }
    answer: ObjectUser
  }
  /** Deletes a user that has no access keys. */
  'DELETE /_security/object_account/{account}/user/{user}': {
    path: { account: string, user: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Deletes a policy of a user. */
  'DELETE /_security/object_account/{account}/user/{user}/policy/{policy}': {
    path: { account: string, user: string, policy: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Shows access keys of the object storage, without their secrets. */
  'GET /_security/object_key': {
    path: NoPath
    query: { account?: string | number | boolean, user?: string | number | boolean, with_requests?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      object_keys: AccessKey[]
    }
  }
  /** Makes an access key for the object storage, with its account and user where they are not there yet; its secret is shown in this answer only. */
  'PUT /_security/object_key': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      account?: string
      kind?: 'user' | 'service'
      policy?: Record<string, any> | string
      policy_name?: string
      user?: string
    }
    answer: AccessKey
  }
  /** Makes an access key for the object storage, with its account and user where they are not there yet; its secret is shown in this answer only. */
  'POST /_security/object_key': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      account?: string
      kind?: 'user' | 'service'
      policy?: Record<string, any> | string
      policy_name?: string
      user?: string
    }
    answer: AccessKey
  }
  /** Makes an access key idle, or active again. */
  'PUT /_security/object_key/{access_key_id}': {
    path: { access_key_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      active: boolean
    }
    answer: {
      updated: boolean
    }
  }
  /** Deletes an access key at once, and invalidates its API key. */
  'DELETE /_security/object_key/{access_key_id}': {
    path: { access_key_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Has signatures by an access key refused from now on, of presigned addresses too, and its API key, until it is enabled again. */
  'PUT /_security/object_key/{access_key_id}/_disable': {
    path: { access_key_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SwitchedKey
  }
  /** Has an access key taken again that was disabled. */
  'PUT /_security/object_key/{access_key_id}/_enable': {
    path: { access_key_id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SwitchedKey
  }
  /** Names all privileges that there are. */
  'GET /_security/privilege/_builtin': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      cluster: string[]
      index: string[]
    }
  }
  /** Says which of the named privileges this key has. */
  'GET /_security/user/_has_privileges': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      application?: any[]
      cluster?: Names
      index?: {
        allow_restricted_indices?: boolean
        names: Names
        privileges: Names
      }[]
    }
    answer: {
      application: Record<string, any>
      cluster: Record<string, boolean>
      has_all_requested: boolean
      index: Record<string, Record<string, boolean>>
      username: string
    }
  }
  /** Says which of the named privileges this key has. */
  'POST /_security/user/_has_privileges': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      application?: any[]
      cluster?: Names
      index?: {
        allow_restricted_indices?: boolean
        names: Names
        privileges: Names
      }[]
    }
    answer: {
      application: Record<string, any>
      cluster: Record<string, boolean>
      has_all_requested: boolean
      index: Record<string, Record<string, boolean>>
      username: string
    }
  }
  /** Lists the segments that searches read. */
  'GET /_segments': {
    path: NoPath
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      indices: Record<string, {
        shards: Record<string, Shard[]>
      }>
    }
  }
  /** Gives settings. */
  'GET /_settings': {
    path: NoPath
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      defaults?: IndexSettings
      settings: IndexSettings
    }>
  }
  /** Gives settings. */
  'GET /_settings/{name}': {
    path: { name: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      defaults?: IndexSettings
      settings: IndexSettings
    }>
  }
  /** Says which nodes have copies of shards, of those in a state. */
  'GET /_shard_stores': {
    path: NoPath
    query: { status?: string | readonly string[] | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      indices: Record<string, {
        shards: Record<string, any>
      }>
    }
  }
  /** Gives registered repositories. */
  'GET /_snapshot': {
    path: NoPath
    query: { master_timeout?: string | number | boolean, local?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, Repository>
  }
  /** Gives what snapshots wrote and refer to, and how far those are that are being made. */
  'GET /_snapshot/_status': {
    path: NoPath
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      snapshots: SnapshotStatus[]
    }
  }
  /** Gives registered repositories. */
  'GET /_snapshot/{repository}': {
    path: { repository: string }
    query: { master_timeout?: string | number | boolean, local?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, Repository>
  }
  /** Registers a repository. */
  'PUT /_snapshot/{repository}': {
    path: { repository: string }
    query: { verify?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      settings?: Record<string, any>
      type: string
    }
    answer: Acknowledged
  }
  /** Registers a repository. */
  'POST /_snapshot/{repository}': {
    path: { repository: string }
    query: { verify?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      settings?: Record<string, any>
      type: string
    }
    answer: Acknowledged
  }
  /** Unregisters repositories; what they hold stays. */
  'DELETE /_snapshot/{repository}': {
    path: { repository: string }
    query: { master_timeout?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged
  }
  /** Deletes what no snapshot of a repository needs. */
  'POST /_snapshot/{repository}/_cleanup': {
    path: { repository: string }
    query: { master_timeout?: string | number | boolean, timeout?: string | number | boolean, dry_run?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      acknowledged?: boolean
      results: {
        deleted_blobs: number
        deleted_bytes: number
      }
    } | SnapshotRemoval
  }
  /** Gives what snapshots wrote and refer to, and how far those are that are being made. */
  'GET /_snapshot/{repository}/_status': {
    path: { repository: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      snapshots: SnapshotStatus[]
    }
  }
  /** Writes, reads and deletes a blob in a repository. */
  'POST /_snapshot/{repository}/_verify': {
    path: { repository: string }
    query: { master_timeout?: string | number | boolean, timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      nodes: Record<string, {
        name: string
      }>
    }
  }
  /** Gives snapshots. */
  'GET /_snapshot/{repository}/{snapshot}': {
    path: { repository: string, snapshot: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', verbose?: boolean | 'true' | 'false' | '', index_names?: boolean | 'true' | 'false' | '', index_details?: boolean | 'true' | 'false' | '', include_repository?: boolean | 'true' | 'false' | '', sort?: string | number | boolean, order?: string | number | boolean, size?: number | string, offset?: number | string, state?: string | readonly string[] | boolean, slm_policy_filter?: string | readonly string[] | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      remaining: number
      snapshots: Snapshot[]
      total: number
    }
  }
  /** Makes a snapshot of indices. */
  'PUT /_snapshot/{repository}/{snapshot}': {
    path: { repository: string, snapshot: string }
    query: { wait_for_completion?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewSnapshot
    answer: {
      accepted?: boolean
      snapshot?: Snapshot
    }
  }
  /** Makes a snapshot of indices. */
  'POST /_snapshot/{repository}/{snapshot}': {
    path: { repository: string, snapshot: string }
    query: { wait_for_completion?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewSnapshot
    answer: {
      accepted?: boolean
      snapshot?: Snapshot
    }
  }
  /** Deletes snapshots and what only they needed. */
  'DELETE /_snapshot/{repository}/{snapshot}': {
    path: { repository: string, snapshot: string }
    query: { master_timeout?: string | number | boolean, wait_for_completion?: boolean | 'true' | 'false' | '', dry_run?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged | SnapshotRemoval
  }
  /** Makes indices from a snapshot. */
  'POST /_snapshot/{repository}/{snapshot}/_restore': {
    path: { repository: string, snapshot: string }
    query: { wait_for_completion?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: RestoreBody
    answer: {
      accepted?: boolean
      snapshot?: {
        indices: string[]
        shards: {
          failed: number
          successful: number
          total: number
        }
        snapshot: string
      }
    }
  }
  /** Gives what snapshots wrote and refer to, and how far those are that are being made. */
  'GET /_snapshot/{repository}/{snapshot}/_status': {
    path: { repository: string, snapshot: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      snapshots: SnapshotStatus[]
    }
  }
  /** Counts documents and bytes. */
  'GET /_stats': {
    path: NoPath
    query: { level?: string | number | boolean, include_unloaded_segments?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _all: {
        primaries: IndexFigures
        total: IndexFigures
      }
      _shards: Shards
      indices?: Record<string, {
        health: string
        primaries: IndexFigures
        status: string
        total: IndexFigures
        uuid: string
      }>
    }
  }
  /** Counts documents and bytes. */
  'GET /_stats/{metric}': {
    path: { metric: string }
    query: { level?: string | number | boolean, include_unloaded_segments?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _all: {
        primaries: IndexFigures
        total: IndexFigures
      }
      _shards: Shards
      indices?: Record<string, {
        health: string
        primaries: IndexFigures
        status: string
        total: IndexFigures
        uuid: string
      }>
    }
  }
  /** Lists tasks that run. */
  'GET /_tasks': {
    path: NoPath
    query: { detailed?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, actions?: string | readonly string[] | boolean, nodes?: string | readonly string[] | boolean, node_id?: string | readonly string[] | boolean, parent_task_id?: string | number | boolean, group_by?: string | number | boolean, wait_for_completion?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: TaskList
  }
  /** Ends tasks after their batch. */
  'POST /_tasks/_cancel': {
    path: NoPath
    query: { actions?: string | readonly string[] | boolean, nodes?: string | readonly string[] | boolean, node_id?: string | readonly string[] | boolean, parent_task_id?: string | number | boolean, group_by?: string | number | boolean, wait_for_completion?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: TaskList
  }
  /** Says how far a task is, or what it answered. */
  'GET /_tasks/{task_id}': {
    path: { task_id: string }
    query: { wait_for_completion?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      completed: boolean
      error?: ErrorCause
      response?: Record<string, any>
      task: Task
    }
  }
  /** Ends tasks after their batch. */
  'POST /_tasks/{task_id}/_cancel': {
    path: { task_id: string }
    query: { actions?: string | readonly string[] | boolean, nodes?: string | readonly string[] | boolean, node_id?: string | readonly string[] | boolean, parent_task_id?: string | number | boolean, group_by?: string | number | boolean, wait_for_completion?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: TaskList
  }
  /** Changes how fast a task goes. */
  'POST /_update_by_query/{task_id}/_rethrottle': {
    path: { task_id: string }
    query: { requests_per_second?: number | string, group_by?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: TaskList
  }
  /** Says whether indices can be asked a query, and what it looks for. */
  'GET /_validate/query': {
    path: NoPath
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, explain?: boolean | 'true' | 'false' | '', rewrite?: boolean | 'true' | 'false' | '', all_shards?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      explanations?: {
        error?: string
        explanation?: string
        index?: string
        valid: boolean
      }[]
      valid: boolean
    }
  }
  /** Says whether indices can be asked a query, and what it looks for. */
  'POST /_validate/query': {
    path: NoPath
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, explain?: boolean | 'true' | 'false' | '', rewrite?: boolean | 'true' | 'false' | '', all_shards?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      query?: Query
      [more: string]: any
    }
    answer: {
      _shards: Shards
      explanations?: {
        error?: string
        explanation?: string
        index?: string
        valid: boolean
      }[]
      valid: boolean
    }
  }
  /** Which features there are. */
  'GET /_xpack': {
    path: NoPath
    query: { categories?: string | readonly string[] | boolean, accept_enterprise?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      build: Record<string, any>
      features: Record<string, {
        available: boolean
        enabled: boolean
      }>
      license: Record<string, any>
      tagline: string
    }
  }
  /** The rules that refusals link to, as Markdown. */
  'GET /docs/reference/rate-limits': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: string
  }
  /** Answers a GraphQL request over what the other operations read and change. */
  'POST /graphql': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      extensions?: Record<string, any>
      operationName?: string | null
      query?: string
      variables?: Record<string, any> | Record<string, any>
    }
    answer: {
      data?: any
      errors?: Record<string, any>[]
      extensions?: Record<string, any>
    }
  }
  /** What is left of the caller's limits; costs nothing of them. */
  'GET /rate_limit': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      rate?: LimitWindow
      resources: Record<string, LimitWindow>
    }
  }
  /** A file of the search page; its name changes with what it holds. */
  'GET /search/assets/{file}': {
    path: { file: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** A page to search an index, for browsers. */
  'GET /search/{index}': {
    path: { index: string }
    query: { q?: string | number | boolean, embed?: number | string, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** How the search page of an index looks: its texts, fields and facets. */
  'GET /search/{index}/_page': {
    path: { index: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      index: string
      page: {
        facets: {
          field: string
          title: string
        }[]
        fields: string[]
        lead: string
        placeholder: string
        semantic_field: string
        size: number
        text_field: string
        title: string
        title_field: string
        url_field: string
      }
    }
  }
  /** Searches as the search page does: by words and facets alone. */
  'POST /search/{index}/_search': {
    path: { index: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      filters?: Record<string, string>
      from?: number
      words: string
    }
    answer: SearchAnswer
  }
  /** A chat in OpenAI's form, whole or as a stream. */
  'POST /v1/chat/completions': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      messages: ChatMessage[]
      model: string
      [more: string]: any
    }
    answer: {
      choices: Record<string, any>[]
      created: number
      id: string
      model: string
      object: string
      usage: Record<string, any>
      [more: string]: any
    }
  }
  /** A text that goes on, in OpenAI's form, whole or as a stream. */
  'POST /v1/completions': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      model: string
      prompt: string | string[]
      [more: string]: any
    }
    answer: {
      choices: Record<string, any>[]
      created: number
      id: string
      model: string
      object: string
      usage: Record<string, any>
      [more: string]: any
    }
  }
  /** Dense vectors of texts in OpenAI's form. */
  'POST /v1/embeddings': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      dimensions?: number
      encoding_format?: 'float' | 'base64'
      input: string | string[]
      model: string
      user?: any
    }
    answer: {
      data: {
        embedding: number[] | string
        index: number
        object: string
      }[]
      model: string
      object: string
      usage?: {
        prompt_tokens: number
        total_tokens: number
      }
    }
  }
  /** The inference endpoints, as models in OpenAI's form. */
  'GET /v1/models': {
    path: NoPath
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      data: OpenAiModel[]
      object: string
    }
  }
  /** One inference endpoint, as a model in OpenAI's form. */
  'GET /v1/models/{model}': {
    path: { model: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: OpenAiModel
  }
  /** Gives the settings and mappings of indices. */
  'GET /{index}': {
    path: { index: string }
    query: { features?: string | readonly string[] | boolean, flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, Index>
  }
  /** Makes an index. */
  'PUT /{index}': {
    path: { index: string }
    query: { wait_for_active_shards?: string | number | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: NewIndex
    answer: {
      acknowledged: boolean
      index: string
      shards_acknowledged: boolean
    }
  }
  /** Deletes indices. */
  'DELETE /{index}': {
    path: { index: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Acknowledged | IndexRemoval
  }
  /** Lists the aliases of indices. */
  'GET /{index}/_alias': {
    path: { index: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      aliases: Record<string, AliasProperties>
    }>
  }
  /** Adds an alias that the body names. */
  'PUT /{index}/_alias': {
    path: { index: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Lists aliases by name. */
  'GET /{index}/_alias/{name}': {
    path: { index: string, name: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      aliases: Record<string, AliasProperties>
    }>
  }
  /** Says whether there is such an alias. */
  'HEAD /{index}/_alias/{name}': {
    path: { index: string, name: string }
    query: { local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Adds an alias. */
  'PUT /{index}/_alias/{name}': {
    path: { index: string, name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Adds an alias. */
  'POST /{index}/_alias/{name}': {
    path: { index: string, name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Removes aliases of indices. */
  'DELETE /{index}/_alias/{name}': {
    path: { index: string, name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: AliasesChanged
  }
  /** Adds an alias that the body names. */
  'PUT /{index}/_aliases': {
    path: { index: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Adds an alias. */
  'PUT /{index}/_aliases/{name}': {
    path: { index: string, name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Adds an alias. */
  'POST /{index}/_aliases/{name}': {
    path: { index: string, name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      alias?: string
      filter?: Query
      index?: string
      index_routing?: string | number
      is_hidden?: boolean
      is_write_index?: boolean
      routing?: string | number
      search_routing?: string | number
    }
    answer: AliasesChanged
  }
  /** Removes aliases of indices. */
  'DELETE /{index}/_aliases/{name}': {
    path: { index: string, name: string }
    query: { timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: AliasesChanged
  }
  /** Shows the tokens of a text. */
  'GET /{index}/_analyze': {
    path: { index: string }
    query: { index?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      analyzer?: string
      char_filter?: any
      explain?: boolean
      field?: string
      filter?: any
      normalizer?: string
      text: string | string[]
      tokenizer?: any
    }
    answer: {
      tokens: {
        end_offset: number
        position: number
        positionLength?: number
        start_offset: number
        token: string
        type: string
      }[]
    }
  }
  /** Shows the tokens of a text. */
  'POST /{index}/_analyze': {
    path: { index: string }
    query: { index?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      analyzer?: string
      char_filter?: any
      explain?: boolean
      field?: string
      filter?: any
      normalizer?: string
      text: string | string[]
      tokenizer?: any
    }
    answer: {
      tokens: {
        end_offset: number
        position: number
        positionLength?: number
        start_offset: number
        token: string
        type: string
      }[]
    }
  }
  /** Begins a search that goes on while its client does something else. */
  'POST /{index}/_async_search': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, from?: number | string, size?: number | string, sort?: string | readonly string[] | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', include_named_queries_score?: boolean | 'true' | 'false' | '', docvalue_fields?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, suggest_field?: string | number | boolean, suggest_text?: string | number | boolean, suggest_mode?: string | number | boolean, suggest_size?: number | string, track_total_hits?: string | number | boolean, track_scores?: boolean | 'true' | 'false' | '', version?: boolean | 'true' | 'false' | '', seq_no_primary_term?: boolean | 'true' | 'false' | '', explain?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', batched_reduce_size?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', allow_partial_search_results?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', wait_for_completion_timeout?: string | number | boolean, keep_on_completion?: boolean | 'true' | 'false' | '', keep_alive?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchBody
    answer: AsyncSearchAnswer
  }
  /** Keeps an index from being changed. */
  'PUT /{index}/_block/{block}': {
    path: { index: string, block: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BlockedIndices
  }
  /** Lets an index be changed again. */
  'DELETE /{index}/_block/{block}': {
    path: { index: string, block: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: BlockedIndices
  }
  /** Writes, updates and deletes documents, in order. */
  'PUT /{index}/_bulk': {
    path: { index: string }
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, list_executed_pipelines?: boolean | 'true' | 'false' | '', refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: BulkAnswer
  }
  /** Writes, updates and deletes documents, in order. */
  'POST /{index}/_bulk': {
    path: { index: string }
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, list_executed_pipelines?: boolean | 'true' | 'false' | '', refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: BulkAnswer
  }
  /** Forgets which documents filters select. */
  'POST /{index}/_cache/clear': {
    path: { index: string }
    query: { query?: boolean | 'true' | 'false' | '', index?: string | readonly string[] | boolean, fielddata?: boolean | 'true' | 'false' | '', fields?: string | readonly string[] | boolean, request?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Refused: an index has one shard here. */
  'PUT /{index}/_clone/{target}': {
    path: { index: string, target: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Refused: an index has one shard here. */
  'POST /{index}/_clone/{target}': {
    path: { index: string, target: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Closes indices: their documents leave the memory, and any setting may change. */
  'POST /{index}/_close': {
    path: { index: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      acknowledged: boolean
      indices: Record<string, {
        closed: boolean
      }>
      shards_acknowledged: boolean
    }
  }
  /** Counts what a query matches. */
  'GET /{index}/_count': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      count: number
      terminated_early?: boolean
    }
  }
  /** Counts what a query matches. */
  'POST /{index}/_count': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      min_score?: number
      query?: Query
      terminate_after?: number
    }
    answer: {
      _shards: Shards
      count: number
      terminated_early?: boolean
    }
  }
  /** Writes a document that is not there yet. */
  'PUT /{index}/_create/{id}': {
    path: { index: string, id: string }
    query: { refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: WriteResult
  }
  /** Writes a document that is not there yet. */
  'POST /{index}/_create/{id}': {
    path: { index: string, id: string }
    query: { refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: WriteResult
  }
  /** Deletes the documents of a query. */
  'POST /{index}/_delete_by_query': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, conflicts?: string | number | boolean, scroll_size?: number | string, sort?: string | readonly string[] | boolean, terminate_after?: number | string, search_timeout?: string | number | boolean, version?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', wait_for_completion?: boolean | 'true' | 'false' | '', requests_per_second?: number | string, slices?: string | number | boolean, max_docs?: number | string, refresh?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, timeout?: string | number | boolean, wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: ByQueryBody
    answer: ByQueryAnswer | TaskStarted
  }
  /** Writes a document and makes an id for it. */
  'POST /{index}/_doc': {
    path: { index: string }
    query: { op_type?: string | number | boolean, refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: WriteResult
  }
  /** Gives a document. */
  'GET /{index}/_doc/{id}': {
    path: { index: string, id: string }
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', realtime?: boolean | 'true' | 'false' | '', refresh?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, stored_fields?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Document
  }
  /** Writes a document. */
  'PUT /{index}/_doc/{id}': {
    path: { index: string, id: string }
    query: { op_type?: string | number | boolean, refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: WriteResult
  }
  /** Writes a document. */
  'POST /{index}/_doc/{id}': {
    path: { index: string, id: string }
    query: { op_type?: string | number | boolean, refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Record<string, any>
    answer: WriteResult
  }
  /** Deletes a document. */
  'DELETE /{index}/_doc/{id}': {
    path: { index: string, id: string }
    query: { refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: WriteResult
  }
  /** Says how a document's score comes about. */
  'GET /{index}/_explain/{id}': {
    path: { index: string, id: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _id: string
      _index: string
      explanation?: Explanation
      get?: Record<string, any>
      matched: boolean
    }
  }
  /** Says how a document's score comes about. */
  'POST /{index}/_explain/{id}': {
    path: { index: string, id: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      query: Query
    }
    answer: {
      _id: string
      _index: string
      explanation?: Explanation
      get?: Record<string, any>
      matched: boolean
    }
  }
  /** Says what fields can do, over all indices that are named. */
  'GET /{index}/_field_caps': {
    path: { index: string }
    query: { fields?: string | readonly string[] | boolean, types?: string | readonly string[] | boolean, filters?: string | readonly string[] | boolean, include_unmapped?: boolean | 'true' | 'false' | '', include_empty_fields?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      fields: Record<string, Record<string, FieldCapability>>
      indices: string[]
    }
  }
  /** Says what fields can do, over all indices that are named. */
  'POST /{index}/_field_caps': {
    path: { index: string }
    query: { fields?: string | readonly string[] | boolean, types?: string | readonly string[] | boolean, filters?: string | readonly string[] | boolean, include_unmapped?: boolean | 'true' | 'false' | '', include_empty_fields?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      fields?: Names
      index_filter?: any
      runtime_mappings?: Record<string, any>
    }
    answer: {
      fields: Record<string, Record<string, FieldCapability>>
      indices: string[]
    }
  }
  /** Writes what is in the log to segments. */
  'GET /{index}/_flush': {
    path: { index: string }
    query: { force?: boolean | 'true' | 'false' | '', wait_if_ongoing?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Writes what is in the log to segments. */
  'POST /{index}/_flush': {
    path: { index: string }
    query: { force?: boolean | 'true' | 'false' | '', wait_if_ongoing?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Merges segments and drops deleted documents. */
  'POST /{index}/_forcemerge': {
    path: { index: string }
    query: { max_num_segments?: number | string, only_expunge_deletes?: boolean | 'true' | 'false' | '', flush?: boolean | 'true' | 'false' | '', wait_for_completion?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    } | TaskStarted
  }
  /** Gives mappings. */
  'GET /{index}/_mapping': {
    path: { index: string }
    query: { local?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      mappings: Mapping
    }>
  }
  /** Adds fields to the mapping. */
  'PUT /{index}/_mapping': {
    path: { index: string }
    query: { write_index_only?: boolean | 'true' | 'false' | '', dry_run?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Mapping
    answer: Acknowledged | MappingChange
  }
  /** Adds fields to the mapping. */
  'POST /{index}/_mapping': {
    path: { index: string }
    query: { write_index_only?: boolean | 'true' | 'false' | '', dry_run?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: Mapping
    answer: Acknowledged | MappingChange
  }
  /** Gives the mappings of single fields. */
  'GET /{index}/_mapping/field/{fields}': {
    path: { index: string, fields: string }
    query: { include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      mappings: Record<string, {
        full_name: string
        mapping: Record<string, FieldMapping>
      }>
    }>
  }
  /** Gives several documents. */
  'GET /{index}/_mget': {
    path: { index: string }
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', realtime?: boolean | 'true' | 'false' | '', refresh?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, stored_fields?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      docs: (Document | DocumentFailure)[]
    }
  }
  /** Gives several documents. */
  'POST /{index}/_mget': {
    path: { index: string }
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', realtime?: boolean | 'true' | 'false' | '', refresh?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, stored_fields?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: MultiGetBody
    answer: {
      docs: (Document | DocumentFailure)[]
    }
  }
  /** Does several searches. */
  'GET /{index}/_msearch': {
    path: { index: string }
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, index?: string | readonly string[] | boolean, include_named_queries_score?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** Does several searches. */
  'POST /{index}/_msearch': {
    path: { index: string }
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, index?: string | readonly string[] | boolean, include_named_queries_score?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** Does several searches that are made from templates. */
  'GET /{index}/_msearch/template': {
    path: { index: string }
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** Does several searches that are made from templates. */
  'POST /{index}/_msearch/template': {
    path: { index: string }
    query: { rest_total_hits_as_int?: boolean | 'true' | 'false' | '', max_concurrent_searches?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, search_type?: string | number | boolean, routing?: string | number | boolean, ignore_throttled?: boolean | 'true' | 'false' | '', ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', typed_keys?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: {
      responses: MultiSearchItem[]
      took: number
    }
  }
  /** Opens indices that were closed. */
  'POST /{index}/_open': {
    path: { index: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      acknowledged: boolean
      shards_acknowledged: boolean
    }
  }
  /** Keeps the documents of indices as they are, to be searched again and again. */
  'POST /{index}/_pit': {
    path: { index: string }
    query: { keep_alive?: string | number | boolean, allow_partial_search_results?: boolean | 'true' | 'false' | '', max_concurrent_shard_requests?: number | string, preference?: string | number | boolean, routing?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      id: string
    }
  }
  /** Says how good searches are, by rated documents. */
  'GET /{index}/_rank_eval': {
    path: { index: string }
    query: { search_type?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      details: Record<string, any>
      failures: Record<string, any>
      metric_score: number
    }
  }
  /** Says how good searches are, by rated documents. */
  'POST /{index}/_rank_eval': {
    path: { index: string }
    query: { search_type?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      max_concurrent_searches?: number
      metric: Record<string, any>
      requests: Record<string, any>[]
      templates?: Record<string, any>[]
    }
    answer: {
      details: Record<string, any>
      failures: Record<string, any>
      metric_score: number
    }
  }
  /** Says how indices came to be in this process: made, read from the store, restored. */
  'GET /{index}/_recovery': {
    path: { index: string }
    query: { active_only?: boolean | 'true' | 'false' | '', detailed?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      shards: Recovery[]
    }>
  }
  /** Makes everything written so far visible to searches. */
  'GET /{index}/_refresh': {
    path: { index: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Makes everything written so far visible to searches. */
  'POST /{index}/_refresh': {
    path: { index: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
    }
  }
  /** Reads words of analyzers again that change: there are none. */
  'GET /{index}/_reload_search_analyzers': {
    path: { index: string }
    query: { resource?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      reload_details: Record<string, any>[]
    }
  }
  /** Reads words of analyzers again that change: there are none. */
  'POST /{index}/_reload_search_analyzers': {
    path: { index: string }
    query: { resource?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      reload_details: Record<string, any>[]
    }
  }
  /** Begins a new index behind an alias or data stream. */
  'POST /{index}/_rollover': {
    path: { index: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', lazy?: boolean | 'true' | 'false' | '', wait_for_active_shards?: string | number | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      aliases?: Record<string, AliasProperties>
      conditions?: Record<string, any>
      mappings?: Mapping
      settings?: IndexSettings
    }
    answer: {
      acknowledged: boolean
      conditions: Record<string, boolean>
      dry_run: boolean
      lazy?: boolean
      new_index: string
      old_index: string
      rolled_over: boolean
      shards_acknowledged: boolean
    }
  }
  /** Begins a new index behind an alias or data stream. */
  'POST /{index}/_rollover/{new_index}': {
    path: { index: string, new_index: string }
    query: { dry_run?: boolean | 'true' | 'false' | '', lazy?: boolean | 'true' | 'false' | '', wait_for_active_shards?: string | number | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      aliases?: Record<string, AliasProperties>
      conditions?: Record<string, any>
      mappings?: Mapping
      settings?: IndexSettings
    }
    answer: {
      acknowledged: boolean
      conditions: Record<string, boolean>
      dry_run: boolean
      lazy?: boolean
      new_index: string
      old_index: string
      rolled_over: boolean
      shards_acknowledged: boolean
    }
  }
  /** Searches indices. */
  'GET /{index}/_search': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, from?: number | string, size?: number | string, sort?: string | readonly string[] | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', include_named_queries_score?: boolean | 'true' | 'false' | '', docvalue_fields?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, suggest_field?: string | number | boolean, suggest_text?: string | number | boolean, suggest_mode?: string | number | boolean, suggest_size?: number | string, track_total_hits?: string | number | boolean, track_scores?: boolean | 'true' | 'false' | '', version?: boolean | 'true' | 'false' | '', seq_no_primary_term?: boolean | 'true' | 'false' | '', explain?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', batched_reduce_size?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', allow_partial_search_results?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SearchAnswer
  }
  /** Searches indices. */
  'POST /{index}/_search': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, min_score?: number | string, terminate_after?: number | string, ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, from?: number | string, size?: number | string, sort?: string | readonly string[] | boolean, _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', include_named_queries_score?: boolean | 'true' | 'false' | '', docvalue_fields?: string | readonly string[] | boolean, stored_fields?: string | readonly string[] | boolean, suggest_field?: string | number | boolean, suggest_text?: string | number | boolean, suggest_mode?: string | number | boolean, suggest_size?: number | string, track_total_hits?: string | number | boolean, track_scores?: boolean | 'true' | 'false' | '', version?: boolean | 'true' | 'false' | '', seq_no_primary_term?: boolean | 'true' | 'false' | '', explain?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, rest_total_hits_as_int?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', batched_reduce_size?: number | string, max_concurrent_shard_requests?: number | string, pre_filter_shard_size?: number | string, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', allow_partial_search_results?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchBody
    answer: SearchAnswer
  }
  /** Searches indices as a template with values says. */
  'GET /{index}/_search/template': {
    path: { index: string }
    query: { explain?: boolean | 'true' | 'false' | '', profile?: boolean | 'true' | 'false' | '', rest_total_hits_as_int?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, search_type?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: SearchAnswer
  }
  /** Searches indices as a template with values says. */
  'POST /{index}/_search/template': {
    path: { index: string }
    query: { explain?: boolean | 'true' | 'false' | '', profile?: boolean | 'true' | 'false' | '', rest_total_hits_as_int?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, search_type?: string | number | boolean, typed_keys?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, ccs_minimize_roundtrips?: boolean | 'true' | 'false' | '', ignore_throttled?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: SearchTemplateBody
    answer: SearchAnswer
  }
  /** Says which shards a search would ask. */
  'GET /{index}/_search_shards': {
    path: { index: string }
    query: { preference?: string | number | boolean, routing?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      indices: Record<string, any>
      nodes: Record<string, any>
      shards: Record<string, any>[][]
    }
  }
  /** Says which shards a search would ask. */
  'POST /{index}/_search_shards': {
    path: { index: string }
    query: { preference?: string | number | boolean, routing?: string | number | boolean, local?: boolean | 'true' | 'false' | '', master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      indices: Record<string, any>
      nodes: Record<string, any>
      shards: Record<string, any>[][]
    }
  }
  /** Lists the segments that searches read. */
  'GET /{index}/_segments': {
    path: { index: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      indices: Record<string, {
        shards: Record<string, Shard[]>
      }>
    }
  }
  /** Gives settings. */
  'GET /{index}/_settings': {
    path: { index: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      defaults?: IndexSettings
      settings: IndexSettings
    }>
  }
  /** Changes settings that may change. */
  'PUT /{index}/_settings': {
    path: { index: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', preserve_existing?: boolean | 'true' | 'false' | '', reopen?: boolean | 'true' | 'false' | '', dry_run?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: IndexSettings
    answer: Acknowledged | SettingsChange
  }
  /** Gives settings. */
  'GET /{index}/_settings/{name}': {
    path: { index: string, name: string }
    query: { flat_settings?: boolean | 'true' | 'false' | '', include_defaults?: boolean | 'true' | 'false' | '', local?: boolean | 'true' | 'false' | '', timeout?: string | number | boolean, master_timeout?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, {
      defaults?: IndexSettings
      settings: IndexSettings
    }>
  }
  /** Says which nodes have copies of shards, of those in a state. */
  'GET /{index}/_shard_stores': {
    path: { index: string }
    query: { status?: string | readonly string[] | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      indices: Record<string, {
        shards: Record<string, any>
      }>
    }
  }
  /** Refused: an index has one shard here. */
  'PUT /{index}/_shrink/{target}': {
    path: { index: string, target: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Refused: an index has one shard here. */
  'POST /{index}/_shrink/{target}': {
    path: { index: string, target: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Gives the source alone. */
  'GET /{index}/_source/{id}': {
    path: { index: string, id: string }
    query: { _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, _source_exclude_vectors?: boolean | 'true' | 'false' | '', realtime?: boolean | 'true' | 'false' | '', refresh?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: Record<string, any>
  }
  /** Refused: an index has one shard here. */
  'PUT /{index}/_split/{target}': {
    path: { index: string, target: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Refused: an index has one shard here. */
  'POST /{index}/_split/{target}': {
    path: { index: string, target: string }
    query: { wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, timeout?: string | number | boolean, master_timeout?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Counts documents and bytes. */
  'GET /{index}/_stats': {
    path: { index: string }
    query: { level?: string | number | boolean, include_unloaded_segments?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _all: {
        primaries: IndexFigures
        total: IndexFigures
      }
      _shards: Shards
      indices?: Record<string, {
        health: string
        primaries: IndexFigures
        status: string
        total: IndexFigures
        uuid: string
      }>
    }
  }
  /** Counts documents and bytes. */
  'GET /{index}/_stats/{metric}': {
    path: { index: string, metric: string }
    query: { level?: string | number | boolean, include_unloaded_segments?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _all: {
        primaries: IndexFigures
        total: IndexFigures
      }
      _shards: Shards
      indices?: Record<string, {
        health: string
        primaries: IndexFigures
        status: string
        total: IndexFigures
        uuid: string
      }>
    }
  }
  /** Lists terms of a keyword field that begin with some letters. */
  'GET /{index}/_terms_enum': {
    path: { index: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      case_insensitive?: boolean
      field: string
      index_filter?: any
      search_after?: string
      size?: number
      string?: string
      timeout?: Duration
    }
    answer: {
      _shards: Shards
      complete: boolean
      terms: string[]
    }
  }
  /** Lists terms of a keyword field that begin with some letters. */
  'POST /{index}/_terms_enum': {
    path: { index: string }
    query: { ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      case_insensitive?: boolean
      field: string
      index_filter?: any
      search_after?: string
      size?: number
      string?: string
      timeout?: Duration
    }
    answer: {
      _shards: Shards
      complete: boolean
      terms: string[]
    }
  }
  /** Changes some fields of a document. */
  'POST /{index}/_update/{id}': {
    path: { index: string, id: string }
    query: { retry_on_conflict?: number | string, doc_as_upsert?: boolean | 'true' | 'false' | '', _source?: string | readonly string[] | boolean, _source_includes?: string | readonly string[] | boolean, _source_excludes?: string | readonly string[] | boolean, refresh?: string | number | boolean, timeout?: string | number | boolean, require_alias?: boolean | 'true' | 'false' | '', require_data_stream?: boolean | 'true' | 'false' | '', if_seq_no?: number | string, if_primary_term?: number | string, pipeline?: string | number | boolean, include_source_on_error?: boolean | 'true' | 'false' | '', routing?: string | number | boolean, wait_for_active_shards?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: UpdateBody
    answer: WriteResult
  }
  /** Indexes the documents of a query again. */
  'POST /{index}/_update_by_query': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, conflicts?: string | number | boolean, scroll_size?: number | string, sort?: string | readonly string[] | boolean, terminate_after?: number | string, search_timeout?: string | number | boolean, version?: boolean | 'true' | 'false' | '', search_type?: string | number | boolean, request_cache?: boolean | 'true' | 'false' | '', wait_for_completion?: boolean | 'true' | 'false' | '', requests_per_second?: number | string, slices?: string | number | boolean, max_docs?: number | string, refresh?: boolean | 'true' | 'false' | '', scroll?: string | number | boolean, timeout?: string | number | boolean, wait_for_active_shards?: string | number | boolean, ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pipeline?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: ByQueryBody
    answer: ByQueryAnswer | TaskStarted
  }
  /** Says whether indices can be asked a query, and what it looks for. */
  'GET /{index}/_validate/query': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, explain?: boolean | 'true' | 'false' | '', rewrite?: boolean | 'true' | 'false' | '', all_shards?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: {
      _shards: Shards
      explanations?: {
        error?: string
        explanation?: string
        index?: string
        valid: boolean
      }[]
      valid: boolean
    }
  }
  /** Says whether indices can be asked a query, and what it looks for. */
  'POST /{index}/_validate/query': {
    path: { index: string }
    query: { q?: string | number | boolean, df?: string | number | boolean, default_operator?: string | number | boolean, analyzer?: string | number | boolean, analyze_wildcard?: boolean | 'true' | 'false' | '', lenient?: boolean | 'true' | 'false' | '', preference?: string | number | boolean, routing?: string | number | boolean, explain?: boolean | 'true' | 'false' | '', rewrite?: boolean | 'true' | 'false' | '', all_shards?: boolean | 'true' | 'false' | '', ignore_unavailable?: boolean | 'true' | 'false' | '', allow_no_indices?: boolean | 'true' | 'false' | '', expand_wildcards?: string | readonly string[] | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: {
      query?: Query
      [more: string]: any
    }
    answer: {
      _shards: Shards
      explanations?: {
        error?: string
        explanation?: string
        index?: string
        valid: boolean
      }[]
      valid: boolean
    }
  }
  /** The locks of files, page by page, or the one of a path or an id. */
  'GET /{owner}/{repo}/info/lfs/locks': {
    path: { owner: string, repo: string }
    query: { path?: string | number | boolean, id?: string | number | boolean, cursor?: string | number | boolean, limit?: string | number | boolean, refspec?: string | number | boolean, pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Locks a file for the caller. */
  'POST /{owner}/{repo}/info/lfs/locks': {
    path: { owner: string, repo: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** The locks of the caller, and those of others: asked before a push. */
  'POST /{owner}/{repo}/info/lfs/locks/verify': {
    path: { owner: string, repo: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** Gives a lock back. */
  'POST /{owner}/{repo}/info/lfs/locks/{id}/unlock': {
    path: { owner: string, repo: string, id: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: undefined
    answer: any
  }
  /** URLs by which objects of a repository are sent or fetched (git-lfs). */
  'POST /{owner}/{repo}/info/lfs/objects/batch': {
    path: { owner: string, repo: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: string
  }
  /** Whether an object has arrived, with the size that its sender says. */
  'POST /{owner}/{repo}/info/lfs/verify': {
    path: { owner: string, repo: string }
    query: { pretty?: boolean | 'true' | 'false' | '', human?: boolean | 'true' | 'false' | '', filter_path?: string | number | boolean, error_trace?: boolean | 'true' | 'false' | '', format?: 'json' | 'yaml' }
    body: string
    answer: string
  }
}
