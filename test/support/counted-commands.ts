import type { SopCommand } from '../../src/engines/sop/command.ts';
import { textOf } from './text-of.ts';

/** Commands that only record their calls, and the recorded calls. */
export interface Counted {
  /** One `command input` string per execution, in order. */
  readonly executed: readonly string[];
  readonly commands: readonly SopCommand[];
}

/**
 * Creates recording commands with these names. Commands in `more` are added unchanged and are not recorded.
 */
export function countedCommands(names: readonly string[], ...more: readonly SopCommand[]): Counted {
  const executed: string[] = [];
  const counted = names.map((name): SopCommand => ({
    name,
    run({ input }) {
      const done = `${name} ${textOf(input)}`.trim();
      executed.push(done);
      return done;
    },
  }));
  return { executed, commands: [...counted, ...more] };
}
