import type { SopCommands } from '../command.ts';
import { createSop } from './create-sop.ts';
import type { SopEnd } from '../sop-end.ts';
import type { SopOptions } from '../sop-options.ts';

/**
 * Checks a script and runs it to its end, whatever that is; rejects with `usage.bad-input` only when it cannot run at
 * all, with every issue in the details.
 */
export async function runSop(
  script: string,
  commands: SopCommands,
  options: SopOptions = {},
): Promise<SopEnd> {
  return createSop(commands, options).run(script);
}
