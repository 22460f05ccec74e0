// Cairn's tokenizers against the library that models come from (Rust, by its Node binding) and its
// JavaScript kin, on random texts: ids, ranges and decoded text.
//   compare.mjs ENCODE_TEXTS REPOSITORY [TEXTS_PER_TOKENIZER]
// The original decides. Where the JavaScript library gives other ids than the original, the count
// is printed; its reasons stand in README.md.
import { createRequire } from "node:module";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
import { Tokenizer as Kin } from "@huggingface/tokenizers";
import { makeTexts, prose } from "./texts.mjs";
import { trainAll } from "./trained.mjs";
import { allowedCharacters } from "./characters.mjs";

const { Tokenizer } = createRequire(import.meta.url)("@anush008/tokenizers");
const [program, repository, each = process.env.TEXTS ?? "3000"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tokenizers-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function framed(texts) {
  const frames = [];
  for (const text of texts) {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    frames.push(length, bytes);
  }
  return Buffer.concat(frames);
}

function cairn(file, texts, ...modes) {
  const done = spawnSync(program, [file, ...modes], { input: framed(texts), maxBuffer: 1 << 30 });
  assert.equal(done.status, 0, done.stderr.toString());
  return done.stdout.toString().trimEnd().split("\n").map((line) => {
    const [ids, ranges, decoded] = line.split("\t");
    return { ids: ids.trim(), ranges: ranges.trim(), decoded };
  });
}

const show = (text) => JSON.stringify(text).slice(0, 300);

async function compare({ name, file }, lines, allowed, seed) {
  const path = join(folder, "tokenizer.json");
  writeFileSync(path, JSON.stringify(file));
  const texts = makeTexts(seed, Number(each), lines, allowed);
  const original = Tokenizer.fromFile(path);
  const kin = new Kin(file, {});
  const ours = cairn(path, texts, "decode");
  assert.equal(ours.length, texts.length);
  let kinDiffers = 0;
  for (let from = 0; from < texts.length; from += 500) {
    const batch = texts.slice(from, from + 500);
    const theirs = await original.encodeBatch(batch);
    const decoded = await original.decodeBatch(theirs.map((one) => one.getIds()), true);
    batch.forEach((text, i) => {
      const mine = ours[from + i];
      const ids = theirs[i].getIds().join(" ");
      assert.equal(mine.ids, ids, `${name}: ids of ${show(text)}: ${theirs[i].getTokens().slice(0, 60)}`);
      const ranges = theirs[i].getOffsets().map(([begin, end]) => `${begin}-${end}`).join(" ");
      assert.equal(mine.ranges, ranges, `${name}: ranges of ${show(text)}: ${theirs[i].getTokens().slice(0, 60)}`);
      assert.equal(JSON.parse(mine.decoded), decoded[i], `${name}: decoded ${show(text)}`);
      if (kin.encode(text).ids.join(" ") !== ids) {
        ++kinDiffers;
        if (process.env.SHOW_KIN && kinDiffers <= 20) console.log("  kin", name, show(text), kin.encode(text).tokens.join(" ").slice(0, 200), "|", theirs[i].getTokens().join(" ").slice(0, 200));
      }
    });
  }
  const pairs = cairn(path, texts.slice(0, 1000), "pairs");
  for (let i = 0; i < pairs.length; ++i) {
    const theirs = await original.encode(texts[2 * i], texts[2 * i + 1]);
    assert.equal(pairs[i].ids, theirs.getIds().join(" "), `${name}: pair ${show(texts[2 * i])}`);
    assert.equal(pairs[i].ranges, theirs.getOffsets().map(([begin, end]) => `${begin}-${end}`).join(" "));
  }
  console.log(`${name}: ${texts.length} texts, ${pairs.length} pairs equal; the JavaScript library differs from the original in ${kinDiffers}`);
  return texts.length;
}

const lines = prose(repository);
const allowed = allowedCharacters(cairn, folder);
let total = 0;
let seed = Number(process.env.SEED ?? 1);
for (const one of trainAll(folder, lines)) {
  if (process.env.ONLY && !one.name.includes(process.env.ONLY)) continue;
  total += await compare(one, lines, allowed, seed++);
}
console.log(`${total} texts`);
