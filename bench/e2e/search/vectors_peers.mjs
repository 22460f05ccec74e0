// SPDX-License-Identifier: Apache-2.0
// Peers under Node.js over vectors that vectors_peers.cc saved:
//   node vectors_peers.mjs usearch|lancedb FILE
// Processor time of the process, on one core (taskset); a line for each setting, with recall.
import { readSync, openSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const [, , peer, path] = process.argv;
const WANTED = 10;

function load() {
  const file = openSync(path, "r");
  const take = (Type, length) => {
    const out = new Type(length);
    const bytes = new Uint8Array(out.buffer);
    for (let at = 0; at < bytes.length;) {
      const got = readSync(file, bytes, at, Math.min(bytes.length - at, 1 << 30), null);
      if (got === 0) throw new Error("the file ends too soon");
      at += got;
    }
    return out;
  };
  const [count, questions, dims] = take(Uint32Array, 3);
  return { count, questions, dims, rows: take(Float32Array, count * dims),
    asked: take(Float32Array, questions * dims), nearest: take(Uint32Array, questions * WANTED) };
}

const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const residentMb = () => process.memoryUsage().rss / 1e6;

async function measure(data, name, ask) {
  const times = [];
  let right = 0;
  for (let round = 0; round < 3; round++) {
    right = 0;
    const start = cpuSeconds();
    for (let i = 0; i < data.questions; i++) {
      const found = await ask(data.asked.subarray(i * data.dims, (i + 1) * data.dims));
      const known = data.nearest.subarray(i * WANTED, (i + 1) * WANTED);
      for (const id of found) if (known.includes(Number(id))) right++;
    }
    times.push((cpuSeconds() - start) / data.questions);
  }
  times.sort((a, b) => a - b);
  const median = times[1];
  console.log(`${name.padEnd(44)} median ${(median * 1e6).toFixed(1)} us = ${(1 / median).toFixed(0)} queries/s a core, ` +
    `recall ${(right / (data.questions * WANTED)).toFixed(4)}`);
}

function built(data, name, before, start) {
  const seconds = cpuSeconds() - start;
  console.log(`${name}: ${data.count} vectors in ${seconds.toFixed(1)} s (${(data.count / seconds).toFixed(0)} vectors/s), ` +
    `${(residentMb() - before).toFixed(0)} MB more than the vectors`);
}

async function usearch(data) {
  const { default: { Index } } = await import("usearch");
  for (const quantization of ["f32", "i8"]) {
    const before = residentMb(), start = cpuSeconds();
    const index = new Index({ metric: "ip", connectivity: 16, dimensions: data.dims, quantization, expansion_add: 100 });
    const at_once = 1000;
    for (let i = 0; i < data.count; i += at_once) {
      const n = Math.min(at_once, data.count - i);
      index.add(BigUint64Array.from({ length: n }, (_, k) => BigInt(i + k)),
        data.rows.subarray(i * data.dims, (i + n) * data.dims), 1);
    }
    built(data, `usearch ${quantization}, connectivity 16, expansion_add 100`, before, start);
    await measure(data, `usearch ${quantization}, its expansion_search`,
      (question) => index.search(question, WANTED, 1).keys);
  }
}

async function lancedb(data) {
  const lance = await import("@lancedb/lancedb");
  const folder = join(dirname(path), "lance");
  rmSync(folder, { recursive: true, force: true });
  const database = await lance.connect(folder);
  const rows = (from, to) => Array.from({ length: to - from }, (_, i) => (
    { id: from + i, vector: data.rows.subarray((from + i) * data.dims, (from + i + 1) * data.dims) }));
  const before = residentMb(), start = cpuSeconds();
  let table;
  for (let i = 0; i < data.count; i += 10_000) {
    const some = rows(i, Math.min(data.count, i + 10_000));
    if (table) await table.add(some);
    else table = await database.createTable("v", some);
  }
  await table.createIndex("vector", { config: lance.Index.ivfPq({
    numPartitions: Math.floor(data.count / 512), numSubVectors: data.dims / 4, distanceType: "dot" }) });
  built(data, "LanceDB, IVF and PQ", before, start);
  for (const [probes, refine] of [[10, 5], [20, 10], [50, 20]])
    await measure(data, `LanceDB, nprobes ${probes}, refine ${refine}`, async (question) =>
      (await table.query().nearestTo(question).distanceType("dot").nprobes(probes).refineFactor(refine)
        .limit(WANTED).select(["id", "_distance"]).toArray()).map((row) => row.id));
}

const data = load();
await { usearch, lancedb }[peer](data);
