import { findContainment } from '../../src/sandboxes/containment.ts';

const containment = await findContainment();

/** Why tests of contained processes cannot run here; false where they can. */
export const withoutBubblewrap: string | false = containment.kind === 'none' ? containment.reason : false;
