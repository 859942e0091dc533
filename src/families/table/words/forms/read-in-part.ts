import type { TableRequest } from '../../request/request.ts';
import { isAtEnd, type Cursor } from '../cursor.ts';
import { buildPhrases, phraseAt } from '../phrases.ts';

/** Reads a change, and whether it is to be made `as far as possible`, which stands at its end. */
export function readInPart(cursor: Cursor, read: (cursor: Cursor) => TableRequest): TableRequest {
  const length = endLength(cursor);
  if (length === 0) return read(cursor);
  const before = { ...cursor, tokens: cursor.tokens.slice(0, -length) };
  const request = read(before);
  cursor.index = isAtEnd(before) ? cursor.tokens.length : before.index;
  return request.operation === 'update' || request.operation === 'delete'
    ? { ...request, partial: true }
    : request;
}

function endLength(cursor: Cursor): number {
  const lengths = [2, 4].filter((length) => {
    const start = cursor.tokens.length - length;
    return start > cursor.index && phraseAt(cursor, ends, start)?.length === length;
  });
  return lengths[0] ?? 0;
}

const ends = buildPhrases<true>([true, 'as far as possible|where possible']);
