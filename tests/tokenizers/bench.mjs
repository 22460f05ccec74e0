// Tokens a second on this project's documentation, one thread, in the same run: Cairn, the original
// library and its JavaScript kin, taking turns; the best of five rounds, and the ratio to Cairn's.
//   bench.mjs ENCODE_TEXTS REPOSITORY
import { createRequire } from "node:module";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tokenizer as Kin } from "@huggingface/tokenizers";
import { prose } from "./texts.mjs";
import { trainAll } from "./trained.mjs";

process.env.TOKENIZERS_PARALLELISM = "false";
process.env.RAYON_NUM_THREADS = "1";
const { Tokenizer } = createRequire(import.meta.url)("@anush008/tokenizers");
const [program, repository] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "tokenizers-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const lines = prose(repository);
// Paragraphs of some 1,000 bytes, as documents are embedded.
const texts = [];
for (let text = "", i = 0; i < lines.length; ++i) {
  text += lines[i] + " ";
  if (text.length > 1000 || i + 1 === lines.length) { texts.push(text); text = ""; }
}
const frames = Buffer.concat(texts.flatMap((text) => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
}));

function cairn(path) {
  const done = spawnSync(program, [path, "time"], { input: frames, maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(done.stderr.toString());
  const [tokens, seconds] = done.stdout.toString().split(" ").map(Number);
  return tokens / seconds;
}

async function original(tokenizer) {
  const begin = process.hrtime.bigint();
  let tokens = 0;
  for (let from = 0; from < texts.length; from += 64)
    for (const one of await tokenizer.encodeBatch(texts.slice(from, from + 64))) tokens += one.getLength();
  return tokens / (Number(process.hrtime.bigint() - begin) / 1e9);
}

function kin(tokenizer) {
  const begin = process.hrtime.bigint();
  let tokens = 0;
  for (const text of texts) tokens += tokenizer.encode(text).ids.length;
  return tokens / (Number(process.hrtime.bigint() - begin) / 1e9);
}

console.log(`${texts.length} texts, ${frames.length} bytes; million tokens a second, and times of Cairn's`);
for (const { name, file } of trainAll(folder, lines)) {
  const path = join(folder, "tokenizer.json");
  writeFileSync(path, JSON.stringify(file));
  const theirs = Tokenizer.fromFile(path);
  const js = new Kin(file, {});
  const best = [0, 0, 0];
  for (let round = 0; round < 5; ++round) {
    best[0] = Math.max(best[0], cairn(path));
    best[1] = Math.max(best[1], await original(theirs));
    best[2] = Math.max(best[2], kin(js));
  }
  const [mine, rust, node] = best.map((rate) => rate / 1e6);
  console.log(`${name.padEnd(18)} cairn ${mine.toFixed(2)}  original ${rust.toFixed(2)} (${(mine / rust).toFixed(1)}x)  JavaScript ${node.toFixed(2)} (${(mine / node).toFixed(1)}x)`);
}
