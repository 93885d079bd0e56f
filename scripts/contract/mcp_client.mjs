// The official MCP SDK for TypeScript does the whole job over two replicas: every second request goes to the other one.

import { randomUUID } from "node:crypto";
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [first, second, token, others] = process.argv.slice(2);
const answered = [];

async function connect(token) {
  const inTurn = (url, init) => {
    answered.push([first, second][answered.length % 2]);
    return fetch(new URL(new URL(url).pathname, answered.at(-1)), init);
  };
  const client = new Client({ name: "contract", version: "1" });
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", first), { fetch: inTurn, requestInit: { headers } }));
  return client;
}

// call calls a tool, which must fail or not, and returns its answer.
async function call(client, name, args = {}, fails = false) {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content[0].text;
  assert(Buffer.byteLength(text) < 8192, `${name} answers with ${Buffer.byteLength(text)} bytes`);
  assert.equal(result.isError === true, fails, `${name}: ${text}`);
  return JSON.parse(text);
}

const client = await connect(token);
const tools = (await client.listTools()).tools;
for (const { name, annotations } of tools) {
  assert.equal(annotations.destructiveHint, false, name);
  assert(annotations.readOnlyHint || annotations.idempotentHint || name === "register", name);
}
const summary = `Numbat oracle feed is stale ${randomUUID()}`;
const stored = await call(client, "submit", { summary, category: "failure", idempotency_key: randomUUID() });
assert.equal((await call(client, "get", { id: stored.id })).summary, summary);
let found = false;
for (let tries = 0; tries < 100 && !found; tries++) {
  found = (await call(client, "search", { q: summary, limit: 5 })).results.some((hit) => hit.id === stored.id);
  if (!found) await new Promise((resolve) => setTimeout(resolve, 200));
}
assert(found, "what was submitted isn't found");
await call(client, "report_outcome", { id: others, outcome: "worked" });
await call(client, "flag", { id: others, reason: "stale", severity: "low" });
assert((await call(client, "status")).submissions > 0);
assert.equal((await call(client, "submit", { summary: "without a category" }, true)).code, "invalid_field");
await client.close();

const stranger = await connect("");
assert.equal((await call(stranger, "submit", { summary: "x", category: "general" }, true)).code, "missing_token");
await stranger.close();
console.log(`typescript: ${tools.length} tools, ${answered.length} requests over two replicas`);
