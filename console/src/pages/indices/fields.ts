// Fields of a mapping, as a flat list in the order of the tree.
export interface Field {
  path: string
  name: string
  depth: number
  type: string
  /** What else the mapping says of it. */
  more: Record<string, unknown>
  /** A field below another of the same text: title.raw. */
  sub: boolean
}

type Properties = Record<string, Record<string, any>>

function walk (properties: Properties, prefix: string, depth: number, sub: boolean, out: Field[]): void {
  for (const [name, given] of Object.entries(properties)) {
    const { type, properties: below, fields, ...more } = given
    const path = prefix + name
    out.push({ path, name, depth, type: String(type ?? 'object'), more, sub })
    if (below) walk(below, path + '.', depth + 1, false, out)
    if (fields) walk(fields, path + '.', depth + 1, true, out)
  }
}

export function fieldsOf (mapping: { properties?: unknown } | undefined): Field[] {
  const out: Field[] = []
  walk((mapping?.properties ?? {}) as Properties, '', 0, false, out)
  return out
}

const vectors = new Set(['semantic_text', 'dense_vector', 'sparse_vector'])

/** Whether a search by meaning or by vectors reads it. */
export function hasMeaning (field: Field): boolean { return vectors.has(field.type) }

/** What a field with meaning is, in a word or two. */
export function meaningOf (field: Field): string {
  if (field.type !== 'semantic_text') return field.type === 'dense_vector' ? `dense, ${String(field.more['dims'] ?? '?')}` : 'sparse'
  const settings = (field.more['model_settings'] ?? {}) as { task_type?: string, dimensions?: number }
  return settings.task_type === 'sparse_embedding' ? 'sparse' : settings.dimensions ? `dense, ${settings.dimensions}` : 'not used yet'
}
