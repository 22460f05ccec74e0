import { html } from '@/ui'
import { Button } from '@/components/button'
import { Failure } from '@/components/failure'
import { Progress } from '@/components/progress'
import { bytes } from '@/text/numbers'
import { text } from '@strings/objects'
import { shown } from './keys'
import { clearDone, discard, pause, resume, uploads, type Upload } from './upload'

const shownMost = 12
const states = { waiting: 'paused', running: 'running', paused: 'paused', done: 'done', failed: 'failed' } as const

function Row ({ upload }: { upload: Upload }) {
  const name = `${upload.bucket}/${shown(upload.key)}`
  const { uploads: said } = text
  const notes = [said.states[upload.state], upload.parts.total > 1 ? said.parts(upload.parts.done, upload.parts.total) : '', upload.retries > 0 ? said.retries(upload.retries) : ''].filter(Boolean).join(' · ')
  return html`<li class="stack-small"><div class="upload-row"><${Progress} label=${name} done=${upload.sent} total=${upload.file.size} unit=${bytes} state=${states[upload.state]} />
      <div class="bar-end">${upload.state === 'running' && html`<${Button} small kind="quiet" icon="pause" label=${`${said.pause}: ${name}`} onClick=${() => pause(upload.id)} />`}
      ${(upload.state === 'paused' || upload.state === 'failed') && html`<${Button} small kind="quiet" icon="play" label=${`${upload.state === 'failed' ? said.retry : said.resume}: ${name}`} onClick=${() => resume(upload.id)} />`}
      ${upload.state !== 'done' && html`<${Button} small kind="quiet" icon="close" label=${`${said.discard}: ${name}`} onClick=${() => void discard(upload.id)} />`}</div></div>
    <p class="muted small">${notes}</p><${Failure} problem=${upload.problem} /></li>`
}

/** What is being uploaded, to whatever bucket; nothing where nothing is. */
export function UploadPanel () {
  const list = uploads.value
  if (list.length === 0) return null
  const done = list.filter(({ state }) => state === 'done')
  const open = list.filter(({ state }) => state !== 'done')
  const running = open.some(({ state }) => state === 'running' || state === 'waiting')
  const { uploads: said } = text
  return html`<section class="card" aria-label=${said.title}><header class="card-head"><h2>${said.title}: ${said.all(done.length, list.length)}</h2><div class="bar-end">
      ${running && html`<${Button} small icon="pause" onClick=${() => open.forEach((one) => { if (one.state === 'running' || one.state === 'waiting') pause(one.id) })}>${said.pauseAll}</${Button}>`}
      ${open.some(({ state }) => state === 'paused' || state === 'failed') && html`<${Button} small icon="play" onClick=${() => open.forEach((one) => { if (one.state === 'paused' || one.state === 'failed') resume(one.id) })}>${said.resumeAll}</${Button}>`}
      ${done.length > 0 && html`<${Button} small kind="quiet" onClick=${clearDone}>${said.clear}</${Button}>`}</div></header>
    ${list.length > 1 && html`<${Progress} label=${said.total} done=${list.reduce((all, one) => all + one.sent, 0)} total=${list.reduce((all, one) => all + one.file.size, 0)} unit=${bytes} state=${running ? 'running' : open.length === 0 ? 'done' : 'paused'} />`}
    <ul class="stack">${[...open.filter(({ state }) => state !== 'waiting'), ...open.filter(({ state }) => state === 'waiting')].slice(0, shownMost).map((one) => html`<${Row} key=${one.id} upload=${one} />`)}</ul>
    ${open.length > shownMost && html`<p class="muted small">${said.more(open.length - shownMost)}</p>`}</section>`
}
