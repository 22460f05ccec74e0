import { html } from '@/ui'
import { refusedTopics, source, useLive } from '@/api/events'
import type { LogLine } from '@/api/topics'
import { Section, State, When } from '@/components/facts'
import { Table, type Column } from '@/components/table'
import { text } from '@strings/overview'

const own = new Set(['time', 'level', 'room', 'event'])
const fields = (line: LogLine): string => Object.entries(line).filter(([name]) => !own.has(name)).map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ')

const columns: readonly Column<LogLine>[] = [
  { id: 'time', title: text.log.time, value: (line) => line.time, cell: (line) => html`<${When} at=${line.time} />` },
  { id: 'level', title: text.log.level, value: (line) => line.level, cell: (line) => html`<${State} tone=${line.level === 'error' ? 'bad' : 'warning'}>${line.level}</${State}>` },
  { id: 'event', title: text.log.event, value: (line) => `${line.room}: ${line.event}` },
  { id: 'fields', title: text.log.fields, value: fields, wide: true, cell: (line) => html`<span title=${fields(line)}>${fields(line)}</span>` }
]

/** Warnings and errors, as the server writes them. They come by the stream alone. */
export function LogSection () {
  const live = useLive('log')
  if (source.value === 'polling' && !live) return null
  return html`<${Section} title=${text.log.title}>${refusedTopics.value.has('log') ? html`<p class="muted">${text.log.refused}</p>`
    : !live || live.lines.length === 0 ? html`<p class="muted">${text.log.none}</p>`
      : html`<${Table} caption=${text.log.title} columns=${columns} rows=${live.lines} rowKey=${(line: LogLine) => line.time + line.event + fields(line)} sort="-time" filterName="log" />`}</${Section}>`
}
