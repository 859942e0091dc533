import { defineSkill } from '../../src/core/define-skill.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { createServer } from '../../src/server/create-server.ts';
import { createKeyStore } from '../../src/server/keys/key-store.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { agentWith, done, textOf } from './kernel.ts';

/** A server with the keys of two users, for requests that nobody has checked. */
export interface FuzzedServer extends AsyncDisposable {
  /** Sends a request with the key of a user. */
  send(user: 'ana' | 'bob', method: string, path: string, body?: string): Promise<Response>;
  /** Returns the ids of all runs. */
  runIds(): Promise<readonly string[]>;
  /** The errors that no request was told about. */
  readonly reports: readonly string[];
}

/** Opens a server with the skills `echo` and `ask`. */
export async function openFuzzedServer(): Promise<FuzzedServer> {
  const store = createMemoryStore();
  const models = createScriptedModel((request, turn) =>
    turn % 5 === 0 && request.tools?.some(({ name }) => name === 'get_weather') === true
      ? { calls: [{ name: 'get_weather', input: { city: 'Cluj' } }] }
      : `Answer ${turn}.`,
  );
  const agent = agentWith({ echo: (input) => done(textOf(input)) }, { store, models });
  agent.skills.register(
    defineSkill({
      name: 'ask',
      description: 'Asks.',
      run: async (_input, scope) => done(textOf(await scope.ask('Who?'))),
    }),
  );
  const keys = createKeyStore(store);
  const secrets = new Map<string, string>();
  for (const name of ['ana', 'bob']) {
    const scopes = ['runs:read', 'runs:write', 'skills:read'] as const;
    secrets.set(name, (await keys.add({ name, user: name, roles: [], scopes })).key);
  }
  const reports: string[] = [];
  const server = createServer(agent, { keys: true, report: (line) => reports.push(line) });
  return {
    reports,
    runIds: async () => (await agent.runs.list({ limit: 1_000 })).map(({ id }) => id),
    send: async (user, method, path, body) =>
      await server.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: { authorization: `Bearer ${secrets.get(user)}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body }),
        }),
      ),
    async [Symbol.asyncDispose]() {
      await server.close({ drainMs: 0 });
      await agent.shutdown();
    },
  };
}
