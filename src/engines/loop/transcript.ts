import type { Message } from '../../core/model.ts';

const mostOfOne = 4_000; // characters of one message
const mostOfAll = 200_000;

/** Messages as one text, for a model that is to read about them; long ones are cut in the middle. */
export function transcriptOf(messages: readonly Message[]): string {
  const each = Math.max(200, Math.min(mostOfOne, Math.floor(mostOfAll / Math.max(1, messages.length))));
  return messages
    .map((message) => turnText(message, each))
    .join('\n\n')
    .toWellFormed();
}

function turnText(message: Message, most: number): string {
  if (message.role === 'tool') return `Result of ${message.name}: ${cut(message.text, most)}`;
  if (message.role === 'user') return `User: ${cut(message.text, most)}`;
  const calls = (message.calls ?? []).map(
    ({ name, input }) => `calls ${name} ${cut(JSON.stringify(input), most)}`,
  );
  return `Assistant: ${[cut(message.text, most), ...calls].filter((part) => part !== '').join('\n')}`;
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)} […] ${text.slice(-half)}`;
}
