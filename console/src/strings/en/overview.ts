export const text = {
  title: 'Overview',
  lead: (version: string, uptime: string) => `Cairn ${version}, running for ${uptime}`,
  figures: {
    requests: 'Requests', errors: 'Errors', limited: 'Refused by limits', latency: 'Latency',
    latencyNote: (p99: string) => `half are quicker; 99 of 100 within ${p99}`, perSecond: 'in the last seconds',
    documents: 'Documents', inIndices: (n: string, word: string) => `in ${n} ${word}`, index: 'index', indices: 'indices', bytes: 'Index size'
  },
  space: { title: 'Memory and disk', memory: 'Memory', memoryNote: 'Searches and bulk requests are refused beyond the limit.', disk: 'Disk of the data folder', low: 'people are told from here on', high: 'writes are refused from here on' },
  jobs: { title: 'Running now', none: 'Nothing runs in the background: no sync, no task, no snapshot.', kinds: { sync: 'Sync', task: 'Task', snapshot: 'Snapshot', deployment: 'Model' }, merges: (n: number) => n === 1 ? '1 merge of segments runs' : `${n} merges of segments run`, snapshot: (from: string) => `into ${from}` },
  history: 'History',
  plots: { requests: 'Requests per second', answered: 'answered', errors: 'failed', limited: 'refused by limits', latency: 'Latency', p50: 'half within', p99: '99 of 100 within', memory: 'Memory', resident: 'of the process', disk: 'Disk', free: 'free' },
  health: { title: 'Health', green: 'well', yellow: 'to be looked at', red: 'to be acted on', unknown: 'not known' },
  notes: {
    title: 'Security',
    bootstrap: 'You are signed in with the first key of this server. Make keys with the rights that their users need, then end this one.',
    bootstrapAction: 'Make a key',
    plain: 'The console came over plain HTTP from beyond this machine. Anybody between can read what it shows.',
    plainAction: 'cairn init tls',
    certificate: (end: string) => `A certificate ends ${end}.`,
    none: 'Nothing to note.'
  },
  log: { title: 'Warnings and errors of the log', none: 'None since the server was started.', refused: 'Needs the privilege manage.', level: 'Level', time: 'Time', event: 'Event', fields: 'Fields' }
}
