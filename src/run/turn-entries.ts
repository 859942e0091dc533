import type { EventBody, RunStarted } from '../core/event.ts';
import { summariesSpace, turnsSpace } from '../core/session-spaces.ts';
import type { Entry } from '../core/store.ts';
import { whole } from './clean.ts';

const longestSaid = 8_000; // characters of a prompt or an answer

/** What the end of a turn leaves for the next one; nothing of a run that is no turn, or was called off. Pure. */
export function turnEntries(
  { turn, session, prompt = '' }: RunStarted,
  { status, output }: EventBody & { readonly type: 'run.ended' },
  { runId, at, summary }: { readonly runId: string; readonly at: number; readonly summary?: string },
): readonly Entry[] {
  if (turn !== true || status === 'cancelled') return [];
  const key = `${String(at).padStart(15, '0')}-${runId}`;
  const said = { prompt: cut(prompt), text: cut(output.text) };
  const entries = [{ space: turnsSpace(session), key, value: said }];
  return summary === undefined
    ? entries
    : [...entries, { space: summariesSpace, key: session, value: summary }];
}

function cut(text: string): string {
  return text.length <= longestSaid ? text : `${whole(text, longestSaid)} …`;
}
