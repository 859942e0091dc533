import type { Literal } from '../plan.ts';

/** Whether a text stands in a script as it is, without quotes around it; `lines` are those of the script. */
export function isBare({ text, place: { line, column } }: Literal, lines: readonly string[]): boolean {
  return text !== '' && lines[line - 1]?.startsWith(text, column - 1) === true;
}
