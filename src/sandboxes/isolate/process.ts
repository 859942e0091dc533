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
import { createTailBuffer } from '../process/output.ts';
import { waitForEnd, withinGrace } from '../process/process-group.ts';
import { openChannel, type IsolateProcess } from './channel.ts';

const startMs = 30_000;

/**
 * Starts a snippet process, inside bubblewrap if possible. Throws `sandbox.unavailable` if the process cannot
 * run snippets.
 */
export async function startIsolateProcess({ enclosed, bare } = isolateCommands()): Promise<IsolateProcess> {
  const first = await start(enclosed);
  if ('send' in first) return first;
  const second = await start(bare);
  if ('send' in second) return second;
  throw 'unavailable' in second ? unfitEngine(second.unavailable) : brokenWorker(second.reason);
}

/** The reason why a process did not start. `unavailable` means that the engine did not load. */
type Refusal = { readonly unavailable: string } | { readonly reason: string };

async function start([program, ...args]: CommandLine): Promise<IsolateProcess | Refusal> {
  // With UTC, snippets see the same dates on every machine. The process gets no other variables.
  const environment = { TZ: 'UTC' };
  const child = spawn(program, args, { env: environment, cwd: '/', detached: true });
  const complaints = createTailBuffer(20_000);
  const stderrEnd = waitForEnd(child.stderr.on('data', complaints.add));
  let reason = 'it exited immediately.';
  child.once('error', (thrown) => (reason = reasonOf(thrown)));
  const isolate = openChannel(child);
  const { promise, resolve } = Promise.withResolvers<Refusal | undefined>();
  using _clock = timer(startMs, () => resolve({ reason: 'it did not start in time.' }));
  const release = isolate.listen({
    most: 10_000,
    onMessage: (message) => resolve('unavailable' in message ? message : undefined),
    onLost: () =>
      void withinGrace(stderrEnd).then(() => resolve({ reason: crashReason(complaints.text()) || reason })),
  });
  const refusal = await promise;
  release();
  if (refusal === undefined) return isolate;
  await isolate.end();
  return refusal;
}

function brokenWorker(reason: string): AgentError {
  return new AgentError('sandbox.unavailable', `The snippet worker failed to start: ${reason}`, {
    hint: 'Reinstall skilled. If that does not help, please report this message.',
  });
}

/** A program and its arguments. */
type CommandLine = readonly [program: string, ...args: string[]];

/**
 * Returns the two commands for a snippet process. `enclosed` starts it in bubblewrap, with access only to
 * the program's own files. `bare` starts it without bubblewrap. In both cases, Node lets the process read
 * only these files, and does not let it write files or start processes.
 */
export function isolateCommands(): { readonly enclosed: CommandLine; readonly bare: CommandLine } {
  const { entry, read } = entryFiles('sandboxes/isolate/worker', ['core', 'sandboxes']);
  const engine = findEngine();
  const own = [
    ...[...read, ...engine.read],
    '/etc/alpine-release', // The loader reads this file to choose a build of the engine.
  ];
  const system = [process.execPath, '/usr', '/lib', '/lib64', '/nix/store', '/etc/ld.so.cache'];
  const bare: CommandLine = [
    process.execPath,
    ...['--no-node-snapshot', '--max-old-space-size=256', '--permission', '--allow-addons'],
    ...own.map((path) => `--allow-fs-read=${path}`),
    ...[entry, engine.file],
  ];
  const enclosed: CommandLine = [
    'bwrap',
    ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
    ...['--proc', '/proc', '--dev', '/dev'],
    ...[...own, ...system].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--chdir', '/', '--', ...bare],
  ];
  return { enclosed, bare };
}

const require = createRequire(import.meta.url);

// The optional package whose engine runs snippets, and the package that loads its native code.
const [engine, loader] = ['isolated-vm', 'node-gyp-build'];

/** The engine that runs snippets. */
interface Engine {
  readonly file: string;
  /** The paths that Node reads when it loads the engine. */
  readonly read: readonly string[];
}

/** Finds the engine without loading it. Throws `sandbox.unavailable` if the engine is not installed. */
function findEngine(): Engine {
  const file = findFile();
  const { resolve } = createRequire(file);
  // Some package managers install packages as links.
  const links = (resolve.paths(loader) ?? []).map((folder) => join(folder, loader));
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

/**
 * Creates the error for an engine that is installed but does not load. This can happen after a Node upgrade,
 * because the engine's native code works with only one Node version.
 */
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

/** Returns the hint with the command that installs the engine. `root` is the folder of this package. */
export function installHint(root: string): string {
  const { optionalDependencies = {} } = require(join(root, 'package.json')) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  const { folder, flag } = projectOf(root);
  const version = optionalDependencies[engine];
  return `Install it in ${folder}: npm install${flag} ${engine}${version === undefined ? '' : `@${version}`}`;
}

/**
 * Returns the folder of the project that contains a package, and the npm flag to install something there. In
 * a clone, the package is its own project. For a global installation, the flag is `--global`.
 */
function projectOf(root: string): { readonly folder: string; readonly flag: '' | ' --global' } {
  const at = root.indexOf(`${sep}node_modules${sep}`);
  const folder = at < 0 ? root : root.slice(0, at) || sep;
  return { folder, flag: existsSync(join(folder, 'package.json')) ? '' : ' --global' };
}
