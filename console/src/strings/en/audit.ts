import { count } from '@/text/numbers'

const lines = (n: number): string => `${count(n)} ${n === 1 ? 'line' : 'lines'}`

export const text = {
  title: 'Audit',
  lead: 'Every refusal and every change, with who, from where and the result. Lines are chained: none can be changed or taken away unseen.',
  forbidden: { title: 'This key may not read the audit log', text: 'It needs the cluster privilege read_audit:', command: 'cairn key create --name auditor --cluster read_audit' },
  form: {
    since: 'From', spans: { '1h': 'the last hour', '24h': 'the last 24 hours', '7d': 'the last 7 days', '30d': 'the last 30 days', '': 'the beginning', own: 'between…' } as Record<string, string>, from: 'After', until: 'Before', identity: 'Identity', identityHint: 'User, key (id or name), or address', operation: 'Action', operationHint: 'indices.create, security.*', outcome: 'Result', outcomes: { '': 'any', success: 'succeeded', failure: 'refused or failed', access_denied: 'refused: may not', authentication_failed: 'refused: not signed in' } as Record<string, string>, resource: 'Address', resourceHint: 'A path and all beneath it: books, or /_security/*', search: 'Search', clear: 'Clear'
  },
  list: { caption: 'Lines of the audit log', time: 'Time', who: 'Identity', result: 'Result', action: 'Action', path: 'Address', from: 'From', status: 'Status', number: 'Line', method: 'Method', granted: 'done', access_denied: 'may not', authentication_failed: 'not signed in', failed: 'failed', none: 'No line matches', noneText: 'Refusals and changes stand in the log; reading does not. The same on the command line:', command: 'cairn audit search --since 24h', more: 'Look further back', loaded: (n: number) => `${lines(n)} found so far; there may be older ones.` },
  detail: { title: (n: number) => `Line ${count(n)}`, all: 'The whole line', same: 'Same identity', sameAction: 'Same action', reason: 'Reason', request: 'Request', key: 'API key', mac: 'Chain' },
  plot: { title: 'Events by result', done: 'done', refused: 'may not', signIn: 'not signed in', failed: 'failed', unit: 'lines', of: (n: number) => `Of the ${lines(n)} found so far.` },
  verify: {
    action: 'Verify the chain', title: 'The chain of the audit log', lead: 'Reads the whole log in sealed segments. The server follows its chain and says in each seal what is broken; this page checks that segments follow one another, and, where the browser can, each seal against the public key.', start: 'Verify', label: 'Lines', good: (n: number) => `${lines(n)} follow one another without a fault.`, bad: (n: number) => `${count(n)} ${n === 1 ? 'fault was' : 'faults were'} found.`, seals: (n: number) => `${count(n)} ${n === 1 ? 'seal fits' : 'seals fit'} the public key and the bytes.`, noCrypto: 'This browser checks no seals here: it needs TLS or this machine, and Ed25519. The command does:', command: 'cairn audit verify --public-key audit.pub export.ndjson',
    gap: (after: number, from: number) => `After line ${count(after)} comes line ${count(from)}.`, follows: (from: number) => `The segment from line ${count(from)} does not follow the one before it.`, sealWrong: (from: number, to: number) => `Lines ${count(from)} to ${count(to)} are not those that were sealed.`, empty: 'The log is empty.', stop: 'Stop', key: 'Signing key'
  },
  export: { action: 'Sealed export', title: 'Export the log, sealed', lead: 'All lines as they stand; the last line of each segment seals it. Whoever has the public key verifies it without a server and without a secret. Give the key another way than the export.', start: 'Download the export', key: 'Download the public key', done: (n: number) => `${lines(n)} are in the file.`, label: 'Lines', command: 'cairn audit export --out export.ndjson', also: 'On the command line, and to go on with the same file later:' },
  shipping: { title: 'Kept elsewhere', to: 'Bucket', interval: 'Every', last: 'Last success', shipped: 'Lines shipped', folder: 'Folder', none: 'The log is shipped nowhere. With this setting sealed segments go into a bucket:', setting: 'audit:\n  ship:\n    to: s3://trail/logs', now: 'Ship now', done: 'What the bucket lacked is there.', error: 'Error' }
}
