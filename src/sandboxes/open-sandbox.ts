import { mkdtempSync, readFile, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AgentError, type ProcessCommand, type Grant, type Sandbox } from '../core/index.ts';
import { openFile, resolveInside, writeFile, type Area } from '../files/index.ts';
import type { ProcessGroup, ProcessHandles } from './process/process-group.ts';
import { createLiveProcess, converse, finishCommand } from './process/run-command.ts';

/** The operations that differ between kinds of sandboxes. */
interface SandboxKind {
  /** Starts a process. `folder` is a real path inside the grant, or undefined if no folder is granted. */
  start(command: ProcessCommand, folder: string | undefined, open: ProcessHandles): Promise<ProcessGroup>;
  /** Removes the sandbox's other resources. Called after all its processes have ended. */
  close?(): Promise<void>;
}

/** Opens a sandbox. File access rules and process lifetimes are the same for every kind. */
export function openSandbox(grant: Grant, kind: SandboxKind): Sandbox {
  const files = createSandboxFiles(grant);
  const running = new Set<ProcessGroup>();
  let isClosed = false;

  const mustBeOpen = (): void => {
    if (isClosed) throw new AgentError('sandbox.unavailable', 'The sandbox is closed.');
  };

  const start = async (command: ProcessCommand, open: ProcessHandles): Promise<ProcessGroup> => {
    mustBeOpen();
    const group = await kind.start(command, files.findFolder(command.folder), open);
    running.add(group);
    if (isClosed) await group.end(); // The sandbox was closed while the process started.
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
      const live = createLiveProcess(group, command);
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

/**
 * The files of a grant. Each operation opens the file first and then checks the open file, because the path
 * could lead to another file by then.
 */
interface SandboxFiles {
  read(path: string): Promise<Uint8Array>;
  write(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Returns the real path of a granted folder. Without a path, returns the first granted folder, or undefined
   * if the grant has no folders.
   */
  findFolder(path: string | undefined): string | undefined;
}

/**
 * Creates file access for a grant. Relative paths start at the first writable folder, or at the first
 * readable folder if none is writable.
 */
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
      throw new AgentError('usage.bad-input', `"${shown}" is not a folder.`, {
        hint: 'Pass the folder to start in.',
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

/** A folder that only the current user can access. */
interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** Creates a temporary folder on the host. All commands of a sandbox can share it. */
export function makeTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'skilled-'));
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
