import { randomBytes } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/server';
import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills';
import type { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import {
  createBackgroundTasks,
  faultLine,
  type PendingCall,
  type ServeOptions,
  type ServeContext,
} from './context.ts';
import { createSkillFiles } from './skill-files.ts';
import { createServedTools } from './tools.ts';

/**
 * Notifies connected clients when the tools and prompts change. Returns a function that stops this. The catalog reports
 * changes of the loadable skills itself.
 */
export function notifyClients(served: ServedSkills, clients: () => Iterable<McpServer>): () => void {
  return served.onChange((what) => {
    if (what === 'skills') return;
    for (const mcp of clients())
      // Ignore an error, because the client may just have disconnected.
      if (mcp.isConnected()) {
        mcp.server.sendToolListChanged().catch(() => undefined);
        mcp.server.sendPromptListChanged().catch(() => undefined);
      }
  });
}

/** The tools and skills that are served to clients, with any transport. */
export interface ServedSkills extends Disposable {
  readonly serving: ServeContext;
  /**
   * Adds a listener for changes of the tools or the loadable skills. Returns a function that removes the
   * listener.
   */
  onChange(listener: (what: 'tools' | 'skills') => void): () => void;
}

/**
 * Prepares the tools and loadable skills of an agent for serving. Until they are disposed, they are updated
 * when the registry changes.
 */
export async function serveSkills(agent: BareAgent, options: ServeOptions): Promise<ServedSkills> {
  const tools = createServedTools(agent, options);
  const catalog = await loadCatalog(agent, options);
  const seal = await createSeal();
  const listeners = new Set<(what: 'tools' | 'skills') => void>();
  const notify = (what: 'tools' | 'skills'): void => listeners.forEach((listener) => listener(what));
  const reload = async (): Promise<void> => {
    try {
      if ((await catalog.reload()).listChanged) notify('skills');
    } catch (thrown) {
      options.report(`could not reload the skills, serving the previous ones: ${faultLine(thrown)}`);
    }
  };
  const unsubscribe = agent.skills.subscribe(
    oneByOne(async () => {
      notify('tools');
      await reload();
    }),
  );
  return {
    serving: { agent, options, tools, catalog, seal, backgroundTasks: createBackgroundTasks(options.report) },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    [Symbol.dispose]: unsubscribe,
  };
}

/** Creates a seal with a key of its own. */
export async function createSeal(): Promise<ServeContext['seal']> {
  const { createRequestStateCodec } = await import('@modelcontextprotocol/server');
  return createRequestStateCodec<PendingCall>({ key: randomBytes(32), ttlSeconds: longestAnswer });
}

const longestAnswer = 86_400; // The time that clients have to answer a question, in seconds.
const pageSize = 200;

async function loadCatalog(agent: BareAgent, options: ServeOptions): Promise<SkillCatalog> {
  const { SkillCatalog } = await import('@modelcontextprotocol/server/ext/skills');
  const left = new Set<string>();
  const files = createSkillFiles(agent, options);
  const onWarning = ({ path }: { readonly path: string }): void => {
    if (path !== '.') left.add(path.split('/')[0] ?? path);
  };
  const load = (): Promise<SkillCatalog> => SkillCatalog.load(files, { onWarning, pageSize });
  const catalog = await load().catch(load); // Try again once: a file may have been removed during loading.
  for (const { uri } of catalog.entries) left.delete(new URL(uri).hostname);
  const served = catalog.entries.length;
  const all = `clients can load ${served} of ${served + left.size} skills`;
  if (left.size > 0) options.report(`${all}; run \`skilled validate --strict\` to see why`);
  return catalog;
}

/**
 * Wraps a function so that it never runs more than once at the same time. If there are calls while it runs,
 * it runs once more afterwards. The function must not reject.
 */
function oneByOne(work: () => Promise<void>): () => void {
  let isAtWork = false;
  let isRequested = false;
  const run = async (): Promise<void> => {
    isAtWork = true;
    for (isRequested = true; isRequested;) {
      isRequested = false;
      await work();
    }
    isAtWork = false;
  };
  return () => {
    isRequested = true;
    if (!isAtWork) void run();
  };
}
