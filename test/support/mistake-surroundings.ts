import { createServer, type AddressInfo } from 'node:net';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import { installedProject } from './installed.ts';
import type { Surroundings } from './mistake-stage.ts';

/** Something that a mistake needs around it, until it is over. */
export interface Opened extends Surroundings, AsyncDisposable {}

/** What the mistakes need that files alone cannot bring about, by the titles of their sections. */
export const surroundings: Readonly<Record<string, () => Promise<Opened>>> = {
  'A run that is not there': () => Promise.resolve(plain({ before: 'skilled run /glob "*.md" --quiet' })),
  'A wrong key': () => withProvider('sk-old-key'),
  'A model that does not exist': () => withProvider('sk-new-key'),
  'A server of models that is not running': () => withPort(false, '11434'),
  'A port that is taken': () => withPort(true, '8080'),
  'A folder that is read-only': () => Promise.resolve(plain({ wrapper: asReadOnly })),
  'Node is too old': () => Promise.resolve(plain({ env: preload(olderNode), isCured: true })),
  'No package for snippets': () =>
    Promise.resolve(
      plain({ env: preload(noEngine), actual: { '/opt/skilled': installedProject }, isCured: true }),
    ),
  'No bubblewrap': () => Promise.resolve(plain({ env: preload(noBubblewrap) })),
  'No bubblewrap, and a sandbox is required': () => Promise.resolve(plain({ env: preload(noBubblewrap) })),
};

/** A provider that takes the key of the page that is good, and knows one model. */
async function withProvider(key: string): Promise<Opened> {
  const server = await openModelServer(() => 'Thank you, Ann.', {
    authorization: 'sk-new-key',
    models: ['gpt-6-luna'],
  });
  return {
    env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: key },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** In the place of a port of the page, one at which somebody listens, or nobody does any more. */
async function withPort(isTaken: boolean, shown: string): Promise<Opened> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  if (!isTaken) await close();
  return {
    actual: { [shown]: String(port) },
    [Symbol.asyncDispose]: () => (isTaken ? close() : Promise.resolve()),
  };
}

/** A mount that nobody can write to: to the superuser, the mode of a folder means nothing. */
function asReadOnly(project: string): readonly string[] {
  return ['bwrap', '--dev-bind', '/', '/', '--ro-bind', project, project, '--chdir', project];
}

/** The version that the page shows, whatever this machine has. */
const olderNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.5' } });`;

/** A machine on which the program is not installed. */
const noBubblewrap = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { existsSync } = fs;
fs.existsSync = (path) => !String(path).endsWith('/bwrap') && existsSync(path);
syncBuiltinESMExports();`;

/** A project in which the optional package was not installed. */
const noEngine = `import Module from 'node:module';
const { _resolveFilename: resolve } = Module;
Module._resolveFilename = (name, ...more) => resolve(name === 'isolated-vm' ? 'no-such-package' : name, ...more);`;

function preload(code: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

function plain(around: Surroundings): Opened {
  return { ...around, [Symbol.asyncDispose]: () => Promise.resolve() };
}
