// Texts that many pages share.
import { count } from '@/text/numbers'

export const text = {
  cancel: 'Cancel',
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  delete: 'Delete',
  save: 'Save',
  create: 'Create',
  edit: 'Edit',
  reload: 'Reload',
  retry: 'Try again',
  loading: 'Loading…',
  none: 'None',
  yes: 'yes',
  no: 'no',
  unknown: 'unknown',
  show: 'Show',
  hide: 'Hide',
  more: 'More actions',
  table: {
    filter: 'Filter',
    filterHint: 'Filter these rows',
    clear: 'Clear the filter',
    export: 'Export',
    csv: 'CSV',
    json: 'JSON',
    rows: (shown: number, all: number) => shown === all ? `${count(all)} ${all === 1 ? 'row' : 'rows'}` : `${count(shown)} of ${count(all)} rows`,
    noMatch: 'No row holds all of these words.',
    partial: (shown: number, all: number) => `The first ${count(shown)} of ${count(all)} are here.`,
    selected: (n: number) => `${count(n)} selected`,
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all shown rows',
    actions: 'Actions'
  },
  confirm: {
    dryRun: 'Dry run',
    dryRunAgain: 'Run it dry again',
    dryRunHint: 'Shows what would happen and changes nothing.',
    would: 'What would happen',
    nothing: 'Nothing would change.',
    type: 'Type this name to go on:'
  },
  progress: {
    of: (done: string, total: string) => `${done} of ${total}`,
    left: (span: string) => `${span} left`,
    perSecond: (n: string) => `${n}/s`,
    unknownTotal: 'the total is not known yet'
  },
  plot: {
    asTable: 'Show as table',
    asPlot: 'Show as plot',
    now: 'now',
    lowest: 'lowest',
    highest: 'highest',
    rising: 'rising',
    falling: 'falling',
    steady: 'steady',
    noData: 'There are no values yet. They come once the server has run for some time.',
    time: 'Time',
    keys: 'Left and right move the cursor.',
    range: 'How far back',
    ranges: { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' }
  },
  call: {
    show: 'API call',
    title: 'The requests of this page',
    hint: 'Set SERVER to this server and KEY to an API key; the console itself signs in by a cookie.',
    none: 'This page has asked nothing yet.',
    docs: 'OpenAPI document',
    curl: 'curl',
    python: 'Python',
    javascript: 'JavaScript'
  },
  secret: { show: 'Show the secret', hide: 'Hide the secret' }
}
