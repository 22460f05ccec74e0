// What the list of indices is made of.
import { api } from '@/api/request'
import { fieldsOf, hasMeaning, type Field } from './fields'

export interface IndexRow {
  name: string
  health: string
  open: boolean
  documents: number | null
  bytes: number | null
  shards: number
  aliases: string[]
  fields: Field[]
  meaning: Field[]
}

const number = (text: string | undefined): number | null => text ? Number(text) : null

/** All indices with their mappings and aliases, in three requests. */
export async function indexRows (hidden: boolean, signal: AbortSignal): Promise<IndexRow[]> {
  const expand_wildcards = hidden ? 'all' : 'open,closed'
  const [rows, mappings, aliases] = await Promise.all([
    api('GET /_cat/indices', { signal, query: { format: 'json', bytes: 'b', expand_wildcards, h: 'health,status,index,pri,docs.count,store.size' } }),
    api('GET /_mapping', { signal, query: { expand_wildcards } }),
    api('GET /_alias', { signal, query: { expand_wildcards } })
  ])
  return rows.map((row): IndexRow => {
    const name = row['index']!
    const fields = fieldsOf(mappings[name]?.mappings)
    return {
      name, fields, health: row['health']!, open: row['status'] === 'open', documents: number(row['docs.count']), bytes: number(row['store.size']),
      shards: Number(row['pri']), aliases: Object.keys(aliases[name]?.aliases ?? {}), meaning: fields.filter(hasMeaning)
    }
  })
}
