import { AgentError } from '../core/error.ts';

/** The steps that a database still needs, oldest first; throws when it knows newer ones than this package. Pure. */
export function pendingOf<Step extends { readonly number: number }>(
  known: readonly Step[],
  applied: readonly number[],
  place: string,
): readonly Step[] {
  const newest = Math.max(0, ...applied);
  const ours = Math.max(0, ...known.map(({ number }) => number));
  if (newest > ours) {
    throw new AgentError(
      'sandbox.store',
      `The store ${place} was written by a newer version of skilled (its tables have version ${newest}, this one knows ${ours}).`,
      { hint: 'Update the package, or name another store.' },
    );
  }
  return known.filter(({ number }) => number > newest);
}
