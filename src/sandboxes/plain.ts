import { tmpdir } from 'node:os';
import type { SandboxProvider } from '../core/sandbox.ts';
import { openSandbox } from './open-sandbox.ts';
import { startGroup } from './process-group.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * Processes without containment, for machines that have none: they get exactly the granted environment and end as a
 * whole, but may touch what their user may. `read` and `write` keep to the granted folders.
 */
export function createPlainSandboxes(): SandboxProvider {
  return {
    contains: async () => false,
    async open(grant) {
      const temporary = grant.sharesTemporary === true ? makeTemporaryFolder() : undefined;
      const environment = {
        ...grant.environment,
        ...(temporary === undefined ? {} : { TMPDIR: temporary.path }),
      };
      return openSandbox(grant, {
        start: (command, folder = tmpdir(), open) => startGroup(command, environment, folder, open),
        close: async () => temporary?.remove(),
      });
    },
  };
}
