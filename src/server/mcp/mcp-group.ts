import { randomBytes } from 'node:crypto';
import { getOrCreate, isAgentError, optional } from '../../core/index.ts';
import { maySkill, mustHaveScope, storedSession, type Caller } from '../caller.ts';
import { askerOf } from '../rest/start-run.ts';
import type { GroupHandler, ServerContext } from '../route-group.ts';
import type { PendingCall } from './context.ts';
import { openMcpEndpoint, type McpEndpoint } from './endpoint.ts';
import { serveSkills, type ServedSkills } from './serve-skills.ts';

const maxCallers = 1_000;

/** Serves MCP at `/mcp` of a server, with one endpoint for each key, so that keys share no state. */
export async function openMcpGroup(context: ServerContext): Promise<GroupHandler> {
  const { agent, version, report } = context;
  const served = await serveSkills(agent, { version, report });
  const endpoints = new Map<string, Promise<McpEndpoint>>();
  return {
    async handle(request, caller) {
      mustHaveScope(caller, 'runs:write');
      const { keyId } = caller.principal;
      const open = (): Promise<McpEndpoint> => openFor(served, caller, context);
      const endpoint = await getOrCreate(endpoints, keyId, maxCallers, open);
      const slot = context.runSlots.enter(caller.principal, caller.principal.concurrentRuns);
      if (isAgentError(slot)) throw slot;
      try {
        return await endpoint.answer(request);
      } finally {
        slot[Symbol.dispose]();
      }
    },
    async close() {
      const opened = await Promise.all(endpoints.values());
      await Promise.all(opened.map((endpoint) => endpoint[Symbol.asyncDispose]()));
      served[Symbol.dispose]();
    },
  };
}

async function openFor(served: ServedSkills, caller: Caller, context: ServerContext): Promise<McpEndpoint> {
  const { createRequestStateCodec } = await import('@modelcontextprotocol/server');
  const { serving } = served;
  const { user, ...asker } = askerOf(caller);
  const { tools, options } = serving;
  const own = {
    ...serving,
    seal: createRequestStateCodec<PendingCall>({ key: randomBytes(32), ttlSeconds: 86_400 }),
    options: { ...options, asker, ...optional('user', user), ...optional('limits', context.limits) },
    tools: {
      list: () => tools.list().filter(({ skill }) => maySkill(caller, skill)),
      find: (name: string) => {
        const tool = tools.find(name);
        return tool !== undefined && maySkill(caller, tool.skill) ? tool : undefined;
      },
    },
  };
  return await openMcpEndpoint({ ...served, serving: own }, (id) => storedSession(caller, id));
}
