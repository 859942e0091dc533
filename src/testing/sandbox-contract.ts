import { describe } from 'node:test';
import type { Grant, Sandbox } from '../core/sandbox.ts';
import { checkCommands } from './sandbox-checks/commands.ts';
import { checkConfinement } from './sandbox-checks/confinement.ts';
import { checkConversations } from './sandbox-checks/conversations.ts';
import { checkEnds } from './sandbox-checks/ends.ts';
import { checkFiles } from './sandbox-checks/files.ts';
import { checkLimits } from './sandbox-checks/limits.ts';
import { checkLive } from './sandbox-checks/live.ts';
import { checkNetwork } from './sandbox-checks/network.ts';

/** What a kind of sandbox promises. */
export interface SandboxPromises {
  /** Whether processes are kept from all that they were not granted, and within limits. */
  readonly contains: boolean;
}

/** Registers the checks that every sandbox passes; `open` opens one, and each is closed again. Needs a Unix. */
export function sandboxContract(
  name: string,
  open: (grant: Grant) => Promise<Sandbox>,
  { contains }: SandboxPromises,
): void {
  describe(`the ${name} sandbox keeps the contract`, { concurrency: 4 }, () => {
    checkCommands(open);
    checkEnds(open, contains);
    checkLive(open);
    checkConversations(open);
    checkFiles(open);
    if (!contains) return;
    checkConfinement(open);
    checkNetwork(open);
    checkLimits(open);
  });
}
