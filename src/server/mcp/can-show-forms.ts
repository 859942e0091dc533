import type { ClientCapabilities, McpServer, ServerContext } from '@modelcontextprotocol/server';

const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** Whether the client of a request can ask its user to fill in a form; one that says nothing of forms or addresses means forms. */
export function canShowForms(mcp: McpServer, request: ServerContext): boolean {
  const elicitation = declaredBy(mcp, request)?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Newer clients say with each request what they can do, older ones once. */
function declaredBy({ server }: McpServer, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: { readonly [capabilitiesKey]?: ClientCapabilities } | undefined = mcpReq.envelope;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- what was said once is nowhere else
  return envelope === undefined ? server.getClientCapabilities() : envelope[capabilitiesKey];
}
