import type { Json } from '../core/json.ts';
import { cleanText } from './clean.ts';
import type { Execution } from './execution.ts';
import type { Frame } from './frame.ts';
import { contentKey } from './identity.ts';

/** Adds a line for whoever watches, once: a frame that runs again says nothing twice. Never throws. */
export function addNote(execution: Execution, frame: Frame, message: string, data: Json | undefined): void {
  if (!frame.isLive) return;
  const text = cleanText(message, execution.kernel.redact);
  const more = data === undefined ? {} : keptOf(execution, data);
  const key = frame.occurrence(contentKey('note', [text, more]));
  if (execution.state.isNoted(frame.id, key)) return;
  void execution.journal.add(frame.id, { type: 'note.added', key, message: text, ...more });
}

function keptOf(execution: Execution, data: Json): { data?: Json } {
  try {
    return { data: execution.clean(data) };
  } catch {
    return {}; // the line is worth more than what cannot be kept beside it
  }
}
