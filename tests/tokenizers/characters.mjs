// Which characters all libraries know alike: their tables are of several versions of Unicode, and
// newer characters are letters, marks or nothing by what version one asks.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const rust = createRequire(import.meta.url)("@anush008/tokenizers");

/// `cairn(file, texts)` encodes; `folder` is for its file.
export function allowedCharacters(cairn, folder) {
  const forms = ["NFC", "NFD", "NFKC", "NFKD"].map((form) => [form, rust[form.toLowerCase() + "Normalizer"]()]);
  const bert = { clean: rust.bertNormalizer({ cleanText: true, handleChineseChars: false, stripAccents: false, lowercase: false }),
    strip: rust.bertNormalizer({ cleanText: false, handleChineseChars: false, stripAccents: true, lowercase: false }) };
  const lower = rust.lowercase();
  const strip = rust.stripAccentsNormalizer();
  const cuts = (one, before, c) => one.preTokenizeString(before + c).length === 2;
  const punctuation = rust.punctuationPreTokenizer();
  const digits = rust.digitsPreTokenizer(true);
  const words = rust.whitespacePreTokenizer();
  const bytes = rust.byteLevelPreTokenizer(false, true);
  const alike = (c) => {
    if (c.codePointAt(0) < 0x80) return true;
    return forms.every(([form, one]) => one.normalizeString(c) === c.normalize(form)) &&
      lower.normalizeString(c) === c.toLowerCase() &&
      (strip.normalizeString(c) === "") === /\p{M}/u.test(c) &&
      bert.strip.normalizeString(c) === c.normalize("NFD").replace(/\p{Mn}/gu, "") &&
      (bert.clean.normalizeString(c) === "") === (/[\p{Cc}\p{Cf}\p{Co}\ufffd]/u.test(c)) &&
      cuts(punctuation, "a", c) === /\p{P}/u.test(c) &&
      cuts(digits, "a", c) === /\p{N}/u.test(c) &&
      !cuts(bytes, "a", c) === /\p{L}/u.test(c) &&
      !cuts(bytes, "1", c) === /\p{N}/u.test(c) &&
      (words.preTokenizeString("a" + c)[0][0] === "a" + c) === /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]/u.test(c);
  };
  const out = new Uint8Array(0x110000);
  const candidates = [];
  for (let c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const text = String.fromCodePoint(c);
    // Ideographs and private characters by the thousand are alike.
    if ((c >= 0x20000 && c < 0x2a6d0) || c >= 0xe0200 || alike(text)) candidates.push(c);
  }
  // Ours: assigned characters that it takes for unassigned are newer than its tables. A word of one
  // that is neither space nor punctuation nor letter is cut from letters by \p{L} and \p{N}.
  const file = join(folder, "characters.json");
  writeFileSync(file, JSON.stringify({
    added_tokens: [], normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "Split", pattern: { Regex: "\\p{Cn}" }, behavior: "Removed", invert: false }] },
    model: { type: "WordPiece", unk_token: "?", continuing_subword_prefix: "##", max_input_chars_per_word: 1, vocab: { "?": 0 } },
  }));
  const assigned = candidates.filter((c) => /\P{Cn}/u.test(String.fromCodePoint(c)));
  const encoded = cairn(file, assigned.map((c) => String.fromCodePoint(c)));
  for (const c of candidates) out[c] = 1;
  assigned.forEach((c, i) => { if (encoded[i].ids === "") out[c] = 0; });
  return (c) => out[c] === 1;
}
