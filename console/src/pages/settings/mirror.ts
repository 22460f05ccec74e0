// The two folders of the data, and whether each holds everything.
import { html, useState } from '@/ui'
import type { Answer } from '@/api/request'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Empty } from '@/components/empty'
import { Card, Facts, Loading, State, type Tone } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice, toast } from '@/components/notice'
import { Progress } from '@/components/progress'
import { bytes } from '@/text/numbers'
import { text } from '@strings/settings'

const said = text.mirror
type Folder = Answer<'GET /_cairn/mirror'>['folders'][number]
const tones: Record<string, Tone> = { whole: 'good', filling: 'busy', away: 'bad' }

export function Mirror () {
  const [fast, setFast] = useState(false)
  const asked = useAsked(async (signal) => { const now = await api('GET /_cairn/mirror', { signal }); setFast(now.filling !== undefined); return now }, [], { every: fast ? 2000 : 30_000 })
  const [leaving, setLeaving] = useState<Folder | undefined>(undefined)
  const [doing, run] = useAction()
  if (!asked.value) {
    // A server with one folder has nothing to tell of.
    if (asked.problem && ['missing', 'refused'].includes(asked.problem.kind)) return html`<${Empty} icon="copy" title=${said.none} command=${said.command}>${said.noneText}</${Empty}>`
    return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  }
  const { folders, whole, filling, fault, last_filling_failed: failed } = asked.value
  if (folders.length < 2) return html`<${Empty} icon="copy" title=${said.none} command=${said.command}>${said.noneText}</${Empty}>`
  const away = folders.some(({ state }) => state === 'away')
  const fill = (): void => { void run(() => api('POST /_cairn/mirror/_fill')).then((done) => { if (done) { setFast(true); toast(said.filling); asked.reload() } }) }
  const wholes = folders.filter(({ state }) => state === 'whole').length
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem ?? doing.problem} onRetry=${asked.reload} />
    ${fault && html`<${Notice} kind="error" title=${said.fault}>${fault}</${Notice}>`}${failed && html`<${Notice} kind="error" title=${said.failed}>${failed}</${Notice}>`}
    <p><${State} tone=${whole ? 'good' : 'warning'}>${whole ? said.whole : said.notWhole}</${State}></p>
    ${filling && html`<${Progress} label=${said.fillingNow} done=${filling.copied_bytes} unit=${bytes} /><p class="muted small">${said.progress(filling.copied_files, filling.compared_files)}</p>`}
    <div class="columns">${folders.map((one) => html`<${Card} key=${one.setting} title=${html`<code>${one.setting}</code>`} actions=${one.state === 'whole' && wholes > 1 && html`<${Button} small icon="out" aria-label=${said.leaveOf(one.setting)} onClick=${() => setLeaving(one)}>${said.leave}</${Button}>`}>
      <${Facts} rows=${[[said.folder, html`<code>${one.folder}</code>`], [said.state, html`<${State} tone=${tones[one.state] ?? 'off'}>${said.states[one.state] ?? one.state}</${State}>`], one.reason ? [said.reason, one.reason] : null]} /></${Card}>`)}</div>
    ${away && !filling && html`<div><${Button} kind="main" icon="refresh" busy=${doing.busy} onClick=${fill}>${said.fill}</${Button}></div><p class="muted small">${said.fillHint}</p>`}
    ${leaving && html`<${Confirm} title=${said.leaveTitle(leaving.setting)} verb=${said.leave} typed=${leaving.setting} onClose=${() => setLeaving(undefined)} onDone=${() => { toast(said.left(leaving.setting)); asked.reload() }}
      dryRun=${async () => { const now = await api('GET /_cairn/mirror'); return { would: { [said.dry.goes]: leaving.folder, [said.dry.stays]: now.folders.filter(({ setting }) => setting !== leaving.setting).map(({ folder, state }) => `${folder} (${said.states[state] ?? state})`) } } }}
      action=${() => api('POST /_cairn/mirror/_leave', { query: { folder: leaving.setting } })}><p>${said.leaveText}</p></${Confirm}>`}`
}

