import { AgentError, toErrorData, type ErrorData } from '../../../core/index.ts';
import type { SopCounts, SopLimits, SopOptions } from '../index.ts';

const defaultLimits: SopLimits = { commands: 100, failures: 10, timeMs: Infinity };

/** The default number of commands that run at the same time. */
export const defaultConcurrency = 8;

/**
 * A counter of executions and failures. A method returns an error if a limit is exceeded, and that error ends
 * the plan.
 */
export interface Meter {
  begin(): ErrorData | undefined;
  fail(command: string): ErrorData | undefined;
  counts(): SopCounts;
}

/** Creates a meter that starts at zero. */
export function createMeter(given: SopOptions['limits']): Meter {
  const limits = { ...defaultLimits, ...given };
  const failures = new Map<string, number>();
  let commands = 0;
  return {
    begin() {
      if (commands >= limits.commands) return tooManyCommands(limits.commands);
      commands += 1;
      return undefined;
    },
    fail(command) {
      const count = (failures.get(command) ?? 0) + 1;
      failures.set(command, count);
      return count > limits.failures ? tooManyFailures(command, limits.failures) : undefined;
    },
    counts: () => ({ commands, failures: Object.fromEntries(failures) }),
  };
}

/** Creates the error for a plan that ran out of time. */
export function outOfTime(timeMs: number): ErrorData {
  return toErrorData(
    new AgentError('limit.time', `The plan exceeded its time limit of ${timeMs} ms.`, {
      hint: 'Raise the limit "timeMs", or continue with "resumeFrom": successful steps are kept.',
    }),
  );
}

/** Throws `usage.bad-input` if the limits would prevent every plan from running or ending. */
export function assertUsable({ concurrency = defaultConcurrency, limits = {} }: SopOptions): void {
  const { commands, failures, timeMs } = { ...defaultLimits, ...limits };
  if (!(concurrency >= 1)) throw unusable('concurrency', concurrency, 'at least 1');
  if (!(commands >= 0)) throw unusable('limits.commands', commands, 'at least 0');
  if (!(failures >= 0)) throw unusable('limits.failures', failures, 'at least 0');
  if (!(timeMs >= 0)) throw unusable('limits.timeMs', timeMs, 'at least 0');
}

function unusable(name: string, value: number, expected: string): AgentError {
  return new AgentError('usage.bad-input', `"${name}" is ${value}; it must be ${expected}.`, {
    hint: `Use a value of ${expected}, or omit the option.`,
  });
}

function tooManyCommands(most: number): ErrorData {
  return toErrorData(
    new AgentError('limit.calls', `The plan needs more than ${most} commands.`, {
      hint: 'Raise the "commands" limit, or make the plan or its lists shorter.',
      details: { planLimit: 'commands' },
    }),
  );
}

function tooManyFailures(command: string, most: number): ErrorData {
  return toErrorData(
    new AgentError('limit.errors', `"${command}" failed more than ${most} times.`, {
      hint: 'Find out why the command fails, or raise the "failures" limit.',
    }),
  );
}
