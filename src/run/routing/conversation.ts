import {
  isJsonObject,
  summariesSpace,
  turnsSpace,
  type Json,
  type Message,
  type Store,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';

const mostTurns = 30;

/** What was said before in the session of a turn: a summary, where one is kept, and the last turns. Nothing for other runs. */
export async function heardBefore(execution: Execution, tokens: number): Promise<readonly Message[]> {
  const { kernel, session, state } = execution;
  if (state.started?.turn !== true) return [];
  const turns = await readTurns(kernel.store, session);
  const summary = await kernel.store.get(summariesSpace, session);
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
interface SaidTurn {
  readonly prompt: string;
  readonly text: string;
}

/** The last turns of a session, oldest first. */
async function readTurns(store: Store, session: string): Promise<readonly SaidTurn[]> {
  const all = [...(await store.entries(turnsSpace(session))).values()];
  return all.slice(-mostTurns).map(saidIn);
}

/** Takes away the turns of a session that no later one hears, whether or not anybody listens in this one. */
export async function dropOldTurns({ kernel, session, state, top }: Execution): Promise<void> {
  if (state.started?.turn !== true) return;
  const space = turnsSpace(session);
  await top.busy(async () => {
    const keys = [...(await kernel.store.entries(space)).keys()];
    for (const key of keys.slice(0, -mostTurns)) await kernel.store.delete(space, key);
  });
}

function saidIn(value: Json): SaidTurn {
  const { prompt, text } = isJsonObject(value) ? value : {};
  return { prompt: typeof prompt === 'string' ? prompt : '', text: typeof text === 'string' ? text : '' };
}

const charactersOfToken = 4;

/** The end of a conversation within about so many tokens; no result stands in it without its call. */
export function lastTurns(messages: readonly Message[], tokens: number): readonly Message[] {
  let left = tokens * charactersOfToken;
  let from = messages.length;
  while (from > 0 && (left -= JSON.stringify(messages[from - 1]).length) >= 0) from -= 1;
  while (messages[from]?.role === 'tool') from += 1;
  return messages.slice(from);
}
