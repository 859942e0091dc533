import type { Output } from '../core/output.ts';
import { failedOutput } from './clean.ts';

/** The end of a run whose program is not the one that its log tells of. */
export function divergedOutput(who: string, key: string): Output {
  return failedOutput({
    code: 'internal.diverged',
    message: `"${who}" asks for something else under "${key}" than before the interruption.`,
    hint: 'Its code changed, depends on time or chance outside of steps, or gives two things one key. Run it anew.',
  });
}
