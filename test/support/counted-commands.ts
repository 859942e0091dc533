import type { SopCommand } from '../../src/engines/sop/command.ts';
import { textOf } from './text-of.ts';

/** Commands that do nothing but say so, and what they were asked to do. */
export interface Counted {
  /** `command input` of every execution, in order. */
  readonly executed: readonly string[];
  readonly commands: readonly SopCommand[];
}

/** Commands of these names, and any others that are given whole; what those do is not listed. */
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
