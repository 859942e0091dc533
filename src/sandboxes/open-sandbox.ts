import { mkdtempSync, readFile, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AgentError, type Command, type Grant, type Sandbox } from '../core/index.ts';
import { openFile, resolveInside, writeFile, type Area } from '../files/index.ts';
import type { ProcessGroup, ProcessHandles } from './process/process-group.ts';
import { attendProcess, converse, finishCommand } from './process/run-command.ts';

/** How one kind of sandbox starts processes. */
interface SandboxKind {
  /** The folder is granted and real; undefined where nothing is granted. */
  start(command: Command, folder: string | undefined, open: ProcessHandles): Promise<ProcessGroup>;
  /** Takes away what else it has, when all processes have ended. */
  close?(): Promise<void>;
}

/** A sandbox of any kind: what they have in common is which files are reached and when processes end. */
export function openSandbox(grant: Grant, kind: SandboxKind): Sandbox {
  const files = createSandboxFiles(grant);
  const running = new Set<ProcessGroup>();
  let isClosed = false;

  const mustBeOpen = (): void => {
    if (isClosed) throw new AgentError('sandbox.unavailable', 'The sandbox is closed.');
  };

  const start = async (command: Command, open: ProcessHandles): Promise<ProcessGroup> => {
    mustBeOpen();
    const group = await kind.start(command, files.findFolder(command.folder), open);
    running.add(group);
    if (isClosed) await group.end(); // closed while it was being started
    return group;
  };

  return {
    async run(command, signal) {
      signal.throwIfAborted();
      const group = await start(command, { reads: command.stdin !== undefined, hasChannel: false });
      return finishCommand(group, command, signal).finally(() => running.delete(group));
    },
    async start(command) {
      const group = await start(command, { reads: true, hasChannel: false, isLive: true });
      const live = attendProcess(group, command);
      void live.ended.finally(() => running.delete(group));
      return live;
    },
    async converse(command, listener) {
      const group = await start(command, { reads: false, hasChannel: true, isLive: true });
      const conversation = converse(group, command, listener);
      void conversation.ended.finally(() => running.delete(group));
      return conversation;
    },
    async read(path) {
      mustBeOpen();
      return files.read(path);
    },
    async write(path, bytes) {
      mustBeOpen();
      await files.write(path, bytes);
    },
    async close() {
      isClosed = true;
      await Promise.all([...running].map((group) => group.end()));
      await kind.close?.();
    },
  };
}

/** The files that a grant opens to whoever has the sandbox; what is opened is checked, not what a path meant before. */
interface SandboxFiles {
  read(path: string): Promise<Uint8Array>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** The real path of a granted folder; the first one if none is named, and undefined if there are only files or nothing. */
  findFolder(path: string | undefined): string | undefined;
}

/** Relative paths start in the first folder that may be written, else in the first that may be read. */
export function createSandboxFiles({ read, write }: Pick<Grant, 'read' | 'write'>): SandboxFiles {
  const readable = areaOf([...write, ...read]);
  const writable = areaOf(write);
  return {
    async read(path) {
      using file = openFile(readable, path);
      return await readAll(file.handle);
    },
    async write(path, bytes) {
      await writeFile(writable, path, bytes);
    },
    findFolder(path) {
      const asked = path ?? [...write, ...read].find((one) => !isFile(one));
      if (asked === undefined) return undefined;
      const { real, shown } = resolveInside(readable, asked);
      if (statSync(real).isDirectory()) return real;
      throw new AgentError('usage.bad-input', `"${shown}" is no folder.`, {
        hint: 'Name the folder to start in.',
      });
    },
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const readAll = promisify(readFile) as (handle: number) => Promise<Uint8Array>;

function areaOf([workspace, ...others]: readonly string[]): Area {
  return { workspace, others };
}

/** A folder that only this user sees, until it is taken away. */
interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** Makes a temporary folder on the host, for commands of a sandbox that are to find each other's files. */
export function makeTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'skilled-'));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
