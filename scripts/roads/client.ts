// A cold agent on the types that openapi-typescript generates: it prints the id of its report.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const [baseUrl = "", name = "", started = "", text = "", amended = "", followed = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl });

// need returns the data of an answer, or ends with the problem.
function need<T>({ data, error }: { data?: T; error?: { code: string; detail?: string } }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const token = started || need(await client.POST("/intake/register", { body: { name, type: "agent", owner: name } })).api_token;
const { verdict, problem } = need(await client.POST("/ask", { body: { text } }));
if (verdict !== "known" || !problem) throw new Error(verdict);
const headers = { Authorization: `Bearer ${token}` };
need(await client.POST("/intake/outcome", { body: { id: problem.id, revision: problem.revision, outcome: "worked" }, headers }));
const report = { summary: `${name} saw a relay stop`, category: "failure", resolution: "Start it again." } as const;
const { id } = need(await client.POST("/intake/submit", { body: report, params: { header: { "Idempotency-Key": name } }, headers }));
need(await client.PATCH("/submissions/{id}", { params: { path: { id } }, body: { resolution: amended }, headers }));
need(await client.POST("/intake/follow-up", { body: { id, content: followed }, headers }));
need(await client.POST("/intake/withdraw", { body: { id, why: "the cause was another" }, headers }));
console.log(id);
