// Texts for the comparison: prose, many scripts, and what breaks tokenizers. From a seed.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export function generator(seed) {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state;
  };
  return { below: (n) => next() % n, pick: (all) => all[next() % all.length] };
}

function markdown(folder) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdown(path);
    return entry.name.endsWith(".md") ? [readFileSync(path, "utf8")] : [];
  });
}

/// Documentation, line by line.
export const prose = (repository) => markdown(join(repository, "docs")).join("\n").split("\n").filter((line) => line.trim());

// Ranges of letters of many scripts, and how long words get.
const scripts = [
  [0x61, 0x7a], [0xc0, 0x17f], [0x391, 0x3c9], [0x410, 0x44f], [0x5d0, 0x5ea], [0x621, 0x64a], [0x905, 0x939],
  [0xe01, 0xe3a], [0x10d0, 0x10f0], [0x1100, 0x1112], [0x1e00, 0x1eff], [0x3041, 0x3096], [0x30a1, 0x30fa],
  [0x4e00, 0x4fff], [0x9f00, 0x9fff], [0xac00, 0xb000], [0xf900, 0xfa6d], [0x20000, 0x20100], [0x1f300, 0x1f64f],
];

export function syntheticWord(random) {
  const [from, to] = random.pick(scripts);
  let word = "";
  for (let n = 1 + random.below(6); n > 0; --n) word += String.fromCodePoint(from + random.below(to - from + 1));
  return word;
}

const odd = [
  " ", "  ", "\t", "\n", "\r\n", "\n\n ", "\u00a0", "\u0085", "\u2028", "\u3000", "\u200b", "\u200d", "\ufeff", "\u00ad",
  "'s", "'T", "'\u017f", "'re", "'LL", "can't", "\u0130", "\u03a3", "\u03c2", "\u00df", "\u1e9e", "\ufb01", "\ufdfa", "\u2460", "\u00bd",
  "e\u0301", "a\u0323\u0307", "a\u0307\u0323", "\u0301", "\u1100\u1161\u11a8", "\uac01", "\u0344", "\u0f73", "\ud834\udd5e",
  "\ud83d\ude00", "\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67", "\ud83c\uddfa\ud83c\uddf8", "\ud83d\udc4d\ud83c\udffd", "\u26a0\ufe0f", "\u0000", "\u0007", "\u001f", "\u007f",
  "\ufffd", "\ufffe", "\uffff", "\ud7ff", "\ue000", "\udbff\udfff", "\ud800\udc00", "123456", "1,000.50", "\u0663\u0664", "\u00b2", "\u2167",
  "#", "$", "+", "<", "=", ">", "^", "`", "|", "~", "_", "__", "...", "\u2026", "\u2014", "\u201c", "\u3001", "!!!",
  "[CLS]", "[SEP]", "[MASK]", "[UNK]", "<s>", "</s>", "<mask>", "<unk>", "<|end|>", "<0x41>", "\u2581", "\u2581\u2581", "\u0120", "\u010a", "##s",
  "<added>", "Word", "word", "LEFT", "RighT", "\u00c4dded", "https://example.com/a?b=c&d=%20", "\\", "\"", "C++", "\u0e01\u0e33", "\u0915\u094d\u0937\u093f",
];

/// `allowed(c)`: code points of which all libraries know the same.
export function makeTexts(seed, count, lines, allowed) {
  const random = generator(seed);
  const anyCharacter = () => {
    for (;;) {
      const c = random.below(4) ? random.below(0x3400) : random.below(0x110000);
      if ((c < 0xd800 || c > 0xdfff) && allowed(c)) return String.fromCodePoint(c);
    }
  };
  const words = lines.flatMap((line) => line.split(/\s+/)).filter((word) => word);
  const piece = () => {
    switch (random.below(10)) {
      case 0: case 1: case 2: return random.pick(words) + (random.below(3) ? " " : "");
      case 3: return syntheticWord(random) + " ";
      case 4: return random.pick(odd);
      case 5: return random.pick(odd) + random.pick(words);
      case 6: return anyCharacter() + anyCharacter() + anyCharacter();
      case 7: return random.pick(words).toUpperCase();
      case 8: return syntheticWord(random);
      default: return " ";
    }
  };
  const texts = ["", " ", "\n"];
  while (texts.length < count) {
    const kind = random.below(100);
    if (kind < 25) texts.push(random.pick(lines));
    else if (kind < 27) texts.push(random.pick([syntheticWord(random), "ab", "a", " ", "\u2581"]).repeat(1 + random.below(400)));
    else {
      let text = "";
      for (let n = 1 + random.below(12); n > 0; --n) text += piece();
      texts.push([...text].every((c) => allowed(c.codePointAt(0))) ? text : random.pick(words));
    }
  }
  return texts;
}
