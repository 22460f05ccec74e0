// llama.cpp on one thread: tokens a second of processor time, of a prompt and of what comes after it.
//   llama_peer.mjs FILE.gguf, a line of JSON {prompt, words} at a time
// Run in the folder that has its node_modules.
import {createInterface} from "node:readline";
import {pathToFileURL} from "node:url";

const library = pathToFileURL(`${process.cwd()}/node_modules/node-llama-cpp/dist/index.js`);
const {getLlama, LlamaLogLevel} = await import(library);
const llama = await getLlama({gpu: false, build: "never", maxThreads: 1, logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: process.argv[2], gpuLayers: 0});
const context = await model.createContext({contextSize: 2048, batchSize: 512, threads: 1, sequences: 1});
const sequence = context.getSequence();

function seconds() {
  const {user, system} = process.cpuUsage();
  return (user + system) / 1e6;
}

for await (const line of createInterface({input: process.stdin})) {
  const {prompt, words} = JSON.parse(line);
  await sequence.clearHistory();
  const tokens = Array.from({length: prompt}, (_, i) => i * 7919 % 150_000);
  let start = seconds();
  await sequence.evaluateWithoutGeneratingNewTokens(tokens);
  const promptRate = prompt / (seconds() - start);
  start = seconds();
  let made = 0;
  for await (const _ of sequence.evaluate([7], {temperature: 0, yieldEogToken: true})) {
    if (++made === words) break;
  }
  console.log(JSON.stringify({prompt: promptRate, one: made / (seconds() - start)}));
}
process.exit(0);
