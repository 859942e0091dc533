import { findSandboxSupport } from '../../src/sandboxes/sandbox-support.ts';

const sandboxSupport = await findSandboxSupport();

/** Why tests of contained processes cannot run here; false where they can. */
export const withoutBubblewrap: string | false =
  sandboxSupport.kind === 'none' ? sandboxSupport.reason : false;

/** What starts a program where bubblewrap does not work; nothing where it does not work anyway. */
export const hidingBubblewrap: readonly string[] =
  sandboxSupport.kind === 'none'
    ? []
    : [sandboxSupport.path, '--dev-bind', '/', '/', '--ro-bind', '/dev/null', sandboxSupport.path];
