// ort_peer.mjs MODEL.onnx — the same questions as encoder_rate.cc, answered by ONNX Runtime on one thread.
// Run in the folder that has its node_modules.
import { createRequire } from 'node:module';
import readline from 'node:readline';

const ort = createRequire(`${process.cwd()}/`)('onnxruntime-node');
const session = await ort.InferenceSession.create(process.argv[2], {
  intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: 'all', executionMode: 'sequential',
});
const VOCABULARY = 30522;

function batchOf(rows, tokens) {
  const ids = Int32Array.from({ length: rows * tokens },
    (_, i) => (7 * Math.floor(i / tokens) + 13 * (i % tokens) + 1) % VOCABULARY);
  const mask = new Int32Array(rows * tokens).fill(1);
  return {
    ids: new ort.Tensor('int32', ids, [rows, tokens]),
    mask: new ort.Tensor('int32', mask, [rows, tokens]),
  };
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function rate(batch, rows, ms) {
  await session.run(batch);
  const begin = performance.now();
  const before = processorMs();
  let runs = 0;
  while (runs < 3 || performance.now() - begin < ms) {
    await session.run(batch);
    runs += 1;
  }
  return { per_s: (rows * runs * 1000) / (processorMs() - before) };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const batch = batchOf(asked.rows, asked.tokens);
  let answer;
  if (asked.vectors) {
    const { embedding } = await session.run(batch);
    const width = embedding.dims[1];
    answer = { vectors: Array.from({ length: asked.rows },
      (_, row) => Array.from(embedding.data.slice(row * width, (row + 1) * width))) };
  } else {
    answer = await rate(batch, asked.rows, asked.ms ?? 300);
  }
  console.log(JSON.stringify(answer));
}
