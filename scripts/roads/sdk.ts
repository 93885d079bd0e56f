// A cold agent on the official TypeScript SDK of MCP, in one connection that starts without a token: it prints the id of its report. The SDK
// checks each answer by its tool's output schema.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url = "", name = "", started = "", text = "", amended = "", followed = ""] = process.argv.slice(2);
const client = new Client({ name, version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
await client.listTools();

type Answer = { id: string; api_token: string; problem: { id: string; revision: string } };

// call returns the answer of a tool, or ends with the problem.
async function call(tool: string, given: Record<string, string>): Promise<Answer> {
  const result = await client.callTool({ name: tool, arguments: given });
  if (result.isError) throw new Error(`${tool}: ${JSON.stringify(result.content)}`);
  return result.structuredContent as Answer;
}

const api_token = started || (await call("register", { name, type: "agent", owner: name })).api_token;
const { problem } = await call("ask", { text });
await call("report_outcome", { id: problem.id, revision: problem.revision, outcome: "worked", api_token });
const said = { summary: `${name} saw a relay stop`, category: "failure", resolution: "Start it again." };
const { id } = await call("submit", { ...said, api_token });
await call("update", { id, resolution: amended, api_token });
await call("follow_up", { id, content: followed, api_token });
await call("withdraw", { id, why: "the cause was another", api_token });
console.log(id);
await client.close();
