// SPDX-License-Identifier: Apache-2.0
// rate-limiter-flexible in memory: one limit, one decision at a time.
import { createRequire } from 'node:module';

const { RateLimiterMemory } = createRequire(`${process.argv[2]}/`)('rate-limiter-flexible');

async function measure(keys, seconds) {
  const limiter = new RateLimiterMemory({ points: 4_000_000_000, duration: 3600 });
  const names = Array.from({ length: keys }, (_, i) => `user:${i}`);
  for (const name of names) await limiter.consume(name);
  const before = process.memoryUsage().rss;
  let done = 0;
  let state = 88172645;
  const begin = process.hrtime.bigint();
  const end = begin + BigInt(seconds * 1e9);
  while (process.hrtime.bigint() < end) {
    for (let i = 0; i < 1000; ++i) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      await limiter.consume(names[state % keys]);
    }
    done += 1000;
  }
  const took = Number(process.hrtime.bigint() - begin) / 1e9;
  console.log(`rate_limiter_flexible/${keys}  ${(done / took / 1e6).toFixed(2)} M/s  ` +
    `rss ${(before / 1e6).toFixed(0)} MB`);
}

for (const keys of [1, 10_000, 100_000]) await measure(keys, 2);
process.exit(0);  // its timers would hold the process for an hour
