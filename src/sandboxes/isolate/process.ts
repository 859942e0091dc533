import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import {
  AgentError,
  crashReason,
  entryFiles,
  packageFolder,
  reasonLine,
  reasonOf,
  timer,
} from '../../core/index.ts';
import { createKeptTail } from '../process/output.ts';
import { isHeard, withinGrace } from '../process/process-group.ts';
import { openChannel, type IsolateProcess } from './channel.ts';

const startMs = 30_000;

/** Starts one inside bubblewrap where that works, else without; throws `sandbox.unavailable` when it cannot run snippets. */
export async function startIsolateProcess({ enclosed, bare } = isolateCommands()): Promise<IsolateProcess> {
  const first = await start(enclosed);
  if ('send' in first) return first;
  const second = await start(bare);
  if ('send' in second) return second;
  throw 'unavailable' in second ? unfitEngine(second.unavailable) : brokenWorker(second.reason);
}

/** Its engine does not load, or it failed in another way. */
type Refusal = { readonly unavailable: string } | { readonly reason: string };

async function start([program, ...words]: Words): Promise<IsolateProcess | Refusal> {
  // Dates read the same on every machine; its environment holds nothing else.
  const environment = { TZ: 'UTC' };
  const child = spawn(program, words, { env: environment, cwd: '/', detached: true });
  const complaints = createKeptTail(20_000);
  const heard = isHeard(child.stderr.on('data', complaints.add));
  let reason = 'it ended at once.';
  child.once('error', (thrown) => (reason = reasonOf(thrown)));
  const isolate = openChannel(child);
  const { promise, resolve } = Promise.withResolvers<Refusal | undefined>();
  using _clock = timer(startMs, () => resolve({ reason: 'it did not start in time.' }));
  const release = isolate.attend({
    most: 10_000,
    onMessage: (message) => resolve('unavailable' in message ? message : undefined),
    onLost: () =>
      void withinGrace(heard).then(() => resolve({ reason: crashReason(complaints.text()) || reason })),
  });
  const refusal = await promise;
  release();
  if (refusal === undefined) return isolate;
  await isolate.end();
  return refusal;
}

function brokenWorker(reason: string): AgentError {
  return new AgentError('sandbox.unavailable', `The snippet worker failed to start: ${reason}`, {
    hint: 'Install skilled again. If that does not help, please report it with this message.',
  });
}

/** A program and its words. */
type Words = readonly [program: string, ...words: string[]];

/**
 * What starts a process that runs snippets: inside bubblewrap, where there is nothing but the files of its program, and
 * without. Node itself lets it read those files only, write none and start nothing.
 */
export function isolateCommands(): { readonly enclosed: Words; readonly bare: Words } {
  const { entry, read } = entryFiles('sandboxes/isolate/worker', ['core', 'sandboxes']);
  const engine = findEngine();
  const own = [
    ...[...read, ...engine.read],
    '/etc/alpine-release', // tells which build of the engine fits
  ];
  const system = [process.execPath, '/usr', '/lib', '/lib64', '/nix/store', '/etc/ld.so.cache'];
  const bare: Words = [
    process.execPath,
    ...['--no-node-snapshot', '--max-old-space-size=256', '--permission', '--allow-addons'],
    ...own.map((path) => `--allow-fs-read=${path}`),
    ...[entry, engine.file],
  ];
  const enclosed: Words = [
    'bwrap',
    ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...[...own, ...system].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--chdir', '/', '--', ...bare],
  ];
  return { enclosed, bare };
}

const require = createRequire(import.meta.url);

// The optional package whose engine runs snippets, and the one that it loads its machine code with.
const [engine, loader] = ['isolated-vm', 'node-gyp-build'];

/** The engine that runs snippets. */
interface Engine {
  readonly file: string;
  /** All that it reads to load itself. */
  readonly read: readonly string[];
}

/** Finds the engine without loading it; throws `sandbox.unavailable` when it is not installed. */
function findEngine(): Engine {
  const file = findFile();
  const { resolve } = createRequire(file);
  const links = (resolve.paths(loader) ?? []).map((folder) => join(folder, loader)); // some installers link packages
  try {
    const real = dirname(resolve(loader));
    return { file, read: [dirname(file), real, ...links.filter((link) => existsSync(link))] };
  } catch (thrown) {
    throw unfitEngine(reasonLine(thrown));
  }
}

function findFile(): string {
  try {
    return require.resolve(engine);
  } catch (thrown) {
    throw new AgentError(
      'sandbox.unavailable',
      `Snippets cannot run: the optional package ${engine} is not installed.`,
      {
        hint: installHint(packageFolder()),
        details: { package: engine },
        cause: thrown,
      },
    );
  }
}

/** That the engine is installed and does not load, as after a change of Node: its machine code fits one version only. */
function unfitEngine(reason: string): AgentError {
  const system = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  const { folder, flag } = projectOf(packageFolder());
  return new AgentError(
    'sandbox.unavailable',
    `Snippets cannot run: the optional package ${engine} does not load: ${reason}`,
    {
      hint: `Build it in ${folder} for ${system}, which needs Python and a C++ compiler: npm rebuild${flag} ${engine}`,
      details: { package: engine },
    },
  );
}

/** How to install the engine where the package in this folder finds it, in the version that it was tested with. */
export function installHint(root: string): string {
  const { optionalDependencies = {} } = require(join(root, 'package.json')) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  const { folder, flag } = projectOf(root);
  const version = optionalDependencies[engine];
  return `Install it in ${folder}: npm install${flag} ${engine}${version === undefined ? '' : `@${version}`}`;
}

/** The project that a package is installed in, which is the package itself in a clone; npm has a flag for those that belong to none. */
function projectOf(root: string): { readonly folder: string; readonly flag: '' | ' --global' } {
  const at = root.indexOf(`${sep}node_modules${sep}`);
  const folder = at < 0 ? root : root.slice(0, at) || sep;
  return { folder, flag: existsSync(join(folder, 'package.json')) ? '' : ' --global' };
}
