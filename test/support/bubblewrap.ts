import { findSandboxSupport } from '../../src/sandboxes/sandbox-support.ts';

const sandboxSupport = await findSandboxSupport();

/** Why tests of sandboxed processes cannot run on this machine, or false if they can. */
export const withoutBubblewrap: string | false =
  sandboxSupport.kind === 'none' ? sandboxSupport.reason : false;

/**
 * The command prefix that hides bubblewrap from a program. Empty if bubblewrap does not work on this machine.
 */
export const hidingBubblewrap: readonly string[] =
  sandboxSupport.kind === 'none'
    ? []
    : [sandboxSupport.path, '--dev-bind', '/', '/', '--ro-bind', '/dev/null', sandboxSupport.path];
