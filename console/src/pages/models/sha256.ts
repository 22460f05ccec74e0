// SHA-256 of a file in steps: the browser's own digest wants all bytes at once, and is not there without TLS.
const k = new Uint32Array(64)
const begin = new Uint32Array(8)
;(() => {
  const root = (value: number, power: number): number => { const part = value ** power; return ((part - Math.floor(part)) * 0x100000000) >>> 0 }
  for (let candidate = 2, found = 0; found < 64; candidate++) {
    let prime = true
    for (let n = 2; n * n <= candidate; n++) if (candidate % n === 0) { prime = false; break }
    if (!prime) continue
    if (found < 8) begin[found] = root(candidate, 1 / 2)
    k[found++] = root(candidate, 1 / 3)
  }
})()

export class Sha256 {
  private readonly h = begin.slice()
  private readonly w = new Uint32Array(64)
  private readonly rest = new Uint8Array(64)
  private held = 0
  private length = 0

  private block (bytes: Uint8Array, at: number): void {
    const { w, h } = this
    for (let n = 0; n < 16; n++, at += 4) w[n] = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
    for (let n = 16; n < 64; n++) {
      const a = w[n - 15]!
      const b = w[n - 2]!
      w[n] = (w[n - 16]! + ((a >>> 7 | a << 25) ^ (a >>> 18 | a << 14) ^ (a >>> 3)) + w[n - 7]! + ((b >>> 17 | b << 15) ^ (b >>> 19 | b << 13) ^ (b >>> 10))) | 0
    }
    let a = h[0]! | 0; let b = h[1]! | 0; let c = h[2]! | 0; let d = h[3]! | 0
    let e = h[4]! | 0; let f = h[5]! | 0; let g = h[6]! | 0; let i = h[7]! | 0
    for (let n = 0; n < 64; n++) {
      const one = (i + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + ((e & f) ^ (~e & g)) + k[n]! + w[n]!) | 0
      const two = (((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      i = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0
    }
    h[0]! += a; h[1]! += b; h[2]! += c; h[3]! += d; h[4]! += e; h[5]! += f; h[6]! += g; h[7]! += i
  }

  add (bytes: Uint8Array): void {
    this.length += bytes.length
    let at = 0
    if (this.held > 0) {
      const take = Math.min(64 - this.held, bytes.length)
      this.rest.set(bytes.subarray(0, take), this.held)
      this.held += take
      at = take
      if (this.held < 64) return
      this.block(this.rest, 0)
      this.held = 0
    }
    for (; at + 64 <= bytes.length; at += 64) this.block(bytes, at)
    this.rest.set(bytes.subarray(at))
    this.held = bytes.length - at
  }

  hex (): string {
    const bits = this.length * 8
    const end = new Uint8Array(this.held < 56 ? 64 : 128)
    end.set(this.rest.subarray(0, this.held))
    end[this.held] = 0x80
    const view = new DataView(end.buffer)
    view.setUint32(end.length - 8, Math.floor(bits / 0x100000000))
    view.setUint32(end.length - 4, bits >>> 0)
    for (let at = 0; at < end.length; at += 64) this.block(end, at)
    return [...this.h].map((word) => word.toString(16).padStart(8, '0')).join('')
  }
}
