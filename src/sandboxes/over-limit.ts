import type { CommandResult } from '../core/sandbox.ts';
import type { ProcessGroup, SettledChanges } from './process-group.ts';

/** What the result of a group says when it was killed for a limit, whether its command had ended by then or not. */
export function overLimit(group: ProcessGroup): Partial<Pick<CommandResult, 'exitCode' | 'over'>> {
  const over = group.over?.();
  return over === undefined ? {} : { exitCode: null, over };
}

/** The changes of a group that its result names. */
export async function changesOf(group: ProcessGroup): Promise<SettledChanges> {
  const { rejected = [], changedPrograms = [] } = (await group.settle?.()) ?? {};
  return {
    ...(rejected.length === 0 ? {} : { rejected }),
    ...(changedPrograms.length === 0 ? {} : { changedPrograms }),
  };
}
