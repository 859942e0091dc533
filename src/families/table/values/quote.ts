import { visible, type Json } from '../../../core/index.ts';

/** Formats a value for a message: in quotes, on one line and shortened if it is long. */
export function quote(value: Json): string {
  const text = visible(typeof value === 'string' ? value.slice(0, longest + 1) : JSON.stringify(value));
  return `"${text.length > longest ? `${text.slice(0, longest)}…` : text}"`;
}

const longest = 60;
