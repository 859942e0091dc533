import { omissionLine, type Message } from '../../core/index.ts';
import { lastTurns } from './turn-calls.ts';

const charactersOfToken = 4;

/**
 * Limits a conversation to about `tokens` tokens: the first turn, which shows the topic, and as many of the
 * last turns as fit. A line between them states how many turns are omitted. This number includes `omitted`
 * turns that followed the first turn but are no longer stored. Pure.
 */
export function limitTurns(
  turns: readonly (readonly Message[])[],
  tokens: number,
  omitted = 0,
): readonly Message[] {
  const [first, ...others] = turns;
  if (first === undefined) return [];
  const most = tokens * charactersOfToken;
  if (sizeOf(turns.flat()) <= most) return [...first, ...note(omitted, 0), ...others.flat()];
  const head = shortTurn(first, others.length === 0 ? most : most / 4);
  let room = most - sizeOf(head);
  let from = others.length;
  while (from > 0 && sizeOf(others[from - 1] ?? []) <= room) room -= sizeOf(others[(from -= 1)] ?? []);
  const last = from === others.length ? others[(from -= 1)] : undefined; // Not even the last turn fits.
  const end = last === undefined ? others.slice(from).flat() : shortTurn(last, room);
  return [...head, ...note(omitted + Math.max(0, from), 0), ...end];
}

/** Splits messages into turns, which each begin with a message from the user. Pure. */
export function turnsIn(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn === undefined || message.role === 'user') turns.push([message]);
    else turn.push(message);
  }
  return turns;
}

/**
 * Shortens a turn to about `most` characters: the prompt, and the answer or, without one, the last messages.
 * A line states the number of omitted messages.
 */
function shortTurn(turn: readonly Message[], most: number): readonly Message[] {
  const [prompt, ...others] = turn;
  if (prompt === undefined || sizeOf(turn) <= most) return turn;
  const head = shortened(prompt, most / 4);
  const answer = others.at(-1);
  const end =
    answer?.role === 'assistant'
      ? [shortened(answer, most / 2)]
      : lastTurns(others, (most - sizeOf([head])) / charactersOfToken);
  return [head, ...note(0, others.length - end.length), ...end];
}

function shortened(message: Message, most: number): Message {
  const { text } = message;
  const end = Math.max(0, Math.floor(most));
  return text.length <= end ? message : { ...message, text: `${text.slice(0, end)} …`.toWellFormed() };
}

function note(turns: number, messages: number): readonly Message[] {
  const text = omissionLine({ turns, messages });
  return text === '' ? [] : [{ role: 'user', text }];
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
}
