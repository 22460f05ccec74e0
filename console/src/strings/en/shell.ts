// Texts of the frame around all pages.
export const text = {
  product: 'Cairn',
  skip: 'Skip to the page',
  navigation: 'Pages',
  openNavigation: 'Show the pages',
  closeNavigation: 'Hide the pages',
  groups: { watch: '', search: 'Search', models: 'Models', storage: 'Storage', access: 'Operate' },
  pages: {
    overview: { title: 'Overview', words: 'health status requests latency memory disk jobs version' },
    indices: { title: 'Indices', words: 'index documents mapping fields alias reindex templates components scripts analyzer words tokens' },
    search: { title: 'Search playground', words: 'query try explain hybrid highlight' },
    chat: { title: 'Chat', words: 'ask answer sources completion' },
    connectors: { title: 'Connectors', words: 'sync folder database schedule source pause' },
    inference: { title: 'Inference endpoints', words: 'embedding rerank vector sparse task' },
    models: { title: 'Models', words: 'import weights trained deployment' },
    objects: { title: 'Objects', words: 'bucket upload file version tag policy presign' },
    snapshots: { title: 'Snapshots', words: 'repository restore cleanup backup' },
    limits: { title: 'Rate limits', words: 'quota rule refused limited shadow' },
    keys: { title: 'API keys', words: 'key privilege role secret expire rotate accounts users policies encryption disable last used' },
    audit: { title: 'Audit', words: 'who did what log' },
    settings: { title: 'Settings', words: 'configuration log level certificate cluster reload mirror nodes drain messages webhook master key licence' }
  },
  search: {
    label: 'Search pages, indices, connectors, buckets, keys',
    placeholder: 'Search…',
    key: '/',
    none: 'Nothing has this name.',
    kinds: { page: 'Page', index: 'Index', connector: 'Connector', bucket: 'Bucket', key: 'API key', endpoint: 'Endpoint', repository: 'Repository' }
  },
  health: { ready: 'Ready', notReady: 'Not ready', unreachable: 'No answer', unknown: 'Connecting', polling: 'Live by asking every 5 s', stream: 'Live' },
  account: { label: 'Key and theme', signedInAs: 'Signed in as', key: 'Key', ends: 'Session ends', theme: 'Theme', system: 'As the system', light: 'Light', dark: 'Dark', signOut: 'Sign out', shortcuts: 'Keyboard shortcut /', shortcutsOn: 'on', shortcutsOff: 'off' },
  session: {
    ending: (left: string) => `The session ends in ${left} unless something is asked.`,
    endingForGood: (left: string) => `The session ends in ${left}. Save what you are typing, then sign in again.`,
    stay: 'Stay signed in'
  },
  waiting: {
    limited: (at: string) => `The limit of this key is reached. Reading goes on by itself at ${at}.`,
    busy: (at: string) => `The server is busy. Reading goes on by itself at ${at}.`
  },
  unreachable: 'The server does not answer. The console asks again every two seconds and goes on by itself.',
  notFound: { title: 'There is no such page', text: 'The address names a page that this console does not have.', home: 'Go to Overview' },
  broken: { title: 'This page has stopped', text: 'Something in the page failed. Nothing on the server was changed by that. Open it again; if it stays, tell the maintainers what you did and the line below.', again: 'Open the page again', reload: 'Reload the console' },
  loadFailed: { title: 'The page could not be loaded', text: 'The server may have been updated since this tab was opened. Reload to get the new console.' },
  signIn: {
    title: 'Sign in',
    lead: 'Search, inference and object storage of this server.',
    key: 'API key',
    keyHint: 'The encoded form, as the server printed it. The browser does not keep it: it gets a session that ends by itself.',
    submit: 'Sign in',
    link: 'Signing in by the link…',
    linkFailed: 'The link was used already, or its time is over. Make a new one on the machine of the server:',
    linkCommand: 'cairn console',
    noKey: 'No key? On the machine of the server this prints a link that signs in once:',
    or: 'or',
    oidc: (name: string) => `Sign in with ${name}`,
    ended: 'The session has ended. Sign in again to go on where you were.',
    signedOut: 'You are signed out.',
    wrong: 'The server does not know this key, or it has ended.'
  }
}
