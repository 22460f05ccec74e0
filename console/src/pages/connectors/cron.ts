// Schedules as the server reads them: six or seven fields, UTC. Words for the usual ones, and the next moment of each.
import { text } from '@strings/connectors'

interface Kind { first: number, last: number, names?: readonly string[] }
const kinds: readonly Kind[] = [
  { first: 0, last: 59 }, { first: 0, last: 59 }, { first: 0, last: 23 }, { first: 1, last: 31 },
  { first: 1, last: 12, names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'] },
  { first: 1, last: 7, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] }, { first: 1970, last: 2199 }
]

function valueOf (piece: string, kind: Kind): number | null {
  const named = kind.names?.indexOf(piece.toUpperCase()) ?? -1
  if (named >= 0) return kind.first + named
  const value = /^\d+$/.test(piece) ? Number(piece) : NaN
  return value >= kind.first && value <= kind.last ? value : null
}

function valuesOf (field: string, kind: Kind): Set<number> | null {
  const out = new Set<number>()
  for (const piece of field.split(',')) {
    const [range = '', stepText] = piece.split('/')
    const step = stepText === undefined ? 1 : /^[1-9]\d*$/.test(stepText) ? Number(stepText) : null
    if (step === null) return null
    let [low, high]: [number | null, number | null] = [kind.first, kind.last]
    if (range !== '*' && range !== '?') {
      const [from = '', to] = range.split('-')
      low = valueOf(from, kind)
      high = to !== undefined ? valueOf(to, kind) : stepText !== undefined ? kind.last : low
    }
    if (low === null || high === null || low > high) return null
    for (let value = low; value <= high; value += step) out.add(value)
  }
  return out
}

const fieldsOf = (cron: string): string[] => cron.trim().split(/\s+/).filter(Boolean)

/** What is wrong with an expression; null where the server will take it. */
export function cronFault (cron: string): string | null {
  const fields = fieldsOf(cron)
  if (fields.length !== 6 && fields.length !== 7) return text.schedule.fields
  const wrong = fields.findIndex((field, n) => !(n === 3 && /^L$/i.test(field)) && valuesOf(field, kinds[n]!) === null)
  return wrong < 0 ? null : text.schedule.wrong(text.schedule.fieldNames[wrong]!)
}

/** The first moment after `from`, in milliseconds; null where there is none within ten years. */
export function nextAfter (cron: string, from: number): number | null {
  if (cronFault(cron)) return null
  const fields = fieldsOf(cron)
  const last = /^L$/i.test(fields[3]!)
  const [seconds, minutes, hours, , months, weekdays] = fields.map((field, n) => n === 3 && last ? new Set<number>() : valuesOf(field, kinds[n]!)!)
  const days = last ? null : valuesOf(fields[3]!, kinds[3]!)!
  const years = fields[6] ? valuesOf(fields[6], kinds[6]!)! : null
  const start = new Date(Math.floor(from / 1000) * 1000 + 1000)
  const day = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()))
  for (let n = 0; n < 3660; n++, day.setUTCDate(day.getUTCDate() + 1)) {
    const date = day.getUTCDate()
    const end = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()
    if (years && !years.has(day.getUTCFullYear())) continue
    if (!months!.has(day.getUTCMonth() + 1) || !weekdays!.has(day.getUTCDay() + 1) || !(last ? date === end : days!.has(date))) continue
    const least = n === 0 ? start.getTime() - day.getTime() : 0
    for (const hour of hours!) {
      if ((hour + 1) * 3_600_000 <= least) continue
      for (const minute of minutes!) {
        const at = (hour * 60 + minute) * 60_000
        if (at + 60_000 <= least) continue
        for (const second of seconds!) if (at + second * 1000 >= least) return day.getTime() + at + second * 1000
      }
    }
  }
  return null
}

const pad = (value: string): string => value.padStart(2, '0')
const number = /^\d+$/

/** A schedule in words; the expression itself where it is none of the usual ones. */
export function cronWords (cron: string): string {
  const [second, minute = '', hour = '', day = '', month, weekday = '', year] = fieldsOf(cron)
  const { words } = text.schedule
  const anyDay = day === '*' || day === '?'
  const anyWeekday = weekday === '*' || weekday === '?'
  if (second !== '0' || month !== '*' || (year !== undefined && year !== '*')) return cron
  const step = /^(?:0|\*)\/(\d+)$/.exec(minute)
  if (anyDay && anyWeekday && hour === '*') {
    if (minute === '*') return words.minutes(1)
    if (step) return words.minutes(Number(step[1]))
    if (number.test(minute)) return words.hourly(pad(minute))
  }
  const hours = /^(?:0|\*)\/(\d+)$/.exec(hour)
  if (anyDay && anyWeekday && hours && minute === '0') return words.hours(Number(hours[1]))
  if (!number.test(minute) || !number.test(hour)) return cron
  const at = `${pad(hour)}:${pad(minute)}`
  if (anyDay && anyWeekday) return words.daily(at)
  const named = kinds[5]!.names!.indexOf(weekday.toUpperCase()) + 1
  const nth = named > 0 ? named : number.test(weekday) ? Number(weekday) : 0
  if (anyDay && nth >= 1 && nth <= 7) return words.weekly(text.schedule.days[nth]!, at)
  if (anyWeekday && (number.test(day) || /^L$/i.test(day))) return words.monthly(day.toUpperCase(), at)
  return cron
}
