import { isJsonObject, type Json } from '../core/json.ts';
import type { Message } from '../core/model.ts';
import type { Store } from '../core/store.ts';
import type { Execution } from './execution.ts';
import { lastTurns } from './last-turns.ts';
import { summarySpace, turnSpace } from './turn-entries.ts';

const mostTurns = 30;

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
