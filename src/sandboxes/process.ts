import { AgentError } from '../core/error.ts';
import type { Grant, Sandbox, SandboxProvider } from '../core/sandbox.ts';
import { findContainment } from './containment.ts';
import { openSandbox } from './open-sandbox.ts';
import { startContained } from './start-contained.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * Processes that bubblewrap keeps from everything they were not granted, on Linux. Each command has namespaces of its
 * own, which die with it and with the thread that started it, however that ends.
 */
export function createProcessSandboxes(): SandboxProvider {
  return {
    contains: async () => (await findContainment()).kind !== 'none',
    open: openContained,
  };
}

async function openContained(grant: Grant): Promise<Sandbox> {
  const containment = await findContainment();
  if (containment.kind === 'none') {
    throw new AgentError('sandbox.unavailable', containment.reason, { hint: containment.hint });
  }
  const hasNames = grant.hosts.length > 0 && !grant.hosts.includes('*');
  const network = hasNames ? await (await import('./network.ts')).openNetwork(grant.hosts) : undefined;
  const { path: bubblewrap } = containment;
  const temporary = grant.sharesTemporary === true ? makeTemporaryFolder() : undefined;
  return openSandbox(grant, {
    start: (command, folder = '/tmp', open) =>
      startContained({ bubblewrap, grant, network, temporary: temporary?.path, command, folder, ...open }),
    async close() {
      try {
        await network?.close();
      } finally {
        temporary?.remove();
      }
    },
  });
}
