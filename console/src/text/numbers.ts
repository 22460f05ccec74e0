// Numbers, bytes and shares as people read them.
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const fine = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** What stands where there is no value. */
export const none = '–'

export function count (value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? none : whole.format(value)
}

/** 12,345 as 12.3K: for plots and small places. */
export function compact (value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? none : short.format(value)
}

export function decimal (value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? none : fine.format(value)
}

export function rate (perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return none
  return (perSecond >= 100 ? whole : tenths).format(perSecond) + '/s'
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** In units of 1,024: 96.4 MiB. */
export function bytes (value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return none
  let unit = 0
  let left = value
  while (Math.abs(left) >= 1024 && unit < units.length - 1) { left /= 1024; unit++ }
  return (unit === 0 || Math.abs(left) >= 100 ? whole : tenths).format(left) + ' ' + units[unit]
}

/** 0.123 as 12.3 %. */
export function percent (share: number | null | undefined): string {
  return share === null || share === undefined || !Number.isFinite(share) ? none : tenths.format(share * 100) + ' %'
}
