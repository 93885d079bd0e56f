// The official MCP SDK for TypeScript does the whole job over two replicas: every second request goes to the other one.

import { randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [first, second, token, others] = process.argv.slice(2);
const tools = ["flag", "get", "report_outcome", "search", "status", "submit"];
const reads = ["get", "search", "status"];

function check(holds, what) {
  if (!holds) {
    console.error(`typescript: ${what}`);
    process.exit(1);
  }
}

// connect returns a client whose requests go to the replicas in turn.
async function connect(token, answered) {
  const replicas = [first, second];
  const inTurn = (url, init) => {
    const base = replicas[answered.length % replicas.length];
    answered.push(base);
    return fetch(new URL(new URL(url).pathname, base), init);
  };
  const client = new Client({ name: "contract", version: "1" });
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", first), { fetch: inTurn, requestInit: { headers } }));
  return client;
}

async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content[0].text;
  check(Buffer.byteLength(text) < 8192, `${name} answers with ${Buffer.byteLength(text)} bytes`);
  return { failed: result.isError === true, answer: JSON.parse(text), structured: result.structuredContent };
}

const answered = [];
const client = await connect(token, answered);
const listed = (await client.listTools()).tools;
check(String(listed.map((t) => t.name).sort()) === String(tools), `tools are ${listed.map((t) => t.name)}`);
for (const { name, annotations } of listed) {
  check(annotations.readOnlyHint === reads.includes(name), `${name}: read-only hint ${annotations.readOnlyHint}`);
  check(annotations.destructiveHint === false && annotations.idempotentHint === true, `${name}: ${JSON.stringify(annotations)}`);
}

const summary = `Numbat oracle feed is stale ${randomUUID()}`;
const stored = await call(client, "submit", { summary, category: "failure", idempotency_key: randomUUID() });
check(!stored.failed && stored.structured.status === "stored", `submit: ${JSON.stringify(stored)}`);
const item = await call(client, "get", { collection: "submissions", id: stored.answer.id });
check(!item.failed && item.answer.summary === summary, `get: ${JSON.stringify(item)}`);
let found = false;
for (let i = 0; i < 100 && !found; i++) {
  const page = await call(client, "search", { q: summary, limit: 5 });
  found = page.answer.results.some((hit) => hit.id === stored.answer.id);
  if (!found) await new Promise((resolve) => setTimeout(resolve, 200));
}
check(found, "what was submitted isn't found");
const target = { collection: "submissions", id: others };
const outcome = await call(client, "report_outcome", { target, outcome: "worked" });
check(!outcome.failed, `report_outcome: ${JSON.stringify(outcome)}`);
const flag = await call(client, "flag", { target, reason: "stale", severity: "low" });
check(!flag.failed, `flag: ${JSON.stringify(flag)}`);
const status = await call(client, "status");
check(!status.failed && status.answer.submissions > 0, `status: ${JSON.stringify(status)}`);
const faulty = await call(client, "submit", { summary: "without a category" });
check(faulty.failed && faulty.answer.code === "invalid_field", `an error: ${JSON.stringify(faulty)}`);
await client.close();

const stranger = await connect("", []);
const refused = await call(stranger, "submit", { summary: "x", category: "general" });
check(refused.failed && refused.answer.code === "missing_token", `without a token: ${JSON.stringify(refused)}`);
await stranger.close();
check(new Set(answered).size === 2, "one replica answered everything");
console.log(`typescript: ${listed.length} tools, ${answered.length} requests over ${new Set(answered).size} replicas`);
