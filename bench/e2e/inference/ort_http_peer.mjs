// ort_http_peer.mjs MODEL.onnx THREADS — ONNX Runtime behind node's HTTP server, as one would put it there:
// what waits is sorted by length and computed together, padded to the longest.
// POST {"input": [text]} gives {"text_embedding": [{"embedding": […]}]}. Prints its port.
// Run in the folder that has its node_modules.
import { createRequire } from 'node:module';
import http from 'node:http';

const ort = createRequire(`${process.cwd()}/`)('onnxruntime-node');
const [model, threads] = process.argv.slice(2);
const session = await ort.InferenceSession.create(model, {
  intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all',
});
const BEGIN = 2;
const END = 3;
const UNKNOWN = 1;
const MOST_TOKENS = 512;
const MOST_ROWS = 32;

/** Words are w5, w6, …: the number is the token. */
function tokens(text) {
  const words = text.split(' ').slice(0, MOST_TOKENS - 2)
    .map((word) => (/^w\d+$/.test(word) ? Number(word.slice(1)) : UNKNOWN));
  return [BEGIN, ...words, END];
}

let waiting = [];
let isRunning = false;

async function runWaiting() {
  if (isRunning || waiting.length === 0) return;
  isRunning = true;
  waiting.sort((a, b) => a.ids.length - b.ids.length);
  const rows = waiting.splice(0, MOST_ROWS);
  const width = rows.at(-1).ids.length;
  const ids = new Int32Array(rows.length * width);
  const mask = new Int32Array(rows.length * width);
  rows.forEach((row, i) => {
    ids.set(row.ids, i * width);
    mask.fill(1, i * width, i * width + row.ids.length);
  });
  const shape = [rows.length, width];
  const { embedding } = await session.run({
    ids: new ort.Tensor('int32', ids, shape), mask: new ort.Tensor('int32', mask, shape),
  });
  const size = embedding.dims[1];
  rows.forEach((row, i) => row.done(Array.from(embedding.data.subarray(i * size, (i + 1) * size))));
  isRunning = false;
  setImmediate(runWaiting);
}

const embed = (text) => new Promise((done) => {
  waiting.push({ ids: tokens(text), done });
  setImmediate(runWaiting);
});

const server = http.createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { input } = JSON.parse(Buffer.concat(parts).toString());
  const vectors = await Promise.all(input.map(embed));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ text_embedding: vectors.map((embedding) => ({ embedding })) }));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
