import type { RunEvent } from '../../core/event.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Invocation } from '../command.ts';
import { pasteable } from '../output/pasteable.ts';
import { oneLine } from '../output/text.ts';

/** Says on stderr what a skill notes as a warning: an answer that is not what it should be does not pass for one that is. */
export function tellWarning(
  event: RunEvent,
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): void {
  if (event.type !== 'note.added' || flags.json || flags.quiet) return;
  if (!isJsonObject(event.data) || event.data['level'] !== 'warning') return;
  terminal.err(`warning: ${pasteable(oneLine(event.message), terminal)}\n`);
}
