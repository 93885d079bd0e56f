// A cold agent on the types that openapi-typescript generates: it prints the id of the report that it stored.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const [baseUrl = "", name = "", text = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

// need returns the data of an answer, or ends with the problem.
function need<T>({ data, error }: { data?: T; error?: { code: string; detail?: string } }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const registered = need(await client.POST("/intake/register", { body: { name, type: "agent", owner: name } }));
const answer = need(await client.POST("/ask", { body: { text } }));
if (answer.verdict !== "known" || !answer.problem) throw new Error(answer.verdict);
const headers = { Authorization: `Bearer ${registered.api_token}` };
need(await client.POST("/intake/outcome", { body: { id: answer.problem.id, outcome: "worked" }, headers }));
const report = { summary: `${name} saw a relay stop`, category: "failure", resolution: "Start it again." } as const;
const stored = need(await client.POST("/intake/submit", { body: report, params: { header: { "Idempotency-Key": name } }, headers }));
console.log(stored.id);
