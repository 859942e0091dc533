import type { Message, ToolCall } from '../../core/model.ts';

const most = { each: 5_000 * 4, all: 25_000 * 4 }; // characters

/**
 * The results of these tools, as long as there is room, which the newest get first; as calls with their results in one
 * turn, so that the next summary finds them again.
 */
export function keptTurns(older: readonly Message[], keepers: ReadonlySet<string>): readonly Message[] {
  let left = most.all;
  const calls = older.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : []));
  const made: { readonly call: ToolCall; readonly result: Message }[] = [];
  for (const message of older.toReversed()) {
    if (message.role !== 'tool' || !keepers.has(message.name)) continue;
    const call = calls.find(({ id }) => id === message.callId);
    const text = message.text.slice(0, Math.min(most.each, left)).toWellFormed();
    if (call === undefined || text === '') continue;
    left -= text.length;
    made.unshift({ call, result: { ...message, text } });
  }
  if (made.length === 0) return [];
  const turn: Message = { role: 'assistant', text: '', calls: made.map(({ call }) => call) };
  return [turn, ...made.map(({ result }) => result)];
}
