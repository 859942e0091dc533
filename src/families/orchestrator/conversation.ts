import {
  isJsonObject,
  omissionLine,
  type Surroundings,
  type Json,
  type Message,
  type Output,
  type Scope,
  type SessionTurn,
} from '../../core/index.ts';
import { compact } from '../../engines/loop/compact.ts';
import { LoopConversation, tokensOf } from '../../engines/loop/conversation.ts';
import type { LoopEnd } from '../../engines/loop/end.ts';
import type { LoopResult } from '../../engines/loop/references.ts';

/** The conversation of a session, as the assistant continues it. */
interface OpenConversation {
  /** The number of results that each tool gave in earlier turns. */
  readonly counts: Readonly<Record<string, number>>;
  /** Returns the earlier turns. If they are long, the oldest ones are summarised first. */
  messages(): Promise<readonly Message[]>;
  /** Returns a result of an earlier turn by its name. */
  recall(name: string): Promise<LoopResult | undefined>;
  /** Stores the results of this turn for later turns. */
  remember(end: LoopEnd): void;
  /** Summarises all turns except the last one now. */
  compact(): Promise<Output>;
}

/** Whether an input asks to summarise the conversation instead of continuing it. */
export function isCompactRequest(input: Json): boolean {
  return isJsonObject(input) && input['compact'] === true && Object.keys(input).length === 1;
}

/** Summarised turns: the messages that replace all turns up to the one with the number `until`. */
interface Compacted {
  readonly until: number;
  readonly messages: readonly Message[];
}

const compactAt = 40_000; // The number of tokens above which the oldest turns are summarised.
const newestTokens = 10_000; // The number of tokens of the newest turns, which stay as they are.
const maxStored = 2_000_000; // The maximum number of characters of all results that one turn stores.

/** Opens the conversation of a scope's session. It is empty if the call is not the first of a turn. */
export async function openConversation(scope: Scope, { isTurn }: Surroundings): Promise<OpenConversation> {
  const recalled = new Set<string>();
  const counts = isTurn ? countsIn(await scope.memory.get('counts')) : {};

  const read = async (): Promise<{ before: Compacted; turns: readonly SessionTurn[] }> => {
    const before = compactedIn(await scope.memory.get('compacted'));
    return { before, turns: await scope.context.turns(before.until) };
  };
  const shorten = async (
    { until, messages }: Compacted,
    turns: readonly SessionTurn[],
    isUrgent: boolean,
  ): Promise<Compacted | undefined> => {
    const recent = newest(turns, isUrgent ? 0 : newestTokens);
    const older = turns.slice(0, turns.length - recent.length);
    const tail = recent.flatMap((turn) => turn.messages);
    const whole = new LoopConversation([...messages, ...older.flatMap((turn) => turn.messages), ...tail]);
    const keepRecent = isUrgent ? tail.length * 2 : tail.length; // An urgent summary keeps only half of them.
    const request = { key: 'turns', isUrgent, signal: scope.signal };
    if (!(await compact(scope, whole, { compactAt, keepRecent }, request))) return undefined;
    const compacted = {
      until: older.at(-1)?.number ?? until,
      messages: whole.messages.slice(0, whole.messages.length - tail.length),
    };
    scope.memory.set('compacted', compacted as unknown as Json);
    return compacted;
  };

  return {
    counts,
    async messages() {
      if (!isTurn) return [];
      const { before, turns } = await read();
      const all = [...before.messages, ...turns.flatMap((turn) => turn.messages)];
      if (tokensOf(all) <= compactAt) return all;
      const compacted = await shorten(before, turns, false);
      if (compacted === undefined) return withoutOldest(before, turns);
      const left = turns.filter(({ number }) => number > compacted.until);
      return [...compacted.messages, ...left.flatMap((turn) => turn.messages)];
    },
    async recall(name) {
      const stored = isTurn ? await scope.memory.get(resultKey(name)) : undefined;
      if (!isResult(stored)) return undefined;
      recalled.add(name);
      return stored;
    },
    remember(end) {
      if (!isTurn) return;
      let room = maxStored;
      for (const [name, result] of Object.entries(end.results)) {
        if (recalled.has(name) || (room -= JSON.stringify(result).length) < 0) continue;
        scope.memory.set(resultKey(name), result as unknown as Json);
      }
      if (Object.keys(end.counts).length > 0) scope.memory.set('counts', end.counts);
    },
    async compact() {
      const { before, turns } = await read();
      const compacted = await shorten(before, turns, true);
      return compacted === undefined
        ? { status: 'done', text: 'There is nothing to summarise yet.' }
        : { status: 'done', text: `Summarised the conversation up to turn ${compacted.until}.` };
    },
  };
}

function resultKey(name: string): string {
  return `result:${name}`;
}

function countsIn(stored: Json | undefined): Readonly<Record<string, number>> {
  if (!isJsonObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).filter(([, count]) => typeof count === 'number'),
  ) as Record<string, number>;
}

function compactedIn(stored: Json | undefined): Compacted {
  if (!isJsonObject(stored) || typeof stored['until'] !== 'number' || !Array.isArray(stored['messages']))
    return { until: 0, messages: [] };
  return stored as unknown as Compacted;
}

function isResult(stored: unknown): stored is LoopResult {
  return isJsonObject(stored) && typeof stored['text'] === 'string';
}

/** Returns the newest turns that fit into a number of tokens, and at least the last one. */
function newest(turns: readonly SessionTurn[], tokens: number): readonly SessionTurn[] {
  let from = Math.max(0, turns.length - 1);
  let room = tokens - tokensOf(turns.at(-1)?.messages ?? []);
  while (from > 0 && (room -= tokensOf(turns[from - 1]?.messages ?? [])) >= 0) from -= 1;
  return turns.slice(from);
}

/**
 * Omits the oldest turns of a conversation that could not be summarised, and says how many. A conversation that
 * fits into twice the usual space stays whole.
 */
function withoutOldest({ messages }: Compacted, turns: readonly SessionTurn[]): readonly Message[] {
  const recent = newest(turns, compactAt * 2 - tokensOf(messages));
  const text = omissionLine({ turns: turns.length - recent.length, messages: 0 });
  return [
    ...messages,
    ...(text === '' ? [] : [{ role: 'user', text } as const]),
    ...recent.flatMap((turn) => turn.messages),
  ];
}
