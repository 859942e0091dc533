import type { Message, ToolCall } from '../../core/model.ts';
import { cutLoaded, loadedName } from './loaded-text.ts';

const most = { each: 5_000 * 4, all: 25_000 * 4 }; // characters
const least = 200; // characters; less of a text helps nobody

/**
 * The texts that were loaded, as long as there is room, which the newest get first, and of each name only the newest,
 * which may be among the recent messages; as calls with their results in one turn, so that the next summary finds them
 * again. One that is not cut stays the same object.
 */
export function keptTurns(older: readonly Message[], recent: readonly Message[]): readonly Message[] {
  let left = most.all;
  const calls = older.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : []));
  const seen = new Set(recent.map(nameOf));
  const made: { readonly call: ToolCall; readonly result: Message }[] = [];
  for (const message of older.toReversed()) {
    const name = nameOf(message);
    if (name === undefined || seen.has(name) || message.role !== 'tool') continue;
    seen.add(name);
    const call = calls.find(({ id }) => id === message.callId);
    const room = Math.min(most.each, left);
    if (call === undefined || (room < least && message.text.length > room)) continue;
    const text = cutLoaded(message.text, room);
    left -= text.length;
    made.unshift({ call, result: text === message.text ? message : { ...message, text } });
  }
  if (made.length === 0) return [];
  const turn: Message = { role: 'assistant', text: '', calls: made.map(({ call }) => call) };
  return [turn, ...made.map(({ result }) => result)];
}

function nameOf(message: Message): string | undefined {
  return message.role === 'tool' ? loadedName(message.text) : undefined;
}
