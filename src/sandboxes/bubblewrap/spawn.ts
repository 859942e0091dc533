import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import type { Duplex } from 'node:stream';
import { AgentError, reasonOf, type Command, type Grant } from '../../core/index.ts';
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
import { holdGranted, type GrantedFolders } from './grant-mounts.ts';
import { privateFiles } from './private-files.ts';

/** A command to run in a sandbox. */
export interface ContainedCommand {
  /** Where bubblewrap is. */
  readonly bubblewrap: string;
  readonly grant: Grant;
  /** Real paths in folders that may be written, which are mounted read-only. */
  readonly readOnly?: readonly string[];
  readonly network: Network | undefined;
  /** The folder of the host that is its /tmp; memory unless given. */
  readonly temporary?: string | undefined;
  readonly command: Command;
  /** Where it begins, as the sandbox knows it. */
  readonly folder: string;
  /** Whether it gets something to read. */
  readonly reads: boolean;
  /** Whether it finds a handle 3. */
  readonly hasChannel: boolean;
  /** Whether it lives longer than one command. */
  readonly isLive?: boolean;
}

/** The outermost process of a sandbox, just begun. */
export interface Spawned {
  readonly child: ChildProcess;
  /** Its streams by the numbers of their handles; null where there is none. */
  streamAt(handle: number): Duplex | null;
  /** Folders of the sandbox whose files are memory. */
  readonly memoryFolders: readonly string[];
  /** The git folders that it works on. */
  readonly git: GitView;
}

/** Starts bubblewrap with nothing but what a grant names; the sandbox dies with the thread that calls this. */
export async function spawnContained(wanted: ContainedCommand): Promise<Spawned> {
  const { grant, network, temporary, command, reads, hasChannel } = wanted;
  using mounted = holdGranted(grant, wanted.readOnly);
  using git = openGitView(grant, wanted.isLive === true);
  const granted = withGit(mounted, git);
  using opened = openFiles();
  const firstFolder = firstFreeHandle + opened.files.length;
  try {
    const bytes = encode([
      ...privateFiles().flatMap((file, index) => file.buildArguments(firstFreeHandle + index)),
      ...buildArguments({ grant, network, temporary }, granted, (index) => firstFolder + index),
    ]);
    const child = spawn(wanted.bubblewrap, wordsFor(wanted), {
      cwd: '/',
      env: {}, // variables would be bubblewrap's own, and it is not in the sandbox
      detached: true,
      stdio: overInherited(opened.nothing, [
        ...(['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const),
        ...[reads, hasChannel].map((isWanted) => (isWanted ? 'pipe' : opened.nothing)),
        ...opened.files,
        ...granted.folders.map(({ handle }) => handle),
      ]),
    });
    const streams = child.stdio as readonly (Duplex | null | undefined)[];
    for (const stream of streams) stream?.on('error', () => undefined); // its other end went away, as it may
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

/** Git folders are shown over what is granted around them, outer ones first. */
function withGit(
  { folders, links }: GrantedFolders,
  { mounts }: GitView,
): Pick<GrantedFolders, 'folders' | 'links'> {
  const replaced = new Set(mounts.map(({ path }) => path));
  const depth = ({ path }: { readonly path: string }): number => path.split(sep).length;
  const all = [...folders.filter(({ path }) => !replaced.has(path)), ...mounts];
  return { folders: all.sort((one, other) => depth(one) - depth(other)), links };
}

function wordsFor({ grant, network, command, folder, hasChannel }: ContainedCommand): readonly string[] {
  const { program, arguments: words } =
    network?.wrap(command.program, command.arguments, hasChannel) ?? command;
  const script = buildScript(limitsOf(grant), hasChannel);
  return [
    ...[...fixedArguments, '--chdir', folder, '--'],
    ...['/bin/sh', '-c', script, 'sh', command.program, program, ...words],
  ];
}

/** Handles of the files that every sandbox gets, in their order, and of one that is empty. */
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

/** Puts an empty file in the place of every handle that would otherwise be passed on. */
function overInherited(nothing: number, own: readonly Stdio[]): Stdio[] {
  const all = [...own];
  for (const handle of inheritedHandles()) {
    while (all.length <= handle) all.push('ignore');
    if (handle >= own.length) all[handle] = nothing;
  }
  return all;
}

/** Arguments as bubblewrap reads them from a stream: one that held the end of an argument would be several. */
function encode(words: readonly string[]): Buffer {
  if (words.some((word) => word.includes('\0'))) {
    throw new AgentError('usage.bad-input', 'The grant of a sandbox holds a NUL character.', {
      hint: 'Leave it out of variables and paths.',
    });
  }
  return Buffer.from(words.map((word) => `${word}\0`).join(''));
}

let known: readonly number[] | undefined;

/**
 * Handles that whoever started this process left open in it and that it would pass on to its children: a folder among
 * them would be a way out of every sandbox. Found once; what Node opens later is never passed on by itself.
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
    return false; // it was the one that the folder was listed with
  }
}
