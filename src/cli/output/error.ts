import type { ErrorData } from '../../core/error.ts';
import { oneLine } from './text.ts';

/** A failure for stderr: what happened, and below it what more there is to say of it, and the next step. */
export function errorText({ message, hint = '' }: ErrorData): string {
  const [first = '', ...more] = [...message.trim().split('\n'), hint].map(oneLine);
  const below = more.filter((line) => line !== '').map((line) => `  ${line}\n`);
  return `error: ${first}\n${below.join('')}`;
}
