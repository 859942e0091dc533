import { findContainment } from '../../src/sandboxes/sandbox-support.ts';

const containment = await findContainment();

/** Why tests of contained processes cannot run here; false where they can. */
export const withoutBubblewrap: string | false = containment.kind === 'none' ? containment.reason : false;

/** What starts a program where bubblewrap does not work; nothing where it does not work anyway. */
export const hidingBubblewrap: readonly string[] =
  containment.kind === 'none'
    ? []
    : [containment.path, '--dev-bind', '/', '/', '--ro-bind', '/dev/null', containment.path];
