import type { Json } from '../../../core/index.ts';
import { quote } from './quote.ts';
import type { ValueRead } from './value-read.ts';

/** Yes or no. */
export function readBoolean(given: Json): ValueRead {
  const word = typeof given === 'object' ? '' : String(given).trim().toLowerCase();
  if (yes.has(word)) return { value: true };
  if (no.has(word)) return { value: false };
  return { fault: `must be yes or no, not ${quote(given)}.` };
}

const yes: ReadonlySet<string> = new Set(['yes', 'true', 'on', '1']);
const no: ReadonlySet<string> = new Set(['no', 'false', 'off', '0']);
