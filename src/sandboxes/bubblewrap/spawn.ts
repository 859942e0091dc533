import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import type { Duplex } from 'node:stream';
import { AgentError, reasonOf, type ProcessCommand, type Grant } from '../../core/index.ts';
import { systemCode } from '../../files/index.ts';
import { openGitView, type GitView } from '../git/view.ts';
import type { Network } from '../network/network.ts';
import { notStarted } from '../process/process-group.ts';
import {
  buildArguments,
  buildScript,
  firstFreeHandle,
  fixedArguments,
  handles,
  limitsOf,
  memoryFoldersOf,
} from './command-line.ts';
import { coverSockets, holdGranted, type GrantedFolders } from './grant-mounts.ts';
import { privateFiles } from './private-files.ts';

/** A command to run in a sandbox. */
export interface SandboxedCommand {
  /** Path of the bubblewrap program. */
  readonly bubblewrap: string;
  readonly grant: Grant;
  /** Real paths in writable folders to mount read-only. */
  readonly readOnly?: readonly string[];
  /** Real paths of the host's sockets in granted folders. They cannot be opened. */
  readonly sockets?: readonly string[];
  readonly network: Network | undefined;
  /** The host folder mounted as /tmp. If omitted, /tmp is in memory. */
  readonly temporary?: string | undefined;
  readonly command: ProcessCommand;
  /** The working folder's path inside the sandbox. */
  readonly folder: string;
  /** Whether the command's stdin is connected. */
  readonly reads: boolean;
  /** Whether the command has a channel on handle 3. */
  readonly hasChannel: boolean;
  /** Whether the process outlives a single command. */
  readonly isLive?: boolean;
}

/** The outermost process of a sandbox that was just started. */
export interface Spawned {
  readonly child: ChildProcess;
  /** Returns the stream with the given handle number, or null if there is none. */
  streamAt(handle: number): Duplex | null;
  /** Folders in the sandbox whose files are kept in memory. */
  readonly memoryFolders: readonly string[];
  /** The git folders that the command works on. */
  readonly git: GitView;
}

/** Starts bubblewrap with only the access in a grant. The sandbox dies with the thread that calls this. */
export async function spawnSandboxed(options: SandboxedCommand): Promise<Spawned> {
  const { grant, network, temporary, command, reads, hasChannel } = options;
  using mounted = holdGranted(grant, options.readOnly);
  using git = openGitView(grant, options.isLive === true);
  const granted = withGit(mounted, git);
  using covers = coverSockets(granted.folders, options.sockets);
  const folders = [...granted.folders, ...covers.folders];
  using opened = openFiles();
  const firstFolder = firstFreeHandle + opened.files.length;
  try {
    const bytes = encode([
      ...privateFiles().flatMap((file, index) => file.buildArguments(firstFreeHandle + index)),
      ...buildArguments(
        { grant, network, temporary },
        { ...granted, folders },
        (index) => firstFolder + index,
      ),
    ]);
    const child = spawn(options.bubblewrap, commandArguments(options), {
      cwd: '/',
      env: {}, // these would be bubblewrap's own variables, and it runs outside the sandbox
      detached: true,
      stdio: overInherited(opened.nothing, [
        ...(['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const),
        ...[reads, hasChannel].map((isNeeded) => (isNeeded ? 'pipe' : opened.nothing)),
        ...opened.files,
        ...folders.map(({ handle }) => handle),
      ]),
    });
    const streams = child.stdio as readonly (Duplex | null | undefined)[];
    // Ignores errors, because the process may close a stream at any time.
    for (const stream of streams) stream?.on('error', () => undefined);
    await once(child, 'spawn');
    streams[handles.arguments]?.end(bytes);
    return {
      child,
      streamAt: (handle) => streams[handle] ?? null,
      memoryFolders: memoryFoldersOf(granted, temporary),
      git,
    };
  } catch (thrown) {
    git.discard();
    if (thrown instanceof AgentError) throw thrown;
    throw notStarted(command.program, systemCode(thrown), reasonOf(thrown));
  }
}

/** Mounts the private git folders over the originals in granted folders. Outer folders come first. */
function withGit(
  { folders, links }: GrantedFolders,
  { mounts }: GitView,
): Pick<GrantedFolders, 'folders' | 'links'> {
  const replaced = new Set(mounts.map(({ path }) => path));
  const depth = ({ path }: { readonly path: string }): number => path.split(sep).length;
  const all = [...folders.filter(({ path }) => !replaced.has(path)), ...mounts];
  return { folders: all.sort((one, other) => depth(one) - depth(other)), links };
}

function commandArguments({
  grant,
  network,
  command,
  folder,
  hasChannel,
}: SandboxedCommand): readonly string[] {
  const { program, arguments: args } =
    network?.wrap(command.program, command.arguments, hasChannel) ?? command;
  const script = buildScript(limitsOf(grant), hasChannel);
  return [
    ...[...fixedArguments, '--chdir', folder, '--'],
    ...['/bin/sh', '-c', script, 'sh', command.program, program, ...args],
  ];
}

/** Opens the files that every sandbox gets, in order, followed by an empty file. */
function openFiles(): Disposable & { readonly files: readonly number[]; readonly nothing: number } {
  const nothing = openSync('/dev/null', 'r');
  const files = privateFiles().map(({ file }) => file.open());
  return {
    files,
    nothing,
    [Symbol.dispose]: () => [nothing, ...files].forEach((handle) => closeSync(handle)),
  };
}

type Stdio = 'ignore' | 'pipe' | number;

/** Replaces each handle that a child process would otherwise inherit with an empty file. */
function overInherited(nothing: number, own: readonly Stdio[]): Stdio[] {
  const all = [...own];
  for (const handle of inheritedHandles()) {
    while (all.length <= handle) all.push('ignore');
    if (handle >= own.length) all[handle] = nothing;
  }
  return all;
}

/**
 * Encodes arguments for bubblewrap to read from a stream. Rejects NUL characters, which would split
 * arguments.
 */
function encode(args: readonly string[]): Buffer {
  if (args.some((arg) => arg.includes('\0'))) {
    throw new AgentError('usage.bad-input', 'The sandbox grant contains a NUL character.', {
      hint: 'Remove NUL characters from the granted variables and paths.',
    });
  }
  return Buffer.from(args.map((arg) => `${arg}\0`).join(''));
}

let known: readonly number[] | undefined;

/**
 * Returns this process's handles that its children would inherit. An inherited folder would let processes
 * escape from every sandbox. The list is read once, since Node never passes on handles that it opens later.
 */
function inheritedHandles(): readonly number[] {
  known ??= readdirSync('/proc/self/fd').map(Number).filter(isPassedOn);
  return known;
}

const closedWithProgram = 0o2000000;

function isPassedOn(handle: number): boolean {
  if (handle <= 2) return false;
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${handle}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closedWithProgram) === 0;
  } catch {
    return false; // Only the handle used to list the folder cannot be inspected, and it is closed.
  }
}
