import type { ErrorData } from '../../core/error.ts';
import { oneLine } from './text.ts';

/** A failure in two lines for stderr: what happened, and the next step. */
export function errorText({ message, hint }: ErrorData): string {
  const below = hint === undefined || hint === '' ? '' : `  ${oneLine(hint)}\n`;
  return `error: ${oneLine(message)}\n${below}`;
}
