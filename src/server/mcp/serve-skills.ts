import { randomBytes } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/server';
import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import {
  createErrands,
  faultLine,
  type PendingCall,
  type ServeOptions,
  type ServeContext,
} from './context.ts';
import { createSkillFiles } from './skill-files.ts';
import { createServedTools } from './tools.ts';

/** Tells clients that stay connected when there are other tools, until the returned function is called; of other skills they are told by the catalog. */
export function tellClients(served: ServedSkills, clients: () => Iterable<McpServer>): () => void {
  return served.onChange((what) => {
    if (what === 'skills') return;
    for (const mcp of clients())
      if (mcp.isConnected()) mcp.server.sendToolListChanged().catch(() => undefined); // it went away just now
  });
}

/** What is served, whichever way clients come. */
export interface ServedSkills extends Disposable {
  readonly serving: ServeContext;
  /** Calls a listener when there are other tools, and when other skills can be loaded, until the returned function is called. */
  onChange(listener: (what: 'tools' | 'skills') => void): () => void;
}

/** Makes ready what clients are served: the tools, and the skills that they can load; it follows the registry until it is disposed of. */
export async function serveSkills(agent: BareAgent, options: ServeOptions): Promise<ServedSkills> {
  const { createRequestStateCodec } = await import('@modelcontextprotocol/server');
  const tools = createServedTools(agent, options);
  const catalog = await loadCatalog(agent, options);
  const seal = createRequestStateCodec<PendingCall>({ key: randomBytes(32), ttlSeconds: longestAnswer });
  const listeners = new Set<(what: 'tools' | 'skills') => void>();
  const tell = (what: 'tools' | 'skills'): void => listeners.forEach((listener) => listener(what));
  const reload = async (): Promise<void> => {
    try {
      if ((await catalog.reload()).listChanged) tell('skills');
    } catch (thrown) {
      options.report(`the skills are served as they were: ${faultLine(thrown)}`);
    }
  };
  const unsubscribe = agent.skills.subscribe(
    oneByOne(async () => {
      tell('tools');
      await reload();
    }),
  );
  return {
    serving: { agent, options, tools, catalog, seal, errands: createErrands(options.report) },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    [Symbol.dispose]: unsubscribe,
  };
}

const longestAnswer = 86_400; // seconds
const pageSize = 200;

async function loadCatalog(agent: BareAgent, options: ServeOptions): Promise<SkillCatalog> {
  const { SkillCatalog } = await import('@modelcontextprotocol/server/ext/skills');
  const left = new Set<string>();
  const files = createSkillFiles(agent, options);
  const onWarning = ({ path }: { readonly path: string }): void => {
    if (path !== '.') left.add(path.split('/')[0] ?? path);
  };
  const load = (): Promise<SkillCatalog> => SkillCatalog.load(files, { onWarning, pageSize });
  const catalog = await load().catch(load); // a file may go while all are read
  for (const { uri } of catalog.entries) left.delete(new URL(uri).hostname);
  const served = catalog.entries.length;
  const all = `${served} of ${served + left.size} skills can be loaded by clients`;
  if (left.size > 0) options.report(`${all}; \`skilled validate --strict\` says why`);
  return catalog;
}

/** Does something whenever it is called, never twice at once: calls while it is at work come to one more time. It must not reject. */
function oneByOne(work: () => Promise<void>): () => void {
  let isAtWork = false;
  let isWanted = false;
  const run = async (): Promise<void> => {
    isAtWork = true;
    for (isWanted = true; isWanted;) {
      isWanted = false;
      await work();
    }
    isAtWork = false;
  };
  return () => {
    isWanted = true;
    if (!isAtWork) void run();
  };
}
