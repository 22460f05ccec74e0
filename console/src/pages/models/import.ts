import { html, useEffect, useRef, useState } from '@/ui'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Card, PageHead, Section } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { Notice, toast } from '@/components/notice'
import { Progress } from '@/components/progress'
import { href } from '@/shell/router'
import { bytes, count } from '@/text/numbers'
import { text } from '@strings/models'
import { dropUpload, forget, localFiles, pauseUpload, startUpload, uploads, wanted, type LocalFile, type Upload } from './upload'

const { upload } = text

/** An import from this browser: how far it is, and what to do with it. */
function Going ({ one }: { one: Upload }) {
  const [dropping, setDropping] = useState(false)
  const runs = one.phase === 'hashing' || one.phase === 'sending'
  const state = one.phase === 'done' ? 'done' : one.phase === 'failed' ? 'failed' : runs || one.phase === 'checking' ? 'running' : 'paused'
  return html`<${Card}><div class="bar"><strong>${one.id}</strong><span class="bar-end">
      ${runs && html`<${Button} small icon="pause" onClick=${() => pauseUpload(one.id)}>${upload.pause}</${Button}>`}
      ${(one.phase === 'paused' || one.phase === 'failed') && html`<${Button} small icon="play" onClick=${() => startUpload(one.id, one.files)}>${upload.resume}</${Button}>`}
      ${one.phase === 'done' ? html`<${Button} small href=${href('models', [one.id])}>${upload.open}</${Button}><${Button} small kind="quiet" icon="close" label=${upload.close} onClick=${() => forget(one.id)} />` : one.phase !== 'checking' && html`<${Button} small kind="quiet" icon="remove" onClick=${() => setDropping(true)}>${upload.drop}</${Button}>`}</span></div>
    <${Progress} key=${one.phase} label=${upload[one.phase]} done=${one.done} total=${one.phase === 'checking' ? undefined : one.total} unit=${bytes} started_ms=${one.begun} state=${state} />
    ${one.retries > 0 && html`<p class="muted small">${upload.retries(one.retries)}</p>`}<${Failure} problem=${one.problem} />
    ${dropping && html`<${Confirm} title=${upload.dropTitle(one.id)} verb=${upload.drop} onClose=${() => setDropping(false)} action=${() => dropUpload(one.id)} onDone=${() => toast(upload.dropped)}><p>${upload.dropText}</p></${Confirm}>`}</${Card}>`
}

export function Uploads () {
  const all = uploads.value
  return all.length === 0 ? null : html`<${Section} title=${upload.running}><div class="stack">${all.map((one) => html`<${Going} key=${one.id} one=${one} />`)}</div></${Section}>`
}

/** The text of the licence beside the files, or what the head of a README says. */
async function licenceOf (files: readonly LocalFile[]): Promise<string> {
  const most = 64 << 10
  const licence = files.find(({ name }) => /^licen[sc]e/i.test(name))
  if (licence) return await licence.file.slice(0, most).text()
  const readme = files.find(({ name }) => name.toLowerCase() === 'readme.md')
  return readme ? /^license:.*$/m.exec(await readme.file.slice(0, most).text())?.[0] ?? '' : ''
}

function Choose () {
  const [files, setFiles] = useState<readonly LocalFile[]>([])
  const [id, setId] = useState('')
  const [licence, setLicence] = useState('')
  const folder = useRef<HTMLInputElement>(null)
  const some = useRef<HTMLInputElement>(null)
  useEffect(() => { folder.current?.setAttribute('webkitdirectory', '') }, [])
  const choose = (event: Event): void => {
    const list = (event.target as HTMLInputElement).files
    if (!list || list.length === 0) return
    const all = localFiles(list)
    const first = list[0]!
    const name = first.webkitRelativePath ? first.webkitRelativePath.split('/')[0]! : all.find((one) => /\.gguf$/i.test(one.name))?.name.replace(/\.gguf$/i, '') ?? ''
    setFiles(all)
    setId(name.toLowerCase().replace(/[^a-z0-9_.-]+/g, '-').replace(/^[^a-z0-9]+/, ''))
    void licenceOf(all).then(setLicence, () => setLicence(''))
  }
  const sent = files.filter(({ name }) => wanted(name))
  const whole = sent.some(({ name }) => name === 'config.json' || /\.gguf$/i.test(name))
  const begin = (): void => { startUpload(id, sent); setFiles([]) }
  return html`<${Card} title=${upload.title}><p class="muted">${upload.lead}</p>
    <input type="file" multiple hidden ref=${folder} onChange=${choose} aria-label=${upload.folder} /><input type="file" multiple hidden ref=${some} onChange=${choose} aria-label=${upload.file} />
    <div class="bar-start"><${Button} kind=${sent.length > 0 ? 'plain' : 'main'} icon="folder" onClick=${() => folder.current?.click()}>${upload.folder}</${Button}><${Button} icon="file" onClick=${() => some.current?.click()}>${upload.file}</${Button}></div>
    ${files.length > 0 && html`<form class="form" onSubmit=${(event: Event) => { event.preventDefault(); if (whole && id) begin() }}>
      ${!whole && html`<${Notice} kind="warning">${upload.noConfig}</${Notice}>`}
      <div><h3>${upload.files}: ${upload.total(count(sent.length), bytes(sent.reduce((all, { file }) => all + file.size, 0)))}</h3><ul class="list model-files">${sent.map(({ name, file }) => html`<li key=${name}><span class="mono">${name}</span><span class="muted numeric">${bytes(file.size)}</span></li>`)}</ul>
        ${files.length > sent.length && html`<p class="muted small">${upload.left(files.length - sent.length)}</p>`}</div>
      <div><h3>${upload.licence}</h3>${licence ? html`<${Code} value=${licence} label=${upload.licence} wrap bare />` : html`<p class="muted">${upload.noLicence}</p>`}</div>
      <${TextField} label=${upload.id} hint=${upload.idHint} value=${id} onInput=${(value: string) => setId(value.trim())} required mono /><div><${Button} kind="main" type="submit" icon="upload" disabled=${!whole || !id}>${upload.begin}</${Button}></div></form>`}</${Card}>`
}

export function Import () {
  return html`<${PageHead} title=${upload.title} trail=${[{ title: text.title, href: href('models') }]} />
    <${Uploads} /><div class="columns"><${Choose} /><div class="stack"><${Card} title=${upload.sources}><p class="muted">${upload.sourcesText}</p><div><${Button} icon="add" href=${href('inference', [], { new: 1 })}>${text.one.make}</${Button}></div></${Card}>
      <${Card} title=${upload.commandLine}><p class="muted">${upload.commandText}</p><${Code} value=${upload.commands} label=${upload.commandLine} /></${Card}></div></div>`
}
