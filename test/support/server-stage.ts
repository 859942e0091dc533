import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type * as library from '../../src/index.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { NewKey } from '../../src/server/keys/key-store.ts';
import { createKeyStore } from '../../src/server/keys/key-store.ts';
import type * as serverLibrary from '../../src/server/index.ts';
import { generateClient, type ApiClient } from './api-client.ts';
import { installedPackage } from './installed.ts';

const load = async <Module>(entry: string): Promise<Module> =>
  (await import(pathToFileURL(join(installedPackage, 'dist', entry)).href)) as Module;

/** The library and the server of the built package. */
export const { RecursiveSkilledAgent, defineSkill } = await load<typeof library>('index.js');
const { createServer } = await load<typeof serverLibrary>('server.js');

/** A server of the built package over HTTP, with a few skills. */
export interface ServerStage extends AsyncDisposable {
  readonly url: string;
  readonly agent: library.RecursiveSkilledAgent;
  readonly server: serverLibrary.AgentServer;
  readonly document: JsonObject;
  /** Resolves when the skill `hold` has been called; `release` lets all its calls end. */
  readonly held: () => Promise<void>;
  release(): void;
  /** Creates a key and returns a client that uses it. */
  clientFor(key: Partial<NewKey> & Pick<NewKey, 'name'>): Promise<ApiClient>;
  keyFor(key: Partial<NewKey> & Pick<NewKey, 'name'>): Promise<string>;
}

/** Opens the stage. */
export async function openServerStage(
  options: serverLibrary.ServerOptions = {},
  agentOptions: library.AgentOptions = {},
): Promise<ServerStage> {
  let latch = Promise.withResolvers<undefined>();
  let entered = Promise.withResolvers<undefined>();
  const text = (input: Json): string => (typeof input === 'string' ? input : JSON.stringify(input));
  const skills = [
    defineSkill({
      name: 'echo',
      description: 'Repeats what it gets.',
      run: (input: Json) => ({ status: 'done' as const, text: text(input), value: { got: input } }),
    }),
    defineSkill({
      name: 'hold',
      description: 'Waits until it is released.',
      run: async (_input: Json, { signal }) => {
        entered.resolve(undefined);
        const gone = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await Promise.race([latch.promise, gone]);
        return { status: 'done' as const, text: 'released' };
      },
    }),
    defineSkill({
      name: 'ask',
      description: 'Asks for a color.',
      run: async (_input: Json, scope) => {
        const color = await scope.ask('Which color?');
        return { status: 'done' as const, text: `You like ${text(color)}.` };
      },
    }),
    defineSkill({
      name: 'draw',
      description: 'Makes an artifact.',
      run: (input: Json, scope) => {
        scope.artifact({
          name: 'drawing.svg',
          mediaType: 'image/svg+xml',
          text: `<svg>${text(input)}</svg>`,
        });
        return { status: 'done' as const, text: 'drawn' };
      },
    }),
    defineSkill({
      name: 'wipe',
      description: 'Deletes something.',
      permission: 'Wipe',
      run: () => ({ status: 'done' as const, text: 'wiped' }),
    }),
  ];
  const agent = new RecursiveSkilledAgent({
    embeddings: false,
    models: { model: () => undefined },
    skills,
    permissions: { ask: ['Wipe'], tools: ['Wipe'] },
    ...agentOptions,
  });
  const server = createServer(agent, { keys: true, ...options });
  const { url } = await server.listen();
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as JsonObject;
  const keys = createKeyStore(await agent.runs.store());
  const keyFor: ServerStage['keyFor'] = async (key) => {
    const usual = { roles: [], scopes: ['runs:read', 'runs:write', 'skills:read', 'sessions:read'] as const };
    return (await keys.add({ ...usual, ...key })).key;
  };

  return {
    url,
    agent,
    server,
    document,
    held: () => entered.promise.then(() => undefined),
    release() {
      latch.resolve(undefined);
      latch = Promise.withResolvers();
      entered = Promise.withResolvers();
    },
    keyFor,
    clientFor: async (key) => generateClient(document, url, await keyFor(key)),
    async [Symbol.asyncDispose]() {
      latch.resolve(undefined);
      await server.close({ drainMs: 0 });
      await agent.shutdown({ drainMs: 0 });
    },
  };
}
