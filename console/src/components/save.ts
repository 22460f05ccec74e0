// Hands a text or bytes to the browser as a file.
export function saveFile (name: string, content: string | Blob, type = 'text/plain'): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

type Cell = string | number | boolean | null | undefined

/** A value as CSV has it. A text that a spreadsheet would take for a formula begins with an apostrophe. */
function csvCell (value: Cell): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? "'" + value : String(value)
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
}

export function csv (head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n'
}

export async function copyText (text: string): Promise<void> {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text)
  // Without TLS, beyond loopback, browsers have no clipboard.
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
