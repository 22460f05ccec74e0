// CRC-32 of a part, as the object storage checks it: base64 of four bytes, the highest first.
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c >>> 0
})
const step = 1 << 20

/** Reads the blob in pieces of a MiB, so that the page stays fluent meanwhile. */
export async function crc32 (of: Blob): Promise<string> {
  let crc = 0xffffffff
  for (let at = 0; at < of.size; at += step) {
    const bytes = new Uint8Array(await of.slice(at, at + step).arrayBuffer())
    for (let n = 0; n < bytes.length; n++) crc = table[(crc ^ bytes[n]!) & 255]! ^ (crc >>> 8)
  }
  const value = (crc ^ 0xffffffff) >>> 0
  return btoa(String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255))
}
