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
import type { ProgramFolders } from '../programs/program-search.ts';
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
import { holdPrograms, type ProgramMounts } from './program-mounts.ts';

/** A command to run in a sandbox. */
export interface SandboxedCommand {
  /** The path of the bubblewrap program. */
  readonly bubblewrap: string;
  readonly grant: Grant;
  /** The real paths in writable folders that are mounted read-only. */
  readonly readOnly?: readonly string[];
  /** The real paths of the host's sockets in granted folders. Processes cannot connect to them. */
  readonly sockets?: readonly string[];
  /** The programs outside the system's folders that the command can run. */
  readonly programs?: ProgramFolders;
  readonly network: Network | undefined;
  /** The host folder to mount as `/tmp`. If it is absent, `/tmp` is in memory. */
  readonly temporary?: string | undefined;
  readonly command: ProcessCommand;
  /** The folder in the sandbox in which the command starts. */
  readonly folder: string;
  /** Whether the command's stdin is connected. */
  readonly reads: boolean;
  /** Whether the command has a channel on file descriptor 3. */
  readonly hasChannel: boolean;
  /** Whether the process outlives a single command. */
  readonly isLive?: boolean;
}

/** A sandbox that was just started. `child` is bubblewrap's own process. */
export interface Spawned {
  readonly child: ChildProcess;
  /** Returns the stream with the given handle number, or null if there is none. */
  streamAt(handle: number): Duplex | null;
  /** The sandbox folders whose files are in memory. */
  readonly memoryFolders: readonly string[];
  /** The git folders as the command sees them. */
  readonly git: GitView;
}

/** Starts bubblewrap with the access of a grant. The sandbox ends when the calling thread ends. */
export async function spawnSandboxed(options: SandboxedCommand): Promise<Spawned> {
  const { grant, temporary, command, reads, hasChannel } = options;
  using mounted = holdGranted(grant, options.readOnly);
  using git = openGitView(grant, options.isLive === true);
  using programs = holdPrograms(options.programs ?? noPrograms, mounted);
  const granted = withGit(withPrograms(mounted, programs), git);
  using covers = coverSockets(granted.folders, options.sockets);
  const folders = [...granted.folders, ...covers.folders, ...programs.covers];
  using opened = openFiles();
  const firstFolder = firstFreeHandle + opened.files.length;
  try {
    const bytes = encode([
      ...privateFiles().flatMap((file, index) => file.buildArguments(firstFreeHandle + index)),
      ...buildArguments(
        { ...options, temporary },
        { ...granted, folders, emptied: programs.emptied },
        (index) => firstFolder + index,
      ),
    ]);
    const child = spawn(options.bubblewrap, commandArguments(options), {
      cwd: '/',
      env: {}, // bubblewrap itself needs no variables. Its arguments set the command's variables.
      detached: true,
      stdio: overInherited(opened.nothing, [
        ...(['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const),
        ...[reads, hasChannel].map((isNeeded) => (isNeeded ? 'pipe' : opened.nothing)),
        ...opened.files,
        ...folders.map(({ handle }) => handle),
      ]),
    });
    const streams = child.stdio as readonly (Duplex | null | undefined)[];
    // Ignore errors, because the process may close a stream at any time.
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

const noPrograms: ProgramFolders = {
  shown: [],
  links: [],
  hiddenFiles: [],
  hiddenFolders: [],
  environment: {},
  homeFiles: [],
};

function withPrograms(granted: GrantedFolders, programs: ProgramMounts): GrantedFolders {
  return {
    ...granted,
    folders: [...granted.folders, ...programs.folders],
    links: [...granted.links, ...programs.links],
  };
}

/** Adds the private git folders to the mounts. They replace the originals in granted folders. */
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

/** Opens the files that every sandbox gets. `nothing` is an empty file. */
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

/** Adds an empty file for each handle that the child process would otherwise inherit. */
function overInherited(nothing: number, own: readonly Stdio[]): Stdio[] {
  const all = [...own];
  for (const handle of inheritedHandles()) {
    while (all.length <= handle) all.push('ignore');
    if (handle >= own.length) all[handle] = nothing;
  }
  return all;
}

/**
 * Encodes arguments for bubblewrap to read from a stream. Throws if an argument contains a NUL character,
 * because NUL characters separate the arguments.
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
 * Returns the handles of this process that its children would inherit. A process in a sandbox could escape
 * through the handle of a folder. Reads the list only once, because children never inherit handles that Node
 * opens later.
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
    return false; // Only the closed handle that was used to list the folder cannot be inspected.
  }
}
