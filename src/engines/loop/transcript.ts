import type { Json } from '../../core/json.ts';
import type { Message } from '../../core/model.ts';

const mostOfOne = 4_000; // characters of one message
const mostOfAll = 200_000;

/** Messages as lines of JSON, for a model that is to read about them: no text in one can pass for another. Long ones are cut in the middle. */
export function transcriptOf(messages: readonly Message[]): string {
  const each = Math.max(200, Math.min(mostOfOne, Math.floor(mostOfAll / Math.max(1, messages.length))));
  return messages.map((message) => JSON.stringify(turnOf(message, each))).join('\n');
}

function turnOf(message: Message, most: number): Json {
  const text = cut(message.text, most);
  if (message.role === 'tool') return { resultOf: message.name, text };
  if (message.role === 'user') return { from: 'user', text };
  const calls = (message.calls ?? []).map(({ name, input }) => ({
    name,
    input: cut(JSON.stringify(input), most),
  }));
  return { from: 'assistant', text, ...(calls.length === 0 ? {} : { calls }) };
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)} […] ${text.slice(-half)}`.toWellFormed();
}
