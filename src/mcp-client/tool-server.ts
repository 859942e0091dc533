import type { RequestOptions } from '@modelcontextprotocol/client';
import {
  AgentError,
  onAbort,
  optional,
  untilAborted,
  type ServerPlace,
  type ToolDefinition,
  type ToolRequest,
  type ToolServer,
} from '../core/index.ts';
import { showPlace } from './channel.ts';
import type { ServerConnection } from './connect.ts';
import { readPrompts, readResources, readToolList, type ServerTools } from './lists.ts';
import { readCallResult, readPromptResult, readResourceResult } from './results.ts';
import { createSharedConnection } from './shared-connection.ts';

/** A server of tools at a place; it connects with the first request. */
export function createToolServer(place: ServerPlace): ToolServer {
  const shared = createSharedConnection(place);
  const lists = new WeakMap<ServerConnection, Listed>();
  let complaints: readonly string[] = [];

  const ask = <Result>(
    request: ToolRequest,
    work: (connection: ServerConnection, options: RequestOptions) => Promise<Result>,
  ): Promise<Result> =>
    shared.use(request.signal, (connection) =>
      withRequestOptions(place, request, (options) => work(connection, options)),
    );

  /** Asked for all at once, whoever wants them; one that stops waiting does not stop the others. */
  const list = async (connection: ServerConnection, { signal }: ToolRequest): Promise<ServerTools> => {
    const before = lists.get(connection);
    const changes = connection.changes();
    const isCurrent = before !== undefined && changes !== undefined && before.changes === changes;
    const made = isCurrent ? before.made : readToolList(connection.client, { timeout: place.timeoutMs });
    if (!isCurrent) {
      lists.set(connection, { changes, made });
      made.catch(() => lists.delete(connection));
    }
    const found = await untilAborted(signal, made);
    ({ complaints } = found);
    return found;
  };

  return {
    name: place.name,
    place: showPlace(place),
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
        mustBeSame(tool, definitions, place);
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
}

interface Listed {
  readonly changes: number | undefined;
  readonly made: Promise<ServerTools>;
}

function metaOf({ idempotencyKey }: ToolRequest): { _meta?: Record<string, unknown> } {
  return idempotencyKey === undefined ? {} : { _meta: { 'skilled/idempotencyKey': idempotencyKey } };
}

function mustBeSame(tool: ToolDefinition, now: readonly ToolDefinition[], { name }: ServerPlace): void {
  const same = now.find((other) => other.name === tool.name);
  if (same?.hash === tool.hash) return;
  const what =
    same === undefined ? 'does not offer the tool any more' : 'describes the tool otherwise by now';
  throw new AgentError('server.changed', `The server "${name}" ${what}: ${tool.name}.`, {
    hint: 'Run it again, and look at what the server says of the tool before you allow it.',
  });
}

/** Makes a request as the library wants it: progress puts its end off, and a server is told that it was cancelled but not why. */
async function withRequestOptions<Result>(
  { timeoutMs }: ServerPlace,
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
