import type { BareAgent } from '../agent/recursive-skilled-agent.ts';
import { reasonOf } from '../core/index.ts';
import type { Metrics } from './metrics.ts';
import type { RouteGroup, ServerContext } from './route-group.ts';

/** The parts that the health of a server depends on. */
interface HealthParts {
  readonly metrics: Metrics;
  readonly agent: BareAgent;
}

/**
 * The routes for programs that watch the server: `/healthz` (the process responds), `/readyz` (the store, the
 * engine and the skills work, and the server takes requests) and `/metrics`. They say nothing about users.
 */
export function healthGroup(parts: HealthParts): RouteGroup {
  return {
    name: 'health',
    paths: ['/healthz', '/readyz', '/metrics'],
    isPublic: true,
    open: async (context) => ({
      handle: async (request) => {
        const { pathname } = new URL(request.url);
        if (request.method !== 'GET' && request.method !== 'HEAD')
          return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } });
        if (pathname === '/healthz') return Response.json({ status: 'ok' });
        if (pathname === '/readyz') return await readiness(parts, context);
        if (pathname !== '/metrics') return new Response(null, { status: 404 });
        return new Response(parts.metrics.text(), {
          headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
        });
      },
    }),
  };
}

async function readiness({ agent }: HealthParts, { draining, report }: ServerContext): Promise<Response> {
  const checks: Record<string, 'ok' | 'failed' | 'draining'> = {
    server: draining.aborted ? 'draining' : 'ok',
  };
  const check = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
      checks[name] = 'ok';
    } catch (thrown) {
      checks[name] = 'failed';
      report(`not ready: ${name}: ${reasonOf(thrown)}`);
    }
  };
  if (!draining.aborted) {
    await check('store', async () => (await agent.runs.store()).get('server/ready', 'check'));
    await check('skills', async () => agent.skills.list());
  }
  const isReady = Object.values(checks).every((state) => state === 'ok');
  return Response.json({ status: isReady ? 'ready' : 'not ready', checks }, { status: isReady ? 200 : 503 });
}
