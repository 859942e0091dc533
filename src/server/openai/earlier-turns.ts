import { turnsSpace } from '../../core/index.ts';
import { isAlone } from '../rest/own-runs.ts';
import type { ServerContext } from '../route-group.ts';
import type { ConversationItem } from './conversation-item.ts';

/** A turn of the conversation that has ended. */
export interface EarlierTurn {
  readonly prompt: string;
  readonly text: string;
}

/** Returns the turns of a conversation. Calls of the client's tools become part of the answer's text. Pure. */
export function earlierTurns(items: readonly ConversationItem[]): readonly EarlierTurn[] {
  const turns: { prompt: string; text: string }[] = [];
  let isAnswered = true;
  for (const item of items) {
    if (item.kind === 'system') continue;
    if (turns.length === 0 || (item.kind === 'user' && isAnswered)) turns.push({ prompt: '', text: '' });
    const turn = turns.at(-1) as { prompt: string; text: string };
    isAnswered = item.kind !== 'user';
    if (item.kind === 'user') turn.prompt = joined(turn.prompt, item.text);
    else turn.text = joined(turn.text, shown(item));
  }
  return turns;
}

function joined(before: string, text: string): string {
  return before === '' ? text : `${before}\n\n${text}`;
}

function shown(item: Exclude<ConversationItem, { kind: 'user' | 'system' }>): string {
  if (item.kind === 'assistant') return item.text;
  return item.kind === 'call' ? `(Called ${item.name} with ${item.arguments})` : `(Result: ${item.text})`;
}

/**
 * Adds turns to a session, before its next turn. A session of one run gets the whole conversation each time, so
 * the turns that it has are left out.
 */
export async function writeTurns(
  { agent }: ServerContext,
  session: string,
  earlier: readonly EarlierTurn[],
): Promise<void> {
  if (earlier.length === 0) return;
  const store = await agent.runs.store();
  const space = turnsSpace(session);
  const known = [...(await store.entries(space)).keys()];
  const from = Math.max(Date.now() - earlier.length, Number.parseInt(known.at(-1) ?? '0', 10) + 1);
  const added = isAlone(session) ? earlier.slice(known.length) : earlier;
  for (const [index, { prompt, text }] of added.entries()) {
    const key = `${String(from + index).padStart(15, '0')}-earlier`;
    await store.set(space, key, { prompt, text, number: known.length + index + 1 });
  }
}
