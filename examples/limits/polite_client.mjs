// Asks for a page COUNT times, as a service with rate limits wants to be asked: `cairn limits wait` reads an
// answer, waits as the service says, and tells when to send again. You see a line for each answer.
//   node polite_client.mjs URL COUNT [AUTHORIZATION]
import { spawn } from "node:child_process";

/** 0: it has waited, send again; 1: no limit refused it; else it is time to give up. */
function limitsWait(printed, attempt) {
  return new Promise((resolve, reject) => {
    const wait = spawn("cairn", ["limits", "wait", "--attempt", String(attempt)],
                       { stdio: ["pipe", "ignore", "inherit"] });
    wait.on("error", reject).on("close", resolve);
    wait.stdin.end(printed);
  });
}

/** A fetch that waits where a limit says so, and fails where that takes too long. */
export async function politeFetch(url, options) {
  for (let attempt = 0; ; ++attempt) {
    const response = await fetch(url, options);
    const text = await response.text();
    const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    const printed = [`HTTP/1.1 ${response.status}`, ...fields, "", text.slice(0, 4096)].join("\n");
    const status = await limitsWait(printed, attempt);
    if (status === 1) return { status: response.status, text, attempts: attempt + 1 };
    if (status !== 0) throw new Error(`${url} is refused by a rate limit (cairn limits wait: ${status})`);
  }
}

const [url, count, authorization] = process.argv.slice(2);
let sent = 0;
for (let i = 0; i < Number(count); ++i) {
  const answer = await politeFetch(url, { headers: authorization ? { authorization } : {} });
  sent += answer.attempts;
  console.log(`${answer.status} after ${sent} requests`);
}
