import { Journal, type Addition } from './journal.ts';
import type { Kernel } from './kernel.ts';
import type { RunState } from './state.ts';

/** Claims a run and adds what its log calls for, without working on it; tells whether there was something to add. */
export async function amend(
  { store, owner, now }: Kernel,
  runId: string,
  additions: (state: RunState) => readonly Addition[],
): Promise<boolean> {
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const journal = await Journal.open(runId, { store, owner, now, onBroken: reject });
  const added = additions(journal.state);
  if (added.length === 0) return false;
  await Promise.race([journal.addAll(added), broken]);
  return true;
}
