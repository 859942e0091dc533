import type { CommandResult } from '../core/sandbox.ts';
import type { ProcessGroup } from './process-group.ts';

/** What the result of a group says when it was killed for a limit, whether its command had ended by then or not. */
export function overLimit(group: ProcessGroup): Partial<Pick<CommandResult, 'exitCode' | 'over'>> {
  const over = group.over?.();
  return over === undefined ? {} : { exitCode: null, over };
}

/** The changes to protected paths that were undone after a group ended, for its result. */
export async function rejectedBy(group: ProcessGroup): Promise<Pick<CommandResult, 'rejected'>> {
  const rejected = (await group.settle?.()) ?? [];
  return rejected.length === 0 ? {} : { rejected };
}
