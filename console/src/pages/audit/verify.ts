import { html, useEffect, useRef, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { Notice } from '@/components/notice'
import { Progress } from '@/components/progress'
import { text as common } from '@strings/common'
import { text } from '@strings/audit'
import { breaks, importKey, sealFits, segments, type Seal } from './segments'

interface Found { lines: number, newest: number, faults: string[], seals: number, checked: boolean, done: boolean }
const said = text.verify
const faultsShown = 20

/** Reads the whole log and says whether its chain holds. */
export function VerifyDialog ({ onClose }: { onClose: () => void }) {
  const [found, setFound] = useState<Found | undefined>(undefined)
  const [doing, run] = useAction()
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const verify = async (): Promise<void> => {
    const key = await importKey((await api('GET /_cairn/audit/_key')).public_key)
    const now: Found = { lines: 0, newest: 0, faults: [], seals: 0, checked: key !== undefined, done: false }
    let before: Seal | undefined
    for await (const segment of segments(stop.current.signal)) {
      const { seal } = segment
      now.faults.push(...breaks(before, seal))
      if (key) { if (await sealFits(segment, key)) now.seals++; else now.faults.push(said.sealWrong(seal.from, seal.to)) }
      now.lines += seal.lines
      now.newest = seal.newest
      before = seal
      setFound({ ...now })
    }
    setFound({ ...now, done: true })
  }
  return html`<${Dialog} title=${said.title} onClose=${onClose} onSubmit=${() => void run(verify)} footer=${html`<${Button} onClick=${onClose}>${common.close}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${said.start}</${Button}>`}>
    <p>${said.lead}</p><${Failure} problem=${doing.problem} />
    ${found && !found.done && html`<${Progress} label=${said.label} done=${found.lines} total=${Math.max(found.newest, found.lines)} />`}
    <div aria-live="polite" class="stack">${found?.done && html`<${Notice} kind=${found.faults.length > 0 ? 'error' : 'good'} title=${found.faults.length > 0 ? said.bad(found.faults.length) : found.lines === 0 ? said.empty : said.good(found.lines)}>
        ${found.checked && found.seals > 0 && html`<p>${said.seals(found.seals)}</p>`}${found.faults.length > 0 && html`<ul>${found.faults.slice(0, faultsShown).map((one) => html`<li key=${one}>${one}</li>`)}</ul>`}</${Notice}>
      ${!found.checked && html`<p class="muted">${said.noCrypto}</p><${Code} value=${said.command} label=${said.command} />`}`}</div></${Dialog}>`
}
