// A table of characters as SentencePiece compiles it: u32 bytes of a double array over UTF-8, its
// units, and the replacements, each ended by a zero byte. Given: a Map of texts to texts.
export function compileCharsmap(map) {
  const replacements = [];
  const places = new Map();
  let length = 0;
  const placeOf = (text) => {
    if (!places.has(text)) {
      places.set(text, length);
      const bytes = Buffer.from(text + "\0");
      replacements.push(bytes);
      length += bytes.length;
    }
    return places.get(text);
  };
  const root = { children: new Map(), value: -1 };
  for (const [from, to] of map) {
    let node = root;
    for (const byte of Buffer.from(from)) {
      if (!node.children.has(byte)) node.children.set(byte, { children: new Map(), value: -1 });
      node = node.children.get(byte);
    }
    node.value = placeOf(to);
  }
  const units = [];
  const taken = [true];
  const offsets = new Set([0]);
  let low = 1; // below it all is taken
  const fits = (offset, labels) => labels.every((label) => !taken[offset ^ label]);
  const waiting = [[root, 0, 0]];
  while (waiting.length > 0) {
    const [node, place, label] = waiting.pop();
    // A value is a child by the label 0.
    const labels = [...(node.value >= 0 ? [0] : []), ...node.children.keys()];
    while (taken[low]) ++low;
    let offset = 0;
    for (let unit = low; ; ++unit) {
      if (taken[unit]) continue;
      offset = unit ^ labels[0];
      // What a unit can say of its distance: 21 bits, or more in steps of 256.
      const apart = offset ^ place;
      if (!offsets.has(offset) && fits(offset, labels) && (apart < 1 << 21 || (apart & 255) === 0)) break;
    }
    offsets.add(offset);
    for (const one of labels) taken[offset ^ one] = true;
    const apart = offset ^ place;
    const far = apart >= 1 << 21;
    units[place] = ((far ? ((apart >> 8) << 10) | (1 << 9) : apart << 10) | (node.value >= 0 ? 256 : 0) | label) >>> 0;
    if (node.value >= 0) units[offset] = (node.value | (1 << 31)) >>> 0;
    for (const [byte, child] of node.children) waiting.push([child, offset ^ byte, byte]);
  }
  // Walks may look at any unit of a block of 256.
  const count = (units.length | 255) + 1;
  const out = Buffer.alloc(4 + count * 4);
  out.writeUInt32LE(count * 4, 0);
  for (let i = 0; i < units.length; ++i) out.writeUInt32LE(units[i] ?? 0, 4 + i * 4);
  return Buffer.concat([out, ...replacements]).toString("base64");
}

// Much like nmt_nfkc: compatibility characters, composed marks, spaces, controls gone.
export function nfkcMap() {
  const map = new Map();
  const marks = ["\u0300", "\u0301", "\u0302", "\u0303", "\u0308", "\u0327", "\u3099"];
  for (let c = 0x21; c < 0x30000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const text = String.fromCodePoint(c);
    const form = text.normalize("NFKC");
    if (form !== text) map.set(text, form);
    if (!/\p{L}/u.test(text) || c > 0x3200) continue;
    for (const mark of marks) {
      const both = (text + mark).normalize("NFKC");
      if ([...both].length === 1) map.set(text + mark, both);
    }
  }
  for (const space of "\t\n\r\u00a0\u1680\u2003\u2028\u2029\u200b\u3000\ufeff\ufffd") map.set(space, " ");
  map.set("\r\n", " ");
  for (let c = 1; c < 0x20; ++c) if (!"\t\n\r".includes(String.fromCharCode(c))) map.set(String.fromCharCode(c), "");
  map.set("\u00ad", "");
  map.delete("\uff5e");
  return map;
}
