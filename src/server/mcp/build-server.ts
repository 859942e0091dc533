import type { ClientCapabilities, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { isAgentError, type Json } from '../../core/index.ts';
import { callTool, type ClientCall } from './call-tool.ts';
import type { ServeContext } from './context.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listPage } from './tools.ts';

/** Returns the session for a request. */
export type SessionOf = (request: ServerContext) => ClientCall['session'];

/**
 * Creates an MCP server that is not connected yet. The server serves one client or, with newer versions of
 * the protocol, a single request.
 */
export async function buildServer(serving: ServeContext, sessionOf: SessionOf): Promise<McpServer> {
  const { McpServer, ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server');
  const { options, tools, catalog, seal } = serving;
  const mcp = new McpServer(
    { name: 'skilled', title: 'skilled', version: options.version },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true },
      },
      inputRequired: { maxRounds: maxQuestions, roundTimeoutMs: longestWait },
      requestState: { verify: seal.verify },
    },
  );
  catalog.attach(mcp);
  mcp.server.setRequestHandler('tools/list', ({ params }) => listPage(tools.list(), params?.cursor));
  mcp.server.setRequestHandler('prompts/list', ({ params }) => listPrompts(serving, params?.cursor));
  mcp.server.setRequestHandler('prompts/get', ({ params }) => {
    try {
      const prompt = getPrompt(serving, params.name, params.arguments ?? {});
      if (prompt !== undefined) return prompt;
    } catch (thrown) {
      if (!isAgentError(thrown)) throw thrown;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, thrown.message);
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt "${params.name}".`);
  });
  mcp.server.setRequestHandler('tools/call', async ({ params }, request) => {
    const tool = tools.find(params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${params.name}".`);
    const input = (params.arguments ?? {}) as Json;
    const canAsk = canShowForms(mcp, request);
    return callTool({ serving, tool, input, session: sessionOf(request), canAsk, request });
  });
  return mcp;
}

const maxQuestions = 100;
const longestWait = 3_600_000; // The time limit for one round of questions, in milliseconds.

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Whether a client can show forms. A client that supports elicitation but declares neither forms nor URLs is
 * assumed to be able to show forms.
 */
function canShowForms(mcp: McpServer, request: ServerContext): boolean {
  const elicitation = declaredBy(mcp, request)?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/**
 * Returns the capabilities of a client. Newer clients send them with every request, and older clients only
 * when they connect.
 */
function declaredBy({ server }: McpServer, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: { readonly [capabilitiesKey]?: ClientCapabilities } | undefined = mcpReq.envelope;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only source for older clients
  return envelope === undefined ? server.getClientCapabilities() : envelope[capabilitiesKey];
}
