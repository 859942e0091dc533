import { AgentError, toErrorData, type ErrorData } from '../../../core/index.ts';
import type { SopCounts, SopLimits, SopOptions } from '../index.ts';

/** How far a plan may go when nothing else is said. */
const defaultLimits: SopLimits = { commands: 100, failures: 10, timeMs: Infinity };

/** Commands that run at the same time when nothing else is said. */
export const defaultConcurrency = 8;

/** Counts executions; whatever exceeds a limit comes back as the error that ends the plan. */
export interface Meter {
  begin(): ErrorData | undefined;
  fail(command: string): ErrorData | undefined;
  counts(): SopCounts;
}

/** A meter that has counted nothing yet. */
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

/** The error that ends a plan when its time is over. */
export function outOfTime(timeMs: number): ErrorData {
  return toErrorData(
    new AgentError('limit.time', `The plan ran for ${timeMs} ms, which is all it had.`, {
      hint: 'Raise the limit "timeMs", or go on with "resumeFrom": what succeeded is kept.',
    }),
  );
}

/** Throws `usage.bad-input` for numbers with which a plan could never run, or never end. */
export function assertUsable({ concurrency = defaultConcurrency, limits = {} }: SopOptions): void {
  const { commands, failures, timeMs } = { ...defaultLimits, ...limits };
  if (!(concurrency >= 1)) throw unusable('concurrency', concurrency, 'at least 1');
  if (!(commands >= 0)) throw unusable('limits.commands', commands, 'at least 0');
  if (!(failures >= 0)) throw unusable('limits.failures', failures, 'at least 0');
  if (!(timeMs >= 0)) throw unusable('limits.timeMs', timeMs, 'at least 0');
}

function unusable(name: string, value: number, wanted: string): AgentError {
  return new AgentError('usage.bad-input', `"${name}" is ${value}; it must be ${wanted}.`, {
    hint: `Give ${wanted}, or leave it out.`,
  });
}

function tooManyCommands(most: number): ErrorData {
  return toErrorData(
    new AgentError('limit.calls', `The plan would execute more than ${most} commands.`, {
      hint: 'Raise the limit "commands", or make the plan or its lists shorter.',
      details: { planLimit: 'commands' },
    }),
  );
}

function tooManyFailures(command: string, most: number): ErrorData {
  return toErrorData(
    new AgentError('limit.errors', `"${command}" failed more than ${most} times.`, {
      hint: 'Look at why it fails, or raise the limit "failures".',
    }),
  );
}
