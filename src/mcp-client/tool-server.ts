import type { RequestOptions } from '@modelcontextprotocol/client';
import {
  AgentError,
  onAbort,
  optional,
  renamedMembers,
  untilAborted,
  type ServerEndpoint,
  type ToolDefinition,
  type ToolRequest,
  type ToolServer,
} from '../core/index.ts';
import { describeEndpoint } from './channel.ts';
import type { ServerConnection } from './connect.ts';
import { readPrompts, readResources, readToolList, type ServerTools } from './lists.ts';
import { readCallResult, readPromptResult, readResourceResult } from './results.ts';
import { createSharedConnection } from './shared-connection.ts';

/** Creates a client for a tool server. The client connects on its first request. */
export function createToolServer(endpoint: ServerEndpoint): ToolServer {
  const shared = createSharedConnection(endpoint);
  const lists = new WeakMap<ServerConnection, Listed>();
  let complaints: readonly string[] = [];

  const ask = <Result>(
    request: ToolRequest,
    work: (connection: ServerConnection, options: RequestOptions) => Promise<Result>,
  ): Promise<Result> =>
    shared.use(request.signal, (connection) =>
      withRequestOptions(endpoint, request, (options) => work(connection, options)),
    );

  /**
   * Lists the tools. Concurrent callers share one request, which continues even if a caller stops waiting.
   */
  const list = async (connection: ServerConnection, { signal }: ToolRequest): Promise<ServerTools> => {
    const before = lists.get(connection);
    const changes = connection.changes();
    const isCurrent = before !== undefined && changes !== undefined && before.changes === changes;
    const listing = isCurrent
      ? before.listing
      : readToolList(connection.client, { timeout: endpoint.timeoutMs });
    if (!isCurrent) {
      lists.set(connection, { changes, listing });
      listing.catch(() => lists.delete(connection));
    }
    const found = await untilAborted(signal, listing);
    ({ complaints } = found);
    return found;
  };

  const server: ToolServer = {
    name: endpoint.name,
    endpoint: describeEndpoint(endpoint),
    features: (request) =>
      ask(request, async ({ client }) => {
        const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills');
        const { resources, prompts } = client.getServerCapabilities() ?? {};
        const skills = new SkillsClient(client).supported;
        return { resources: resources !== undefined, prompts: prompts !== undefined, skills };
      }),
    tools: (request) => ask(request, async (connection) => (await list(connection, request)).definitions),
    complaints: () => complaints,
    call: (tool, input, request) =>
      ask(request, async (connection, options) => {
        const { definitions, said } = await list(connection, request);
        mustBeSame(tool, definitions, endpoint);
        const toolDefinition = said.get(tool.name);
        const result = await connection.client.callTool(
          { name: tool.name, arguments: { ...input }, ...metaOf(request) },
          { ...options, ...(toolDefinition === undefined ? {} : { toolDefinition }) },
        );
        return readCallResult(result);
      }),
    resources: (request) => ask(request, ({ client }, options) => readResources(client, options)),
    readResource: (uri, request) =>
      ask(request, async ({ client }, options) =>
        readResourceResult(await client.readResource({ uri }, { ...options, cacheMode: 'bypass' })),
      ),
    prompts: (request) => ask(request, ({ client }, options) => readPrompts(client, options)),
    getPrompt: (name, values, request) =>
      ask(request, async ({ client }, options) =>
        readPromptResult(await client.getPrompt({ name, arguments: { ...values } }, options)),
      ),
    close: () => shared.close(),
  };
  return Object.defineProperties(server, earlierMembers);
}

const earlierMembers = renamedMembers({ place: 'endpoint' }, 'ToolServer');

interface Listed {
  readonly changes: number | undefined;
  readonly listing: Promise<ServerTools>;
}

function metaOf({ idempotencyKey }: ToolRequest): { _meta?: Record<string, unknown> } {
  return idempotencyKey === undefined ? {} : { _meta: { 'skilled/idempotencyKey': idempotencyKey } };
}

function mustBeSame(tool: ToolDefinition, now: readonly ToolDefinition[], { name }: ServerEndpoint): void {
  const same = now.find((other) => other.name === tool.name);
  if (same?.hash === tool.hash) return;
  const what = same === undefined ? 'no longer offers the tool' : 'has changed the description of the tool';
  throw new AgentError('server.changed', `The server "${name}" ${what}: ${tool.name}.`, {
    hint: "Try again, and check the tool's new description before you approve it.",
  });
}

/**
 * Calls `work` with request options for the client library. Progress messages extend the timeout. If the
 * request is cancelled, the server is notified, but without the reason.
 */
async function withRequestOptions<Result>(
  { timeoutMs }: ServerEndpoint,
  { signal, onProgress }: ToolRequest,
  work: (options: RequestOptions) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const cancel = (): void => stop.abort('The request was cancelled.');
  using _listener = onAbort(signal, cancel);
  if (signal.aborted) cancel();
  return await work({
    signal: stop.signal,
    timeout: timeoutMs,
    resetTimeoutOnProgress: true,
    onprogress({ progress, total, message }) {
      onProgress?.({ done: progress, ...optional('total', total), ...optional('message', message) });
    },
  });
}
