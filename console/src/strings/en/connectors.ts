import { count } from '@/text/numbers'

export const text = {
  title: 'Connectors',
  lead: 'Each copies one source into one index, and follows what changes there.',
  new: 'New connector',
  tabs: { label: 'Connectors and folders', connectors: 'Connectors', folders: 'Folders' },
  list: {
    caption: 'Connectors', name: 'Connector', source: 'Source', index: 'Index', state: 'State', schedule: 'Schedule', last: 'Last sync', next: 'Next sync', failed: 'Failed',
    empty: 'There is no connector yet', emptyText: 'Make one here, or add a folder from the command line:', command: 'cairn add ~/Documents'
  },
  states: { created: 'created', needs_configuration: 'needs configuration', configured: 'configured', connected: 'connected', error: 'error' } as Record<string, string>,
  job: { pending: 'waits to begin', in_progress: 'running', canceling: 'being cancelled', canceled: 'cancelled', suspended: 'suspended', completed: 'completed', error: 'error' } as Record<string, string>,
  jobTypes: { full: 'full', incremental: 'incremental', access_control: 'permissions' } as Record<string, string>,
  triggers: { on_demand: 'by hand', scheduled: 'by schedule' } as Record<string, string>,
  watching: 'watches for changes',
  paused: 'paused',
  pausedText: 'It is paused: schedules and watches rest, a sync that ran is suspended, and those that you ask for wait.',
  actions: {
    open: 'Open', sync: 'Sync now', syncFull: 'Sync everything', pause: 'Pause', pauseText: 'A sync that runs is suspended at a place from which it goes on. No schedule begins one, changes are not followed, and syncs that you ask for wait.', unscheduleText: (name: string) => `It runs as a service of yours, and is paused where it runs. Here no schedule of ${name} begins a sync until one is turned on again.`, pauseTitle: (name: string) => `Pause ${name}?`, paused: (name: string) => `${name} is paused.`, unscheduled: (name: string) => `The schedules of ${name} are off.`,
    resume: 'Let it go on', resumed: (name: string) => `${name} goes on.`, schedule: 'Set a schedule', cancel: 'Cancel the sync', cancelTitle: 'Cancel this sync?', cancelText: 'Documents that it wrote stay. The next sync goes on from there.', cancelled: 'The sync is being cancelled.', remove: 'Delete',
    started: (name: string) => `A sync of ${name} was started.`
  },
  remove: {
    title: (name: string) => `Delete ${name}?`, text: 'The connector, its configuration and the records of its syncs go. Its index and documents stay.', verb: 'Delete the connector', done: (name: string) => `${name} is deleted.`
  },
  missing: 'There is no such connector.',
  one: {
    tabs: { label: 'Parts of the connector', overview: 'Overview', jobs: 'Syncs', problems: 'Problems', schedule: 'Schedule', configuration: 'Configuration', rules: 'Rules' },
    source: 'Source', index: 'Index', state: 'State', schedule: 'Schedule', next: 'Next sync', last: 'Last sync', documents: 'Documents written', deleted: 'Documents deleted', language: 'Language', description: 'Description', seen: 'Last sign of life', noIndex: 'none yet',
    about: 'What it is', running: 'Running now', nothing: 'No sync runs.', never: 'It has never synced. Start the first sync when its configuration is right.',
    needs: 'It needs its configuration before it can sync.', configure: 'Configure', failed: 'The last sync failed', error: 'The connector reports an error',
    duration: 'How long syncs took', durations: 'Syncs that ended, oldest first', speed: 'Documents per second', perSecond: 'documents per second', seconds: 'took', history: 'Syncs until now',
    waits: (reason: string) => `waits: ${reason}`, items: 'items', bytesOf: 'bytes', foreign: 'A connector service of yours runs syncs of this type; Cairn keeps them until it claims them.', check: 'Check the source', test: 'Test', preview: 'Preview', dryRun: 'Dry run'
  },
  jobs: {
    caption: 'Syncs', id: 'Sync', type: 'Kind', state: 'State', trigger: 'Begun', started: 'Started', took: 'Took', written: 'Written', removed: 'Deleted', looked: 'Looked at', bytes: 'Bytes', failed: 'Failed', skipped: 'Skipped', error: 'Error',
    empty: 'It has never synced', emptyText: 'A sync copies what changed.', details: 'Details of the sync', figures: 'Figures', raw: 'As the server has it', remove: 'Delete the record', removeTitle: 'Delete the record of this sync?', removeText: 'Documents are not touched.', removed_: 'The record is deleted.',
    leftOut: 'Left out by rules', unchanged: 'Unchanged', resumed: 'Taken up again', refused: 'Refused by the index', doing: 'Waits'
  },
  problems: {
    caption: 'Problems by file', path: 'File', kind: 'Kind', reason: 'Reason', none: 'Every item of the last sync was read', noneText: 'What the next sync cannot read is named here.',
    kinds: { skipped: 'skipped', unreadable: 'not readable', refused: 'refused by the index' } as Record<string, string>, lead: 'What the last sync could not read, by file. Skipped ones hold no text, or are too large.', more: 'Show more'
  },
  schedule: {
    lead: 'Times are UTC. A time that passes while the server is down is not made up for.', full: 'Everything', fullHint: 'Reads and writes every item.', incremental: 'What changed', incrementalHint: 'Reads what differs from the last sync; every 32nd one looks at everything.', access_control: 'Permissions', access_controlHint: 'Who may read what, of sources that tell.',
    enabled: 'Sync by itself', every: 'How often', cron: 'Cron expression', cronHint: 'Seconds, minutes, hours, day of month, month, day of week, and a year if wanted.', time: 'At', day: 'On', save: 'Save the schedule', saved: 'The schedule is saved.', next: 'Next times', none: 'never within ten years', wrong: (field: string) => `This is no ${field} of a cron expression.`, fields: 'A cron expression has six or seven fields.',
    off: 'off', minutes: 'Minute of the hour',
    choices: { m5: 'Every 5 minutes', m15: 'Every 15 minutes', m30: 'Every 30 minutes', hour: 'Every hour', h6: 'Every 6 hours', day: 'Every day', week: 'Every week', month: 'Every month', cron: 'By a cron expression' },
    days: { 1: 'Sunday', 2: 'Monday', 3: 'Tuesday', 4: 'Wednesday', 5: 'Thursday', 6: 'Friday', 7: 'Saturday' } as Record<string, string>,
    words: {
      minutes: (n: number) => n === 1 ? 'every minute' : `every ${n} minutes`, hourly: (m: string) => m === '00' ? 'every hour' : `every hour at :${m}`, hours: (n: number) => `every ${n} hours`, daily: (at: string) => `every day at ${at}`,
      weekly: (day: string, at: string) => `${day}s at ${at}`, monthly: (day: string, at: string) => day === 'L' ? `on the last day of the month at ${at}` : `on day ${day} of the month at ${at}`
    },
    fieldNames: ['second', 'minute', 'hour', 'day of the month', 'month', 'day of the week', 'year']
  },
  configuration: {
    title: 'Configuration', save: 'Save', saved: 'The configuration is saved.', noted: 'Secrets are sealed; nobody sees them again.', secretKept: 'A secret is kept. Leave this empty to keep it; type to replace it.', lines: 'One a line.', required: 'This is needed.', name: 'Name', description: 'Description', renamed: 'The name is saved.', about: 'Name', reset: 'Undo changes',
    none: 'This type of source keeps its configuration with its own service.', unsaved: 'There are changes that are not saved.'
  },
  check: {
    testing: 'Asking the source…', ok: 'The source can be read', bad: 'The source cannot be read', previewTitle: 'The first documents, as a sync would write them', previewNone: 'The source has no document.', dryTitle: 'What a sync would do now',
    test: 'Test the connection', testHint: 'Whether the source answers and may be read. Writes nothing.', preview: 'Preview documents', previewHint: 'Reads the first ten. Writes nothing.', dry: 'Count (dry run)', dryHint: 'Counts what a sync would do, without reading an item.',
    items: 'Items found', new: 'New', changed: 'Changed', unchanged: 'Unchanged', vanished: 'Gone from the source', skipped: 'Skipped', unreadable: 'Not readable', bytes: 'Bytes', problems: 'Problems'
  },
  rules: {
    lead: 'Of the rules in order, the first that fits decides. What no rule names is taken. After a change, start a full sync.', caption: 'Rules of the draft', policy: 'Then', field: 'Field', rule: 'Where the field', value: 'Value', add: 'Add a rule', up: 'Earlier', down: 'Later', remove: 'Remove', save: 'Save the draft', saved: 'The draft is saved.', activate: 'Make it hold', activated: 'The rules hold from the next sync on.',
    include: 'take it', exclude: 'leave it out', valid: 'valid', invalid: 'not valid', edited: 'not looked at yet', state: 'Draft', same: 'The draft is what holds.', differs: 'The draft differs from what holds.', active: 'What holds', none: 'Every document is taken.', otherwise: 'Everything else', order: 'Order',
    operators: { equals: 'is', contains: 'has', starts_with: 'begins with', ends_with: 'ends with', '>': 'is more than', '<': 'is less than', regex: 'is there (regex .*)' } as Record<string, string>, discard: 'Back to what holds'
  },
  folders: {
    caption: 'Folders that connectors may read', lead: 'A connector of a folder reads beneath these alone. They are set in the configuration of the server.', path: 'Folder', state: 'State', readable: 'can be read', notReadable: 'cannot be read', reason: 'Reason', origin: 'Set by', used: 'Connectors', none: 'No folder may be read yet', noneText: 'Allow one in the configuration, or let the command line do all of it:', command: 'cairn add ~/Documents',
    check: 'Look at a folder', checkHint: 'A path on the machine of the server.', look: 'Look', allowed: 'allowed', notAllowed: 'not allowed', connector: 'Connector for it', configuration: 'What to write into the configuration'
  },
  wizard: {
    title: 'New connector', steps: ['Source', 'Index', 'Settings', 'First sync'], stepsLabel: 'Steps', choose: 'What is to be read?', next: 'Next', back: 'Back', name: 'Id', nameHint: 'Names it in addresses. Lower case, digits and dashes.', label: 'Name', labelHint: 'As people call it. May stay empty.', index: 'Index', indexHint: 'One connector fills one index. A sync makes it where it is missing.', language: 'Language', languageHint: 'Of the texts: a name or a code. Picks how words are found.',
    make: 'Make the connector', exists: 'There is a connector of this id. Choose another one, or open it.', save: 'Save and test', syncNow: 'Start the first sync', later: 'Finish without a sync', discard: 'Delete this connector', schedule: 'Then by itself', scheduleHint: 'An incremental sync, in UTC. It can be changed at any time.', never: 'Only by hand', made: (name: string) => `${name} is made.`,
    settingsLead: (kind: string) => `What ${kind} needs. Saving asks the source whether it can be read.`, syncLead: 'The source answers. Look at what a sync would do, then start it.', lookFirst: 'Look first',
    hosts: 'The host must stand in connectors.allowed_hosts of the configuration; what is not there is refused with the setting\'s name.', folders: (roots: string) => `Beneath one of: ${roots}.`, noFolders: 'No folder is allowed yet: set connectors.directory.roots in the configuration, or run cairn add FOLDER on the machine of the server.', other: 'Another service type', otherHint: 'Read by a connector service that you run.', otherLabel: 'Service type', taken: 'Another connector fills this index.'
  },
  kinds: {
    directory: { title: 'Folder', text: 'Files of any everyday kind on the machine of the server.' },
    s3: { title: 'S3 bucket', text: 'Objects of any store that speaks S3, this one too.' },
    postgresql: { title: 'PostgreSQL', text: 'Rows of a table, a view or a query.' },
    mysql: { title: 'MySQL or MariaDB', text: 'Rows of a table, a view or a query.' },
    web_pages: { title: 'Web sites', text: 'Pages along links and sitemaps. Heeds robots.txt.' },
    feeds: { title: 'Feeds', text: 'Entries of RSS and Atom feeds.' },
    git: { title: 'Git repository', text: 'Files of a branch, and its commits if wanted.' },
    code_hosting: { title: 'Code hosting', text: 'Issues, pull requests, comments, releases and files, by the REST API that GitHub and compatible services share.' },
    maildir: { title: 'Mail folder', text: 'Messages in the Maildir form.' },
    elasticsearch: { title: 'Another cluster', text: 'Documents of Elasticsearch 7 and later, OpenSearch or Cairn: a migration.' }
  } as Record<string, { title: string, text: string }>,
  rows: (n: number) => `${count(n)} ${n === 1 ? 'document' : 'documents'}`
}
