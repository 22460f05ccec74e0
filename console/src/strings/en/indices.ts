import { count } from '@/text/numbers'

const documents = (n: number): string => `${count(n)} ${n === 1 ? 'document' : 'documents'}`

export const text = {
  title: 'Indices',
  lead: 'What can be searched, how much it is, and what it is made of.',
  create: 'Create index',
  hidden: 'Hidden ones too',
  caption: 'Indices',
  empty: 'There is no index yet',
  emptyText: 'This brings a folder into an index that is searched by words and by meaning, and follows its changes.',
  command: 'cairn add FOLDER --yes',
  columns: { name: 'Index', health: 'Health', documents: 'Documents', bytes: 'Bytes', fields: 'Fields', meaning: 'Meaning', shards: 'Shards', aliases: 'Aliases' },
  health: { green: 'well', yellow: 'to be looked at', red: 'to be acted on', closed: 'closed' },
  plots: { title: 'Writing and merging', lead: 'Of all indices together.', documents: 'Documents per second', written: 'written', deleted: 'deleted', merges: 'Merges under way', running: 'merges' },
  actions: {
    search: 'Search it', refresh: 'Refresh', flush: 'Flush', merge: 'Merge segments…', close: 'Close…', open: 'Open', alias: 'Add alias…', copy: 'Copy into another index…', semantic: 'Add a field with meaning…', delete: 'Delete…'
  },
  done: {
    refreshed: (name: string) => `${name} is refreshed: what was written is found now.`,
    flushed: (name: string) => `${name} is flushed: what was written stands in segments.`,
    opened: (name: string) => `${name} is open.`,
    closed: (name: string) => `${name} is closed.`,
    deleted: (name: string) => `${name} is deleted.`,
    created: (name: string) => `${name} is made.`,
    aliasAdded: (alias: string, index: string) => `${alias} leads to ${index}.`,
    aliasRemoved: (alias: string, index: string) => `${alias} leads to ${index} no more.`,
    settings: (name: string) => `The settings of ${name} are changed.`,
    mapping: (name: string) => `The mapping of ${name} is changed.`
  },
  remove: { title: (name: string) => `Delete ${name}`, text: (n: number | null) => n === null ? 'The index goes with all its documents. Only a snapshot brings it back.' : `The index goes with its ${documents(n)}. Only a snapshot brings it back.`, verb: 'Delete index' },
  closing: { title: (name: string) => `Close ${name}`, text: 'A closed index keeps its documents and takes no memory; it is neither searched nor written until it is opened.', verb: 'Close index' },
  merging: { title: (name: string) => `Merge the segments of ${name}`, text: 'Searches read fewer segments after it, and deleted documents leave the disk. It reads and writes the whole index, and goes on in the background.', segments: 'Segments to end with', verb: 'Merge' },
  making: {
    title: 'Create an index', name: 'Name', nameHint: 'Lowercase letters, digits, - _ and . within.', mapping: 'Mapping, JSON', mappingHint: 'What fields there are. Fields that it leaves out are mapped as the first documents have them.', settings: 'Settings, JSON',
    field: 'Field', type: 'Type', add: 'Put the field in', check: 'Check the mapping', checkHint: 'The server reads mapping and settings as for a new index, and makes nothing.',
    fine: (n: number) => `The server takes it: ${count(n)} ${n === 1 ? 'field' : 'fields'}.`, verb: 'Create', notJson: (what: string) => `This is no JSON: ${what}`
  },
  aliasing: { title: (name: string) => `Add an alias to ${name}`, name: 'Alias', nameHint: 'Another name for the index, or for several together.', write: 'Writes to the alias go into this index', filter: 'Only documents of this query, JSON', verb: 'Add alias' },
  unalias: { title: (alias: string) => `Remove the alias ${alias}`, text: (alias: string, index: string) => `Requests that name ${alias} do not reach ${index} any more. The documents stay.`, verb: 'Remove alias' },
  copying: {
    title: (name: string) => `Copy ${name} into another index`, to: 'Into the index', toHint: 'It is made where there is none, then with fields as the documents have them. Make it first to give it a mapping.', query: 'Only documents of this query, JSON', exists: 'Documents whose id is there already',
    over: 'are overwritten', keep: 'stay as they are', rate: 'At most', rateUnit: 'documents a second', verb: 'Copy'
  },
  meaning: {
    title: (name: string) => `Add a field with meaning to ${name}`, text: 'A field of the type semantic_text embeds what is copied to it, so that the index is searched by meaning. Each document that is there is written again, in the background.',
    name: 'Name of the field', endpoint: 'Embeds with', from: 'Copy these text fields to it', noText: 'The mapping has no text field. Write documents first, or add a field to the mapping.', backfill: 'Embed the documents that are there', verb: 'Add field', none: 'There is no endpoint that embeds.', started: (name: string) => `${name} is in the mapping.`
  },
  work: {
    title: 'Running in the background', reindex: (what: string) => what, cancel: 'Cancel', cancelled: 'The work ends after its batch. What it has done stays done.',
    actions: { 'indices:data/write/reindex': 'Copy', 'indices:data/write/update/byquery': 'Write again', 'indices:data/write/delete/byquery': 'Delete by query', 'indices:admin/forcemerge': 'Merge' },
    ended: (what: string) => `Done: ${what}`, endedCancelled: (what: string) => `Cancelled: ${what}`, failed: (what: string) => `Ended with an error: ${what}`,
    result: (of: { total?: number, created?: number, updated?: number, deleted?: number, version_conflicts?: number, took?: number }, took: string) => [`${documents(of.total ?? 0)} looked at`, of.created ? `${count(of.created)} created` : '', of.updated ? `${count(of.updated)} written again` : '', of.deleted ? `${count(of.deleted)} deleted` : '', of.version_conflicts ? `${count(of.version_conflicts)} changed meanwhile and left alone` : '', took].filter(Boolean).join(', '),
    failures: (n: number) => `${count(n)} could not be written:`
  },
  one: {
    more: 'Actions',
    tabs: { overview: 'Overview', documents: 'Documents', mapping: 'Mapping', settings: 'Settings', segments: 'Segments' },
    documents: 'Documents', bytes: 'Bytes', memory: 'Memory', segments: 'Segments', fields: 'Fields', deleted: 'Deleted, not merged',
    closed: 'The index is closed. Open it to see and change its documents.', facts: 'Facts', uuid: 'Id', made: 'Made', shards: 'Shards', refresh: 'Refreshes', refreshed: (every: string) => every === '-1' ? 'only when asked' : `at most ${every} after a write`, public: 'Public search page', status: 'State', open: 'open', stream: 'Of the data stream', meta: 'Notes of the mapping',
    aliases: 'Aliases', alias: 'Alias', filter: 'Only documents of', write: 'Writes go here', noAlias: 'No alias leads here.', meaning: 'Fields with meaning', noMeaning: 'Searched by words alone.', addMeaning: 'Add a field with meaning'
  },
  mapping: { tree: 'Tree', json: 'JSON', field: 'Field', type: 'Type', more: 'Properties', search: 'Filter fields', none: 'The index has no field yet: the first documents bring them.', change: 'Change', title: (name: string) => `Change the mapping of ${name}`, hint: 'Fields and parameters that are named here are added or changed; what is left out stays. A field keeps its type.', body: 'Change, JSON', verb: 'Change mapping', caption: 'Fields' },
  settings: { caption: 'Settings', name: 'Setting', value: 'Value', from: 'From', own: 'this index', default: 'default', change: 'Change', takeBack: 'Back to the default', title: (name: string) => `Change ${name}`, titleNew: 'Change a setting', lead: 'Some settings change only while the index is closed, some never; the server says which.', verb: 'Change setting', back: (name: string) => `Take ${name} back to its default`, valueHint: 'As JSON has it, or a bare word.' },
  segments: { caption: 'Segments', name: 'Segment', documents: 'Documents', deleted: 'Deleted', bytes: 'Bytes', memory: 'Memory', stored: 'In the store', searched: 'Searched', none: 'The index has no segment yet.', live: 'live' },
  documents: {
    caption: 'Documents', id: 'Id', source: 'Document', find: 'Words, or field:value', findHint: 'Empty: as they were written.', findButton: 'Find', open: 'Open an id', openButton: 'Open', add: 'New document', none: 'The index has no documents',
    noneText: 'This writes one. Connectors and cairn add bring whole folders and databases.', command: (index: string) => `curl -X POST -H "Authorization: ApiKey $KEY" -H 'Content-Type: application/json' "$SERVER/${index}/_doc" -d '{"title": "A first document"}'`, noMatch: 'No document has these words.',
    first: (shown: string, total: string) => `The first ${shown} of ${total}.`
  },
  document: {
    lead: (version: string, change: string, size: string, routing?: string) => `Version ${version} · change ${change} · ${size}${routing ? ` · routing ${routing}` : ''}`, edit: 'Edit', save: 'Save', saved: 'The document is saved.', deleted: (id: string) => `${id} is deleted.`, newTitle: 'New document', id: 'Id', idHint: 'Empty: the server gives one.', body: 'Document, JSON', create: 'Create', created: (id: string) => `${id} is made.`,
    remove: (id: string) => `Delete ${id}`, removeText: 'The document goes from the index. It cannot be brought back but from where it came, or from a snapshot.', removeVerb: 'Delete document', search: 'Find alike', conflict: 'Somebody wrote the document meanwhile: reload to see it. What you typed stands here until then.', bigNumbers: 'Shown as it was sent: it has numbers that a browser would round.'
  }
}
