// The text of `GET /_metrics`, as far as the console reads it.
export interface Sample { name: string, labels: Record<string, string>, value: number }

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g

export function readMetrics (text: string): Sample[] {
  const out: Sample[] = []
  for (const one of text.split('\n')) {
    const found = one.startsWith('#') ? null : line.exec(one)
    if (!found) continue
    const labels: Record<string, string> = {}
    for (const [, name, value] of (found[2] ?? '').matchAll(label)) labels[name!] = value!.replace(/\\(.)/g, (_, c: string) => c === 'n' ? '\n' : c)
    out.push({ name: found[1]!, labels, value: Number(found[3]!.replace('Inf', 'Infinity')) })
  }
  return out
}

export function sum (samples: readonly Sample[], name: string, where: Record<string, string> = {}): number {
  let total = 0
  for (const one of samples) if (one.name === name && Object.entries(where).every(([key, value]) => one.labels[key] === value)) total += one.value
  return total
}

/** The bound that `share` of the observations between two looks did not exceed, in seconds; null without observations. */
export function quantile (before: readonly Sample[], now: readonly Sample[], name: string, share: number): number | null {
  const counts = (samples: readonly Sample[]): Map<number, number> => {
    const out = new Map<number, number>()
    for (const one of samples) {
      if (one.name !== name + '_bucket') continue
      const bound = one.labels['le'] === '+Inf' ? Infinity : Number(one.labels['le'])
      out.set(bound, (out.get(bound) ?? 0) + one.value)
    }
    return out
  }
  const earlier = counts(before)
  const later = [...counts(now)].sort(([a], [b]) => a - b).map(([bound, value]) => [bound, value - (earlier.get(bound) ?? 0)] as const)
  const all = later.at(-1)?.[1] ?? 0
  if (all <= 0) return null
  const found = later.find(([bound, value]) => Number.isFinite(bound) && value >= share * all)
  return found ? found[0] : later.filter(([bound]) => Number.isFinite(bound)).at(-1)?.[0] ?? null
}
