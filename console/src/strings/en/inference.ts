import { count } from '@/text/numbers'

export const text = {
  title: 'Inference endpoints',
  lead: 'Each binds one task to one model, of this server or of another one.',
  new: 'New endpoint',
  tasks: { text_embedding: 'dense vectors', sparse_embedding: 'sparse vectors', rerank: 'rerank', completion: 'completion', chat_completion: 'chat' } as Record<string, string>,
  taskHints: {
    text_embedding: 'A vector of numbers for each text: search by meaning.', sparse_embedding: 'Words with weights: search by meaning that shows its words.', rerank: 'Puts texts in the order of how well they answer a query.',
    completion: 'Goes on with a text.', chat_completion: 'Answers messages.'
  } as Record<string, string>,
  list: {
    caption: 'Inference endpoints', id: 'Endpoint', task: 'Task', service: 'Service', model: 'Model', state: 'State', allocations: 'Allocations', queue: 'Waiting', perSecond: 'Calls', p99: 'p99', empty: 'There is no endpoint', emptyText: 'Make one for a model of the store, or for a service elsewhere:',
    command: 'curl -X PUT -H "Authorization: ApiKey $KEY" -H \'Content-Type: application/json\' $SERVER/_inference/text_embedding/my-embedder -d \'{"service": "cairn", "service_settings": {"model_id": "cairn-mini", "num_threads": 1, "num_allocations": 1}}\''
  },
  states: { started: 'ready', starting: 'starting', stopping: 'stopping', failed: 'failed', idle: 'starts when used', remote: 'another server', fully_allocated: 'ready' } as Record<string, string>,
  of: (now: string, target: string) => `${now} of ${target}`,
  preconfigured: 'comes with the server',
  remove: { title: (id: string) => `Delete ${id}?`, text: 'Its deployment stops, unless another endpoint uses it. Searches and fields that name the endpoint fail from then on.', verb: 'Delete the endpoint', done: (id: string) => `${id} is deleted.`, force: 'Delete it although indices or pipelines use it', builtIn: 'This endpoint comes with the server: deleting stops its deployment, and the endpoint stays.' },
  open: 'Open', removeItem: 'Delete',
  one: {
    tabs: { label: 'Parts of the endpoint', try: 'Try it', settings: 'Settings', figures: 'Figures' }, missing: 'There is no such endpoint.',
    allocations: 'Allocations', target: (n: string) => `of ${n} wanted`, queue: 'Waiting', queueOf: (n: string) => `room for ${n}`, requests: 'Requests', rate: 'now', p50: 'half within', p99: '99 of 100 within', latency: 'Latency', cpu: 'CPU time', cpuOf: (model: string) => `of all of ${model}`, tokens: 'Tokens', prompt: 'read', generated: 'written', errors: 'Failed', refused: 'refused', since: 'since the server started',
    loading: 'Loading the model', downloading: 'Fetching the model', failed: 'The model could not be loaded', peak: 'Most in a minute', batch: 'One input took', node: 'Node', nodes: 'Nodes', inputs: 'Inputs', lastMinute: 'in the last minute', steps: 'Texts share steps', kv: 'Pages of keys and values', raw: 'As the server has it', settings: 'Settings', deployment: 'Deployment', dims: 'Dimensions', similarity: 'Similarity', element: 'Element type', threads: 'Threads', adaptive: 'Follows the load', from: (low: string, high: string) => `${low} to ${high} allocations`, chunking: 'Chunking', url: 'URL', limit: 'Requests a minute at most', key: 'API key', keySet: 'kept sealed, never shown'
  },
  scale: {
    title: 'Allocations', lead: 'How many batches run at a time. More answer more requests at once, and take more cores and memory.', label: 'Allocations', save: 'Set', saved: (n: string) => `${n} allocations are wanted.`, builtIn: 'Endpoints that come with the server scale by themselves, from 0 to 32.', adaptive: 'It follows the load by itself; a number sets it until the load says otherwise.', shared: (id: string) => `It uses the deployment of ${id}: scale that one.`
  },
  remote: { title: 'Key and limits', key: 'New API key', keyHint: 'Empty keeps the one that is sealed.', limit: 'Requests a minute at most', tokens: 'Longest input in tokens', save: 'Save', saved: 'The settings are saved.' },
  try: {
    run: 'Run', stop: 'Stop', input: 'Text', inputHint: 'The first run of an endpoint loads its model.', other: 'Compare with', otherHint: 'Another text: the answer tells how near both are.', inputType: 'The text is', types: { '': 'not said', ingest: 'a document', search: 'a query', classification: 'to be classified', clustering: 'to be grouped' },
    query: 'Query', documents: 'Texts to be ranked', documentsHint: 'One a line.', system: 'Instructions', systemHint: 'May stay empty.', prompt: 'Message', most: 'Tokens at most', temperature: 'Temperature', took: (ms: string) => `in ${ms}`, dims: 'Dimensions', norm: 'Norm', lowest: 'Lowest', highest: 'Highest', cosine: 'Cosine of both', vector: 'The vector, number by number', tokens: 'Tokens by weight', tokensMore: (shown: number, all: number) => `the ${count(shown)} heaviest of ${count(all)}`, truncated: 'The text was cut: the model takes no more of it.', ranking: 'By score', score: 'score', answer: 'Answer', first: 'first piece after', usage: (read: string, written: string) => `${read} tokens read, ${written} written`, finish: 'ended by', nothing: 'The model wrote nothing.', whole: 'The whole answer', position: 'Was', noTokens: 'The model knows no word of this text.',
    samples: { text_embedding: 'How are roses pruned in winter?', sparse_embedding: 'How are roses pruned in winter?', query: 'pruning roses', documents: 'Cut rose bushes back by a third in late winter.\nThe train to the coast leaves at nine.\nBush roses bear more flowers after a hard cut.', completion: 'Context:\n[1] A cairn is a heap of stones that marks a path.\n\nQuestion: What is a cairn?', chat_completion: 'Context:\n[1] A cairn is a heap of stones that marks a path.\n\nQuestion: What is a cairn?' }
  },
  create: {
    title: 'New endpoint', service: 'Service', task: 'Task', id: 'Id', idHint: 'Lower-case letters, digits, - _ and . with a letter or digit first and last.', model: 'Model', modelHint: 'Of the model store, or of a source that is configured.', threads: 'Threads a batch', threadsHint: 'A power of 2, at most 32.', allocations: 'Allocations', allocationsHint: 'Batches that run at a time.', adaptive: 'Let allocations follow the load', low: 'At least', high: 'At most', element: 'Numbers of a vector', chunking: 'How long texts are cut', strategy: 'By', size: 'Words of a piece', overlap: 'Overlap', strategies: { sentence: 'sentences', word: 'words', recursive: 'separators', none: 'not at all' }, make: 'Create', made: (id: string) => `${id} is made.`, required: 'This is needed.', local: 'A model of this server', remoteNote: 'Texts leave this server for the one that the URL names. The key is sealed and never shown. Private addresses need inference.remote.allowed_hosts.', other: 'Type the name of another model', exists: 'There is an endpoint of this id.', overlapHints: { sentence: '0 or 1 sentence', word: 'words, at most half of a piece' } as Record<string, string>
  }
}
