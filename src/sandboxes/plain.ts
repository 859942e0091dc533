import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { AgentError } from '../core/error.ts';
import type { Command, Grant, Sandbox, SandboxProvider } from '../core/sandbox.ts';
import { finishCommand } from './finish-command.ts';
import { grantedPath, grantedTarget } from './granted-path.ts';
import { attendProcess } from './attend-process.ts';
import { startGroup, type ProcessGroup } from './process-group.ts';

/**
 * Processes without containment, for machines that have none: they get exactly the granted environment and end as a
 * whole, but may touch what their user may. `read` and `write` keep to the granted folders.
 */
export function createPlainSandboxes(): SandboxProvider {
  return { contains: async () => false, open: async (grant) => openPlain(grant) };
}

function openPlain(grant: Grant): Sandbox {
  const folders = [...grant.write, ...grant.read];
  const running = new Set<ProcessGroup>();
  let isClosed = false;

  const mustBeOpen = (): void => {
    if (isClosed) throw new AgentError('sandbox.unavailable', 'The sandbox is closed.');
  };

  const start = async (command: Command, reads: boolean): Promise<ProcessGroup> => {
    mustBeOpen();
    const asked = command.folder ?? folders[0];
    const folder = asked === undefined ? tmpdir() : await grantedPath(asked, folders);
    const group = await startGroup(command, grant.environment, folder, reads);
    running.add(group);
    if (isClosed) await group.end(); // closed while it was being started
    return group;
  };

  return {
    async run(command, signal) {
      signal.throwIfAborted();
      const group = await start(command, command.stdin !== undefined);
      return finishCommand(group, command, signal).finally(() => running.delete(group));
    },
    async start(command) {
      const group = await start(command, true);
      const live = attendProcess(group, command);
      void live.ended.finally(() => running.delete(group));
      return live;
    },
    async read(path) {
      mustBeOpen();
      return readFile(await grantedPath(path, folders));
    },
    async write(path, bytes) {
      mustBeOpen();
      await writeFile(await grantedTarget(path, grant.write), bytes);
    },
    async close() {
      isClosed = true;
      await Promise.all([...running].map((group) => group.end()));
    },
  };
}
