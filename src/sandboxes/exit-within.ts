import type { CommandResult } from '../core/sandbox.ts';
import type { ProcessGroup } from './process-group.ts';

const longest = 2 ** 31 - 1; // milliseconds, the most that a timer can wait

/** How the first process of a group ends; after so many milliseconds the whole group is ended. */
export async function exitWithin(
  group: ProcessGroup,
  timeoutMs?: number,
): Promise<Pick<CommandResult, 'exitCode' | 'timedOut'>> {
  if (timeoutMs === undefined) return { exitCode: await group.exited };
  const late = new AbortController();
  const deadline = setTimeout(
    () => {
      late.abort();
      void group.end();
    },
    Math.min(timeoutMs, longest),
  );
  const exitCode = await group.exited;
  clearTimeout(deadline);
  return late.signal.aborted ? { exitCode: null, timedOut: true } : { exitCode };
}
