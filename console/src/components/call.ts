// "Show the API call": the requests that this page made, as command and as program.
import { html, useState } from '@/ui'
import { text } from '@strings/common'
import { calls, type Call } from '@/api/calls'
import { root } from '@/api/root'
import { Button } from './button'
import { Code } from './code'
import { Dialog } from './dialog'
import { Empty } from './empty'

const quoted = (value: string): string => "'" + value.replaceAll("'", "'\\''") + "'"
const bodyText = (call: Call): string | null => call.body === undefined ? null : typeof call.body === 'string' ? call.body : call.body instanceof Blob ? '@file' : JSON.stringify(call.body)

export function asCurl (call: Call): string {
  const body = bodyText(call)
  const file = call.body instanceof Blob
  const lines = [`curl -H "Authorization: ApiKey $KEY"${call.method === 'GET' ? '' : ` -X ${call.method}`} ${call.url.includes('?') || call.url.includes("'") ? '"$SERVER"' + quoted(call.url) : `"$SERVER${call.url}"`}`]
  if (body !== null) lines.push(`  -H 'Content-Type: ${typeof call.body === 'string' ? 'application/x-ndjson' : file ? 'application/octet-stream' : 'application/json'}'`, file ? '  --data-binary @FILE' : `  -d ${quoted(body)}`)
  return lines.join(' \\\n')
}

/** JSON as Python writes it. */
function pythonValue (value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (Array.isArray(value)) return '[' + value.map(pythonValue).join(', ') + ']'
  if (typeof value === 'object') return '{' + Object.entries(value).map(([name, one]) => JSON.stringify(name) + ': ' + pythonValue(one)).join(', ') + '}'
  return JSON.stringify(value)
}

function asPython (call: Call): string {
  const json = call.body !== undefined && typeof call.body !== 'string' && !(call.body instanceof Blob)
  const body = call.body === undefined ? '' : json ? `,\n    json=${pythonValue(call.body)}` : call.body instanceof Blob ? ',\n    data=open("FILE", "rb")' : `,\n    data=${JSON.stringify(call.body)},\n    headers={"Content-Type": "application/x-ndjson"}`
  return `import os\nimport requests\n\nserver = requests.Session()\nserver.headers["Authorization"] = "ApiKey " + os.environ["KEY"]\nanswer = server.request("${call.method}", os.environ["SERVER"] + ${JSON.stringify(call.url)}${body})\nanswer.raise_for_status()\nprint(answer.json())`
}

function asJavaScript (call: Call): string {
  const json = call.body !== undefined && typeof call.body !== 'string'
  const kind = call.body === undefined ? '' : `, 'Content-Type': '${json ? 'application/json' : 'application/x-ndjson'}'`
  const body = call.body === undefined ? '' : call.body instanceof Blob ? ',\n  body: file' : json ? `,\n  body: JSON.stringify(${JSON.stringify(call.body)})` : `,\n  body: ${JSON.stringify(call.body)}`
  return `const answer = await fetch(process.env.SERVER + ${JSON.stringify(call.url)}, {\n  method: '${call.method}',\n  headers: { Authorization: 'ApiKey ' + process.env.KEY${kind} }${body}\n})\nif (!answer.ok) throw new Error(await answer.text())\nconsole.log(await answer.json())`
}

type Form = 'curl' | 'python' | 'javascript'
const forms: Record<Form, (call: Call) => string> = { curl: asCurl, python: asPython, javascript: asJavaScript }

/** Some requests in the three forms. */
export function CallList ({ list }: { list: readonly Call[] }) {
  const [form, setForm] = useState<Form>('curl')
  return html`<div class="segments" role="group" aria-label=${text.call.show}>${(Object.keys(forms) as Form[]).map((one) => html`<button type="button" key=${one} aria-pressed=${one === form} onClick=${() => setForm(one)}>${text.call[one]}</button>`)}</div>
    <p class="muted small">${text.call.hint}</p>
    ${list.map((call) => html`<div class="call" key=${call.method + call.url}><h3><span class="method">${call.method}</span> ${call.url.split('?')[0]}</h3><${Code} value=${forms[form](call)} label=${call.method + ' ' + call.url} /></div>`)}`
}

export function CallButton () {
  const [open, setOpen] = useState(false)
  return html`<${Button} kind="quiet" icon="code" onClick=${() => setOpen(true)}>${text.call.show}</${Button}>
    ${open && html`<${Dialog} size="side" title=${text.call.title} onClose=${() => setOpen(false)} footer=${html`<${Button} href=${root + '/_openapi.json'}>${text.call.docs}</${Button}>`}>
      ${calls.value.length === 0 ? html`<${Empty} title=${text.call.none} />` : html`<${CallList} list=${calls.value} />`}</${Dialog}>`}`
}
