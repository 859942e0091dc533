import type { CommandResult } from '../core/sandbox.ts';
import type { ProcessGroup } from './process-group.ts';

/** What the result of a group says when it was killed for a limit, whether its command had ended by then or not. */
export function overLimit(group: ProcessGroup): Partial<Pick<CommandResult, 'exitCode' | 'over'>> {
  const over = group.over?.();
  return over === undefined ? {} : { exitCode: null, over };
}
