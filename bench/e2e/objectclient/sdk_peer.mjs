// Small objects through @aws-sdk/client-s3, so many requests under way at once.
//   node sdk_peer.mjs ENDPOINT BUCKET PREFIX KEYS CONCURRENCY SECONDS
// Run in the folder that has its node_modules. Credentials and region come from the environment.
import { createRequire } from "node:module";
import http from "node:http";

const require = createRequire(process.cwd() + "/");
const { S3Client, GetObjectCommand } = require("@aws-sdk/client-s3");
const { NodeHttpHandler } = require("@smithy/node-http-handler");

const [endpoint, bucket, prefix, keys, concurrency, seconds] = process.argv.slice(2);
const client = new S3Client({
  endpoint,
  forcePathStyle: true,
  requestHandler: new NodeHttpHandler({
    httpAgent: new http.Agent({ keepAlive: true, maxSockets: Number(concurrency) }),
  }),
});
const until = performance.now() + 1000 * Number(seconds);
let requests = 0;
let bytes = 0;
const began = performance.now();
await Promise.all(
  Array.from({ length: Number(concurrency) }, async (_, lane) => {
    for (let i = lane; performance.now() < until; i += Number(concurrency)) {
      const got = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: prefix + (i % Number(keys)) }),
      );
      bytes += (await got.Body.transformToByteArray()).length;
      ++requests;
    }
  }),
);
const took = (performance.now() - began) / 1000;
console.log(JSON.stringify({ per_second: requests / took, bytes, requests }));
process.exit(0);
