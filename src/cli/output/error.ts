import type { ErrorData } from '../../core/error.ts';
import type { Terminal } from '../terminal.ts';
import { pasteable } from './pasteable.ts';
import { oneLine } from './text.ts';

/** A failure for stderr: what happened, and below it what more there is to say of it, and the next step. */
export function errorText({ message, hint = '' }: ErrorData, terminal: Terminal): string {
  const [first = '', ...more] = message.trim().split('\n').map(oneLine);
  const below = [...more, pasteable(oneLine(hint), terminal)].filter((line) => line !== '');
  return [`error: ${first}`, ...below.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
}
