import { createServer, type AddressInfo } from 'node:net';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import { installedProject } from './installed.ts';
import type { Surroundings } from './mistake-stage.ts';

/** A mistake's environment, which is closed when the test is done. */
export interface Opened extends Surroundings, AsyncDisposable {}

/** The environments of mistakes that files alone cannot cause, keyed by section title. */
export const surroundings: Readonly<Record<string, () => Promise<Opened>>> = {
  'A run that does not exist': () => Promise.resolve(plain({ before: 'skilled run /glob "*.md" --quiet' })),
  'A wrong key': () => withProvider('sk-old-key'),
  'A model that does not exist': () => withProvider('sk-new-key'),
  'A model server that is not running': () => withPort(false, '11434'),
  'A port that is in use': () => withPort(true, '8080'),
  'A read-only folder': () => Promise.resolve(plain({ wrapper: asReadOnly })),
  'Node is too old': () => Promise.resolve(plain({ env: preload(olderNode), isCured: true })),
  'The snippet package is missing': () =>
    Promise.resolve(
      plain({ env: preload(noEngine), actual: { '/opt/skilled': installedProject }, isCured: true }),
    ),
  'No bubblewrap': () => Promise.resolve(plain({ env: preload(noBubblewrap) })),
  'No bubblewrap, but a sandbox is required': () => Promise.resolve(plain({ env: preload(noBubblewrap) })),
};

/** Starts a provider that accepts only the page's valid key and has one model. */
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

/** Replaces a port on the page with an actual port that is either in use or closed. */
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

/** Mounts the project read-only. File modes would not work, because they do not restrict root. */
function asReadOnly(project: string): readonly string[] {
  return ['bwrap', '--dev-bind', '/', '/', '--ro-bind', project, project, '--chdir', project];
}

/** Sets the Node version that the page shows. */
const olderNode = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.5' } });`;

/** Simulates a machine without bubblewrap. */
const noBubblewrap = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { existsSync } = fs;
fs.existsSync = (path) => !String(path).endsWith('/bwrap') && existsSync(path);
syncBuiltinESMExports();`;

/** Simulates a project without the optional package. */
const noEngine = `import Module from 'node:module';
const { _resolveFilename: resolve } = Module;
Module._resolveFilename = (name, ...more) => resolve(name === 'isolated-vm' ? 'no-such-package' : name, ...more);`;

function preload(code: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

function plain(around: Surroundings): Opened {
  return { ...around, [Symbol.asyncDispose]: () => Promise.resolve() };
}
