import { AgentError } from '../core/error.ts';
import type { Command, Grant, Sandbox } from '../core/sandbox.ts';
import { attendProcess } from './attend-process.ts';
import { converse } from './converse.ts';
import { finishCommand } from './finish-command.ts';
import type { ProcessGroup, ProcessHandles } from './process-group.ts';
import { createSandboxFiles } from './sandbox-files.ts';

/** How one kind of sandbox starts processes. */
export interface SandboxKind {
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
