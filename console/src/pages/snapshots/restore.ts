// Bringing indices of a snapshot back, under their names or others. What each becomes is shown before.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { CheckField, SelectField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/snapshots'
import type { Snapshot } from './data'
import { indexNames } from './take'

const words = text.restore
type How = 'keep' | 'prefix' | 'one' | 'pattern'
interface Naming { how: How, prefix: string, name: string, pattern: string, replacement: string }
interface Row { index: string, becomes: string, fault: string }


/** The server's renaming for what was chosen; undefined keeps the names. */
function renaming ({ how, prefix, name, pattern, replacement }: Naming): { rename_pattern: string, rename_replacement: string } | undefined {
  if (how === 'prefix' && prefix) return { rename_pattern: '^(.*)$', rename_replacement: prefix + '$1' }
  if (how === 'one' && name) return { rename_pattern: '^.*$', rename_replacement: name }
  if (how === 'pattern' && pattern) return { rename_pattern: pattern, rename_replacement: replacement }
}

function becomes (index: string, by: ReturnType<typeof renaming>): string {
  if (!by) return index
  try { return index.replace(new RegExp(by.rename_pattern, 'g'), by.rename_replacement) } catch { return index }
}

const columns: readonly Column<Row>[] = [
  { id: 'index', title: words.index, value: ({ index }) => index },
  { id: 'becomes', title: words.as, value: ({ becomes: to }) => to, wide: true, cell: ({ becomes: to, fault }) => html`<span class="mono">${to}</span>${fault && html` <span class="field-error">${fault}</span>`}` }
]

export function Restore ({ repository, snapshot, onClose }: { repository: string, snapshot: Snapshot, onClose: () => void }) {
  const all = snapshot.indices ?? []
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(all))
  const [naming, setNaming] = useState<Naming>({ how: 'prefix', prefix: 'restored-', name: '', pattern: '(.+)', replacement: '$1-restored' })
  const [aliases, setAliases] = useState(false)
  const [global, setGlobal] = useState(false)
  const there = useAsked((signal) => indexNames(signal).catch((): string[] => []), [])
  const [restoring, run] = useAction()
  const by = renaming(naming)
  const names = all.filter((index) => chosen.has(index)).map((index) => becomes(index, by))
  const rows = all.map((index): Row => {
    const to = becomes(index, by)
    return { index, becomes: to, fault: !chosen.has(index) ? '' : names.filter((name) => name === to).length > 1 ? words.twice : there.value?.includes(to) ? words.there : '' }
  })
  const wrong = chosen.size === 0 || (naming.how === 'one' && !naming.name)
  const set = (change: Partial<Naming>): void => setNaming({ ...naming, ...change })
  const restore = (): void => {
    if (wrong) return
    const body = { indices: [...chosen].join(','), ...by, include_aliases: aliases, include_global_state: global }
    void run(() => api('POST /_snapshot/{repository}/{snapshot}/_restore', { path: { repository, snapshot: snapshot.snapshot }, query: { wait_for_completion: false }, body })).then((done) => { if (done) { toast(words.done(chosen.size)); onClose() } })
  }
  const choices = [{ value: 'prefix', label: words.prefix }, { value: 'keep', label: words.keep }, ...(chosen.size === 1 ? [{ value: 'one', label: words.one }] : []), { value: 'pattern', label: words.pattern }]
  return html`<${Dialog} title=${words.title(snapshot.snapshot)} onClose=${onClose} onSubmit=${restore} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${restoring.busy} disabled=${wrong}>${words.verb}</${Button}>`}>
    <${Failure} problem=${restoring.problem} />
    <div class="form-row"><${SelectField} label=${words.rename} value=${naming.how} choices=${choices} onInput=${(how: How) => set({ how })} />
      ${naming.how === 'prefix' && html`<${TextField} label=${words.prefixLabel} value=${naming.prefix} onInput=${(prefix: string) => set({ prefix })} mono />`}${naming.how === 'one' && html`<${TextField} label=${words.as} value=${naming.name} onInput=${(name: string) => set({ name })} mono required />`}
      ${naming.how === 'pattern' && html`<${TextField} label=${words.patternLabel} hint=${words.patternHint} value=${naming.pattern} onInput=${(pattern: string) => set({ pattern })} mono /><${TextField} label=${words.replacement} value=${naming.replacement} onInput=${(replacement: string) => set({ replacement })} mono />`}</div>
    <${Table} caption=${words.indices} columns=${columns} rows=${rows} rowKey=${({ index }: Row) => index} selected=${chosen} onSelect=${setChosen} filterName=${null} />
    <${CheckField} label=${words.aliases} value=${aliases} onInput=${setAliases} /><${CheckField} label=${words.global} hint=${words.globalHint} value=${global} onInput=${setGlobal} /></${Dialog}>`
}
