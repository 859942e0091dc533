/** The part of a conversation that is left out: complete turns, and single messages of other turns. */
export interface Omission {
  readonly turns: number;
  readonly messages: number;
}

/** Returns the line that replaces the omitted part of a conversation. Empty if nothing is omitted. Pure. */
export function omissionLine({ turns, messages }: Omission): string {
  const parts = [counted(turns, 'turn'), counted(messages, 'message')].filter((part) => part !== '');
  if (parts.length === 0) return '';
  return `[${parts.join(' and ')} ${turns + messages === 1 ? 'is' : 'are'} omitted here]`;
}

function counted(count: number, name: string): string {
  return count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`;
}

const line = /^\[(?:(\d+) turns?)?(?: and )?(?:(\d+) messages?)? (?:is|are) omitted here\]$/;

/** Parses a line that `omissionLine` returned. Returns undefined for any other text. Pure. */
export function readOmission(text: string): Omission | undefined {
  const [found, turns = 0, messages = 0] = line.exec(text) ?? [];
  return found === undefined ? undefined : { turns: Number(turns), messages: Number(messages) };
}
