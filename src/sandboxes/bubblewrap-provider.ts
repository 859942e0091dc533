import { AgentError, reasonOf, type Grant, type Sandbox, type SandboxProvider } from '../core/index.ts';
import { holdGranted } from './bubblewrap/grant-mounts.ts';
import { startContained } from './bubblewrap/start.ts';
import { makeTemporaryFolder, openSandbox } from './open-sandbox.ts';
import type { ProcessGroup, SettledChanges } from './process/process-group.ts';
import { watchProtected, type ProtectedWatch } from './protected/watch.ts';
import { findContainment } from './sandbox-support.ts';

/**
 * Processes that bubblewrap keeps from everything they were not granted, on Linux. Each command has namespaces of its
 * own, which die with it and with the thread that started it, however that ends. What they make at protected paths is
 * moved into `.skilled/rejected` of the workspace, else into `rejected`.
 */
export function createProcessSandboxes(
  options: { readonly rejected?: string | undefined } = {},
): SandboxProvider {
  return {
    contains: async () => (await findContainment()).kind !== 'none',
    open: (grant) => openContained(grant, options.rejected),
  };
}

async function openContained(grant: Grant, rejected: string | undefined): Promise<Sandbox> {
  const containment = await findContainment();
  if (containment.kind === 'none') {
    throw new AgentError('sandbox.unavailable', containment.reason, { hint: containment.hint });
  }
  const hasNames = grant.hosts.length > 0 && !grant.hosts.includes('*');
  const network = hasNames
    ? await (await import('./network/network.ts')).openNetwork(grant.hosts)
    : undefined;
  const { path: bubblewrap } = containment;
  const temporary = grant.sharesTemporary === true ? makeTemporaryFolder() : undefined;
  return openSandbox(grant, {
    start: async (command, folder = '/tmp', open) => {
      holdGranted(grant)[Symbol.dispose](); // throws for what cannot be granted, before anything is looked at
      const watch = await watchProtected(grant, rejected);
      try {
        const { path: shared } = temporary ?? {};
        const wanted = { bubblewrap, grant, network, temporary: shared, command, folder, ...open };
        const isLasting = open.hasChannel || (open.reads && command.stdin === undefined);
        return settledBy(watch, isLasting, await startContained({ ...wanted, readOnly: watch.paths }));
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
}

const restMs = 1000;

/** Also looks at protected paths when a group has ended and, while one lasts that is talked with, now and then. */
function settledBy(watch: ProtectedWatch, isLasting: boolean, group: ProcessGroup): ProcessGroup {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number): void => {
    if (!isOver) timer = setTimeout(() => void lookAgain(), ms).unref();
  };
  const lookAgain = async (): Promise<void> => {
    const begun = performance.now();
    await watch.settle(false).catch(() => undefined); // it fails again at the end, where it is reported
    wait(Math.max(restMs, 50 * (performance.now() - begun)));
  };
  if (isLasting) wait(restMs);
  return {
    ...group,
    async settle() {
      isOver = true;
      clearTimeout(timer);
      const [own] = await Promise.allSettled([group.settle?.()]); // the sweep follows in any case
      const changes = await watch.settle(true).catch(isLasting ? reported : rethrown);
      if (own.status === 'rejected') throw own.reason;
      return { ...changes, rejected: [...(own.value?.rejected ?? []), ...(changes.rejected ?? [])] };
    },
  };
}

/** Nobody waits for the end of a process that lasts, so a failure is part of its result. */
function reported(thrown: unknown): SettledChanges {
  return { rejected: [{ path: '', reason: reasonOf(thrown) }] };
}

function rethrown(thrown: unknown): never {
  throw thrown;
}
