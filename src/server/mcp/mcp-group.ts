import { getOrCreate, isAgentError, optional } from '../../core/index.ts';
import { askerOf, maySkill, mustHaveScope, storedSession, type Caller } from '../caller.ts';
import { strictestLimits } from '../limits/budgets.ts';
import { freeingAtEnd } from '../limits/slots.ts';
import type { GroupHandler, ServerContext } from '../route-group.ts';
import type { ServeOptions } from './context.ts';
import { openMcpEndpoint, type McpEndpoint } from './endpoint.ts';
import { createSeal, serveSkills, type ServedSkills } from './serve-skills.ts';

const maxCallers = 1_000;

/** Serves MCP at `/mcp` of a server, with one endpoint for each caller, so that callers share no state. */
export function openMcpGroup(context: ServerContext): GroupHandler {
  const endpoints = new Map<string, Promise<OwnEndpoint>>();
  let all: Promise<ServedSkills> | undefined;
  const shared = (): Promise<ServedSkills> =>
    (all ??= serveSkills(context.agent, { version: context.version, report: context.report }));
  return {
    async handle(request, caller) {
      mustHaveScope(caller, 'runs:write');
      const identity = identityOf(caller);
      const opening = getOrCreate(endpoints, identity, maxCallers, () => openFor(caller, context, shared));
      opening.catch(() => endpoints.delete(identity)); // The next request tries again.
      const { endpoint } = await opening;
      if (request.method !== 'POST') return await endpoint.answer(request);
      const slot = context.runSlots.enter(caller.principal, caller.principal.concurrentRuns);
      if (isAgentError(slot)) throw slot;
      try {
        return freeingAtEnd(await endpoint.answer(request), slot);
      } catch (thrown) {
        slot[Symbol.dispose]();
        throw thrown;
      }
    },
    async close() {
      const opened = await Promise.all(endpoints.values());
      await Promise.all(opened.map((own) => own[Symbol.asyncDispose]()));
      (await all)?.[Symbol.dispose]();
    },
  };
}

/** Returns everything that an endpoint knows about its caller. Roles and scopes of a user can change. */
function identityOf({ principal }: Caller): string {
  return JSON.stringify({ ...principal, scopes: [...principal.scopes] });
}

interface OwnEndpoint extends AsyncDisposable {
  readonly endpoint: McpEndpoint;
}

/** Opens an endpoint. A caller that may use all skills shares the catalog of skills with others. */
async function openFor(
  caller: Caller,
  context: ServerContext,
  shared: () => Promise<ServedSkills>,
): Promise<OwnEndpoint> {
  const { agent, version, report, budgets } = context;
  const { principal } = caller;
  const { user, ...asker } = askerOf(caller);
  const options: ServeOptions = {
    version,
    report,
    asker,
    ...optional('user', user),
    async limits() {
      const left = await budgets.check(principal);
      if (left instanceof Error) throw left;
      return strictestLimits(context.limits, left);
    },
  };
  if (principal.skills === undefined) {
    const served = await shared();
    const seal = await createSeal();
    const own = { ...served, serving: { ...served.serving, seal, options } };
    const endpoint = await openMcpEndpoint(own, (id) => storedSession(caller, id));
    return { endpoint, [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose]() };
  }
  const served = await serveSkills(agent, { ...options, includes: (skill) => maySkill(caller, skill) });
  const endpoint = await openMcpEndpoint(served, (id) => storedSession(caller, id));
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      await endpoint[Symbol.asyncDispose]();
      served[Symbol.dispose]();
    },
  };
}
