import {
  AgentError,
  reasonOf,
  type Grant,
  type ProcessResult,
  type Sandbox,
  type SandboxProvider,
} from '../core/index.ts';
import { holdGranted } from './bubblewrap/grant-mounts.ts';
import { startSandboxed } from './bubblewrap/start.ts';
import { makeTemporaryFolder, openSandbox } from './open-sandbox.ts';
import type { ProcessGroup, SettledChanges } from './process/process-group.ts';
import { explainMissing } from './programs/missing-programs.ts';
import { findProgramFolders } from './programs/program-folders.ts';
import type { ProgramFolders } from './programs/program-search.ts';
import { watchProtected, type ProtectedWatch } from './protected/watch.ts';
import { findSandboxSupport } from './sandbox-support.ts';

/**
 * Creates a provider that runs processes in bubblewrap on Linux. Processes have only the access that their
 * grant allows. Each command runs in its own namespaces, which end with the command or with the thread that
 * started it. Files that processes create at protected paths are moved to `.skilled/rejected` in the
 * workspace, or to the folder `options.rejected` if the workspace has no `.skilled` folder.
 */
export function createProcessSandboxes(options: ProcessSandboxOptions = {}): SandboxProvider {
  return {
    contains: async () => (await findSandboxSupport()).kind !== 'none',
    open: (grant) => openBubblewrapSandbox(grant, options),
  };
}

interface ProcessSandboxOptions {
  readonly rejected?: string | undefined;
  /** The host's environment variables, which can contain the paths of toolchains. */
  readonly host?: Readonly<Record<string, string | undefined>>;
}

async function openBubblewrapSandbox(
  grant: Grant,
  { rejected, host }: ProcessSandboxOptions,
): Promise<Sandbox> {
  const sandboxSupport = await findSandboxSupport();
  if (sandboxSupport.kind === 'none') {
    throw new AgentError('sandbox.unavailable', sandboxSupport.reason, { hint: sandboxSupport.hint });
  }
  const hasNames = grant.hosts.length > 0 && !grant.hosts.includes('*');
  const network = hasNames
    ? await (await import('./network/network.ts')).openNetwork(grant.hosts)
    : undefined;
  const { path: bubblewrap } = sandboxSupport;
  const temporary = grant.sharesTemporary === true ? makeTemporaryFolder() : undefined;
  const programs = (): ProgramFolders => findProgramFolders(grant.environment, host);
  const sandbox = openSandbox(grant, {
    start: async (command, folder = '/tmp', open) => {
      // If the grant contains anything that bubblewrap cannot grant, this throws before any folder is
      // scanned.
      holdGranted(grant)[Symbol.dispose]();
      const watch = await watchProtected(grant, rejected);
      try {
        const { path: shared } = temporary ?? {};
        const options = { bubblewrap, grant, network, temporary: shared, command, folder, ...open };
        const mounts = { readOnly: watch.paths, sockets: watch.sockets, programs: programs() };
        const isLasting = open.hasChannel || (open.reads && command.stdin === undefined);
        return settledBy(watch, isLasting, await startSandboxed({ ...options, ...mounts }));
      } catch (thrown) {
        await watch.settle(true);
        throw thrown;
      }
    },
    async close() {
      try {
        await network?.close();
      } finally {
        temporary?.remove();
      }
    },
  });
  const explained = <Result extends ProcessResult>(result: Result): Result =>
    explainMissing(result, grant, programs);
  return {
    ...sandbox,
    run: async (command, signal) => explained(await sandbox.run(command, signal)),
    async start(command) {
      const live = await sandbox.start(command);
      return { ...live, ended: live.ended.then(explained) };
    },
  };
}

const restMs = 1000;

/** Checks protected paths after a process group ends, and periodically while a long-lived group runs. */
function settledBy(watch: ProtectedWatch, isLasting: boolean, group: ProcessGroup): ProcessGroup {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number): void => {
    if (!isOver) timer = setTimeout(() => void lookAgain(), ms).unref();
  };
  const lookAgain = async (): Promise<void> => {
    const begun = performance.now();
    // If the failure persists, the final check reports it.
    await watch.settle(false).catch(() => undefined);
    wait(Math.max(restMs, 50 * (performance.now() - begun)));
  };
  if (isLasting) wait(restMs);
  return {
    ...group,
    async settle() {
      isOver = true;
      clearTimeout(timer);
      // Check the protected paths even if settling the group fails.
      const [own] = await Promise.allSettled([group.settle?.()]);
      const changes = await watch.settle(true).catch(isLasting ? reported : rethrown);
      if (own.status === 'rejected') throw own.reason;
      return { ...changes, rejected: [...(own.value?.rejected ?? []), ...(changes.rejected ?? [])] };
    },
  };
}

/** Returns a failed check as a rejected change, because no caller waits for a long-lived process to end. */
function reported(thrown: unknown): SettledChanges {
  return { rejected: [{ path: '', reason: reasonOf(thrown) }] };
}

function rethrown(thrown: unknown): never {
  throw thrown;
}
