import type { Terminal } from '../terminal.ts';
import { manyLines } from './text.ts';

/** Prints a text that is the answer: in a pipe exactly as it is, and so that a terminal is not steered by it. */
export function printWhole(text: string, terminal: Pick<Terminal, 'out' | 'width'>): void {
  if (text === '') return;
  const safe = terminal.width === undefined ? text : manyLines(text);
  terminal.out(safe.endsWith('\n') ? safe : `${safe}\n`);
}
