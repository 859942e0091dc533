import {
  isJsonObject,
  turnsSpace,
  type HistoryOptions,
  type Json,
  type Message,
  type Store,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { readSummary } from '../scope/memory.ts';
import { lastTurns } from './turn-calls.ts';

const maxTurns = 30;

/** Whether a run belongs to a conversation: to its session's, or to one whose memory the caller passed. */
export function isConversation({ kernel: { memory }, state: { started } }: Execution): boolean {
  return started?.turn === true || memory !== undefined;
}

/**
 * Reads the conversation so far: the summary, if summaries are kept, and the session's last turns. Includes
 * calls and results unless only texts are requested. Empty for runs that are not turns.
 */
export async function readHistory(
  execution: Execution,
  tokens: number,
  { textOnly = false }: HistoryOptions = {},
): Promise<readonly Message[]> {
  const { kernel, store, session, state } = execution;
  if (!isConversation(execution)) return [];
  const turns = state.started?.turn === true ? await readTurns(store, session) : [];
  const summary = kernel.summarises ? await readSummary(execution) : undefined;
  const messages = turns.flatMap(({ prompt, calls, text }): readonly Message[] => [
    { role: 'user', text: prompt },
    ...(textOnly ? [] : calls),
    { role: 'assistant', text },
  ]);
  const last = lastTurns(messages, tokens);
  return summary === undefined
    ? last
    : [{ role: 'user', text: `Summary of the conversation so far:\n${summary}` }, ...last];
}

/** A prompt and its response. */
interface SaidTurn {
  readonly prompt: string;
  /** The calls that were made for the response, with their results. */
  readonly calls: readonly Message[];
  readonly text: string;
}

/** Reads a session's last turns, oldest first. */
async function readTurns(store: Pick<Store, 'entries'>, session: string): Promise<readonly SaidTurn[]> {
  const all = [...(await store.entries(turnsSpace(session))).values()];
  return all.slice(-maxTurns).map(saidIn);
}

/**
 * Deletes a session's turns that no later turn will read. Records when the last one ended, so that this turn
 * counts as later even if the clock was set back.
 */
export async function dropOldTurns({ store, session, state, top, derived }: Execution): Promise<void> {
  if (state.started?.turn !== true) return;
  const space = turnsSpace(session);
  await top.busy(async () => {
    const keys = [...(await store.entries(space)).keys()];
    derived.lastTurnAt = Number.parseInt(keys.at(-1) ?? '0', 10);
    for (const key of keys.slice(0, -maxTurns)) await store.delete(space, key);
  });
}

function saidIn(value: Json): SaidTurn {
  const { prompt, text, calls } = isJsonObject(value) ? value : {};
  return {
    prompt: typeof prompt === 'string' ? prompt : '',
    calls: Array.isArray(calls) ? calls : [], // Absent in earlier releases.
    text: typeof text === 'string' ? text : '',
  };
}
