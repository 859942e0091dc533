import type { ClientCapabilities, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Json } from '../../core/index.ts';
import { callTool, type ClientCall } from './call-tool.ts';
import type { ServeContext } from './context.ts';
import { listPage } from './tools.ts';

/** Whose memory a call uses, by what it says. */
export type SessionOf = (request: ServerContext) => ClientCall['session'];

/** A server for one client, or in newer revisions for one request of it; it is not connected yet. */
export async function buildServer(serving: ServeContext, sessionOf: SessionOf): Promise<McpServer> {
  const { McpServer, ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server');
  const { options, tools, catalog, seal } = serving;
  const mcp = new McpServer(
    { name: 'skilled', title: 'skilled', version: options.version },
    {
      capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
      inputRequired: { maxRounds: mostQuestions, roundTimeoutMs: longestWait },
      requestState: { verify: seal.verify },
    },
  );
  catalog.attach(mcp);
  mcp.server.setRequestHandler('tools/list', ({ params }) => listPage(tools.list(), params?.cursor));
  mcp.server.setRequestHandler('tools/call', async ({ params }, request) => {
    const tool = tools.find(params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}".`);
    const input = (params.arguments ?? {}) as Json;
    const canAsk = canShowForms(mcp, request);
    return callTool({ serving, tool, input, session: sessionOf(request), canAsk, request });
  });
  return mcp;
}

const mostQuestions = 100;
const longestWait = 3_600_000; // milliseconds

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** Whether the client of a request can ask its user to fill in a form; one that says nothing of forms or addresses means forms. */
function canShowForms(mcp: McpServer, request: ServerContext): boolean {
  const elicitation = declaredBy(mcp, request)?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Newer clients say with each request what they can do, older ones once. */
function declaredBy({ server }: McpServer, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: { readonly [capabilitiesKey]?: ClientCapabilities } | undefined = mcpReq.envelope;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- what was said once is nowhere else
  return envelope === undefined ? server.getClientCapabilities() : envelope[capabilitiesKey];
}
