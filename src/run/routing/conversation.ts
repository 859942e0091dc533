import {
  isJsonObject,
  turnsSpace,
  type GivenTurn,
  type HistoryOptions,
  type Json,
  type Message,
  type MessageAttachment,
  type Store,
} from '../../core/index.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { readSummary } from '../scope/memory.ts';
import { limitTurns } from './limit-turns.ts';

/**
 * Whether a run is part of a conversation: either the conversation of its session, or one in the memory that
 * the caller passed.
 */
export function isConversation({ kernel: { memory }, state: { started } }: Execution): boolean {
  return started?.turn === true || memory !== undefined;
}

/**
 * Reads the conversation before this run: its summary, if there is one, and the first and last turns of the
 * session. Includes calls and results unless `textOnly` is set. Returns an empty list for a run that is not
 * part of a conversation.
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
  const messages = turns.map(({ prompt, calls, text }): readonly Message[] => [
    { role: 'user', text: prompt },
    ...(textOnly ? [] : calls),
    { role: 'assistant', text },
  ]);
  const [first, second] = turns;
  const omitted = first === undefined || second === undefined ? 0 : second.number - first.number - 1;
  const limited = limitTurns(messages, tokens, omitted);
  return summary === undefined
    ? limited
    : [{ role: 'user', text: `Summary of the conversation so far:\n${summary}` }, ...limited];
}

/** A prompt and the answer to it. */
export interface SaidTurn {
  readonly prompt: string;
  readonly attachments?: readonly MessageAttachment[];
  /** The calls that were made for the answer, with their results. */
  readonly calls: readonly Message[];
  readonly text: string;
  /** The turn's position in the session, starting at 1. */
  readonly number: number;
  /** Whether the assistant gave the answer and stored the results of its calls under their names. */
  readonly isNamed: boolean;
}

/** Reads a session's stored turns, oldest first. */
export async function readTurns(
  store: Pick<Store, 'entries'>,
  session: string,
): Promise<readonly SaidTurn[]> {
  return [...(await store.entries(turnsSpace(session))).values()].map(saidIn);
}

interface TurnStores {
  readonly store: Store;
  readonly runs: { keyOf(session: string): string; clean(value: Json): Json };
}

/** Stores a conversation that took place elsewhere as the first turns of a session, unless it has turns. */
export async function storeGivenTurns(
  { store, runs }: TurnStores,
  session: string,
  turns: readonly GivenTurn[],
): Promise<void> {
  const space = turnsSpace(runs.keyOf(session));
  if (turns.length === 0 || (await store.entries(space)).size > 0) return;
  for (const [index, { prompt, text, calls = [] }] of turns.entries()) {
    const value = { prompt, text, number: index + 1, ...(calls.length === 0 ? {} : { calls }) };
    const key = `${String(index + 1).padStart(15, '0')}-given`;
    await store.set(space, key, runs.clean(value as unknown as Json));
  }
}

// The maximum size of a session's stored turns, in characters of JSON. The assistant summarises older turns
// before they are deleted.
const maxStored = { assistant: 800_000, other: 200_000 };

/**
 * Deletes the oldest turns of a long session, except the first turn. Records the number of this turn and the
 * time when the last turn ended, so that this turn is stored after it even if the clock was set back.
 */
export async function dropOldTurns({ store, session, state, top, derived }: Execution): Promise<void> {
  if (state.started?.turn !== true) return;
  const space = turnsSpace(session);
  await top.busy(async () => {
    const [first, ...others] = [...(await store.entries(space))];
    const [lastKey, lastValue] = others.at(-1) ?? first ?? ['0'];
    derived.lastTurnAt = Number.parseInt(lastKey, 10);
    derived.turnNumber = lastValue === undefined ? 1 : saidIn(lastValue, others.length).number + 1;
    const isOpen = others.some(([, value]) => saidIn(value, 0).isNamed);
    let room = (isOpen ? maxStored.assistant : maxStored.other) - JSON.stringify(first ?? '').length;
    let from = others.length;
    while (from > 0 && (room -= JSON.stringify(others[from - 1]).length) >= 0) from -= 1;
    for (const [key] of others.slice(0, from)) await store.delete(space, key);
  });
}

function saidIn(value: Json, index: number): SaidTurn {
  const { prompt, attachments, text, calls, number, named } = isJsonObject(value) ? value : {};
  return {
    prompt: typeof prompt === 'string' ? prompt : '',
    ...(Array.isArray(attachments) ? { attachments } : {}),
    calls: Array.isArray(calls) ? calls : [], // Absent in earlier releases.
    text: typeof text === 'string' ? text : '',
    number: typeof number === 'number' ? number : index + 1, // Absent in earlier releases.
    isNamed: named === true,
  };
}
