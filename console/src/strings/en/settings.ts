import { count } from '@/text/numbers'

export const text = {
  title: 'Settings',
  lead: 'What can be changed while the server runs, and what it was started with.',
  tabs: { cluster: 'Cluster settings', log: 'Log level', tls: 'Certificates', file: 'Configuration', mirror: 'Mirror', messages: 'Messages', server: 'Keys and licence' },
  cluster: {
    caption: 'Settings of the cluster', name: 'Setting', value: 'Value', kind: 'Held', persistent: 'over restarts', transient: 'until the server ends', default: 'default',
    change: 'Change', add: 'Set a setting', take: 'Take away', lead: 'Persistent settings are kept; transient ones hold until the server ends and go before them.',
    dialog: 'Set a setting of the cluster', empty: 'Nothing was changed: defaults and the configuration hold.', valueHint: 'As JSON or as text. Empty takes the setting away.', keep: 'Keep it over restarts', done: (name: string) => `${name} is set.`, taken: (name: string) => `${name} is taken away.`, remove: (name: string) => `Take ${name} away?`, removeText: 'What the configuration or the default says holds from then on.'
  },
  log: { lead: 'The lowest level that is written. A change holds from the next line on.', label: 'Level', levels: { '': 'as configured', debug: 'debug', info: 'info', warn: 'warn', error: 'error' }, keep: 'Keep it over restarts', done: (level: string) => `The log is at ${level}.` },
  effective: {
    caption: 'Settings that hold', lead: 'What holds now, and where each value came from. A setting of the cluster goes before flags, these before the environment, that before files, and all before defaults.', files: 'Files that were read:', noFile: 'No file was read.', name: 'Setting', value: 'Value', from: 'From', where: 'Where', default: 'Default', change: 'A change holds',
    origins: { default: 'default', file: 'file', environment: 'environment', flag: 'flag', cluster: 'cluster' } as Record<string, string>, restart: 'after a restart', reload: 'after a reload', secret: 'set, not shown', secretNone: 'not set', howTo: 'To set it', which: 'Which settings', onlyChanged: (n: number) => `Changed (${n})`, all: (n: number) => `All (${n})`, none: 'Nothing was changed: defaults hold.',
    reloadNow: 'Reload', reloadHint: 'A reload reads the files again, as SIGHUP does: certificates, limits, and the settings that need no restart.', reloaded: 'The configuration was read again.', reloadedNone: 'The configuration was read again: nothing changed.', changed: 'These hold now:', needsRestart: 'These hold after a restart:', faults: 'This was left as it was:'
  },
  mirror: {
    lead: 'Two folders on two disks hold the same at every moment. Losing either loses nothing.', none: 'The data are in one folder', noneText: 'With a second folder on a second disk the server outlives the loss of either. This names one:', command: 'cairn serve --data /var/lib/cairn --set data.mirror=/mnt/second/cairn',
    whole: 'Both folders hold everything.', notWhole: 'One folder lacks something: the server goes on with the other.', folder: 'Folder', state: 'State', reason: 'Why', states: { whole: 'holds everything', filling: 'is being filled', away: 'takes no part' } as Record<string, string>, fault: 'The mirror has a fault', failed: 'The last filling failed',
    fill: 'Fill it', fillHint: 'First put the disk in order, or an empty folder of a new one in its place.', filling: 'The folder is being filled.', fillingNow: 'Filling', progress: (copied: number, compared: number) => `${count(copied)} files copied, ${count(compared)} compared`, leave: 'Put aside', leaveOf: (setting: string) => `Put aside: ${setting}`, leaveTitle: (setting: string) => `Put ${setting} aside?`,
    leaveText: 'From now on it takes no part, and its disk can be taken out. Until it is filled again the other folder is the only one: what it loses is lost.', left: (setting: string) => `${setting} takes no part any more.`, dry: { goes: 'takes_no_part', stays: 'goes_on_with' }
  },
  messages: {
    lead: 'Faults that last are told by webhook or mail, when they begin and when they end.', noWay: 'Messages go nowhere', noWayText: 'Set messages.webhook.url or messages.mail.command, so that somebody hears of faults while the console is closed.', ways: 'Messages go by', test: 'Send one to try', testSent: (way: string) => `${way}: taken`, testFailed: (way: string) => `${way}: not taken`,
    wrong: 'Wrong now', waiting: 'Wait', sent: 'Sent', lost: 'Given up', lastError: 'The last message that was not taken', caption: 'What is wrong now', kind: 'Fault', text: 'What', subject: 'Of', since: 'Since', fine: 'Nothing is wrong', fineText: 'Disks, syncs, backups, certificates and the mirror are looked at once a minute.'
  },
  server: {
    license: 'Licence', licenseText: 'The same features for everybody: no licence is needed, and none ends.', status: 'State', kind: 'Kind', version: 'Version', to: 'For', issued: 'Since', ends: 'Ends', never: 'never',
    master: 'Master key', masterLead: 'It seals what the server keeps of secrets: of access keys, connectors, endpoints, and the keys that objects are encrypted with.', masterBackups: 'Older backups hold the old master key. After a change make a new backup, and take away those that others could reach.', rotate: 'Draw a new master key', rotateTitle: 'Draw a new master key?', rotateTyped: 'master key', rotateText: 'Every kept secret is sealed with it. Objects stay as they are, and the server goes on. Sessions of directory buckets and access grants that are out must be asked for again.', rotated: 'A new master key holds.'
  },
  tls: { caption: 'Certificates', lead: 'A certificate file that is replaced is read within seconds, without a restart.', server: 'Listener', ends: 'Ends', left: 'Left', none: 'This server speaks plain HTTP.', noneText: 'That is right on this machine alone. This makes certificates and names them in the configuration:', command: 'cairn init tls', refused: 'The metrics tell this; the key needs the privilege monitor.' }
}
