import type { Containment } from '../sandboxes/containment.ts';

export type { Containment } from '../sandboxes/containment.ts';

/** What keeps the processes of skills contained on this machine; found out by running one, once. Never throws. */
export async function reportContainment(): Promise<Containment> {
  return (await import('../sandboxes/containment.ts')).findContainment();
}
