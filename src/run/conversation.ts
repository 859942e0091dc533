import type { EventBody } from '../core/event.ts';
import { isJsonObject, type Json } from '../core/json.ts';
import type { Message } from '../core/model.ts';
import type { Entry, Store } from '../core/store.ts';
import type { Execution } from './execution.ts';
import { lastTurns } from './last-turns.ts';

/** Where the turns of a session are kept, each under a key that sorts by time. */
export function turnSpace(session: string): string {
  return `turns/${session}`;
}

/** Where the summaries of conversations are kept, by session. */
export const summarySpace = 'summaries';

const longestSaid = 8_000; // characters of a prompt or an answer
const mostTurns = 30;

/** What the end of a turn leaves for the next one; nothing of a run that is no turn, or was called off. */
export function turnEntries(
  { state, session, runId, kernel, made: { summary } }: Execution,
  { status, output }: EventBody & { readonly type: 'run.ended' },
): readonly Entry[] {
  const { started } = state;
  if (started?.turn !== true || status === 'cancelled') return [];
  const said = { prompt: cut(started.prompt ?? ''), text: cut(output.text) };
  const key = `${String(kernel.now()).padStart(15, '0')}-${runId}`;
  const turn = { space: turnSpace(session), key, value: said };
  return summary === undefined ? [turn] : [turn, { space: summarySpace, key: session, value: summary }];
}

/** What was said before in the session of a turn: a summary, where one is kept, and the last turns. Nothing for other runs. */
export async function heardBefore(execution: Execution, tokens: number): Promise<readonly Message[]> {
  const { kernel, session, state } = execution;
  if (state.started?.turn !== true) return [];
  const turns = await readTurns(kernel.store, session);
  const summary = await kernel.store.get(summarySpace, session);
  const messages = turns.flatMap(({ prompt, text }): readonly Message[] => [
    { role: 'user', text: prompt },
    { role: 'assistant', text },
  ]);
  const last = lastTurns(messages, tokens);
  return typeof summary === 'string'
    ? [{ role: 'user', text: `Summary of the conversation so far:\n${summary}` }, ...last]
    : last;
}

/** A prompt and what it came to. */
export interface SaidTurn {
  readonly prompt: string;
  readonly text: string;
}

/** The last turns of a session, oldest first; older ones are taken away. */
export async function readTurns(store: Store, session: string): Promise<readonly SaidTurn[]> {
  const space = turnSpace(session);
  const all = [...(await store.entries(space))];
  for (const [key] of all.slice(0, -mostTurns)) await store.delete(space, key);
  return all.slice(-mostTurns).map(([, value]) => saidIn(value));
}

function saidIn(value: Json): SaidTurn {
  const { prompt, text } = isJsonObject(value) ? value : {};
  return { prompt: typeof prompt === 'string' ? prompt : '', text: typeof text === 'string' ? text : '' };
}

function cut(text: string): string {
  return text.length <= longestSaid ? text : `${text.slice(0, longestSaid)} …`;
}
