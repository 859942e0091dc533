import type { Question } from '../../core/index.ts';
import { plainReply } from '../../engines/phrases/replies.ts';
import { anyTime } from '../../engines/values/calendar.ts';
import { buildTable } from './build-table.ts';
import { withoutLead } from './conversation/reply.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import type { Table } from './table.ts';
import { readAssignments } from './words/assignments.ts';
import { createCursor } from './words/cursor.ts';
import { understand } from './words/understand.ts';

/**
 * Determines whether text is a request to this table. Returns `named` for a plain-language request that
 * contains the table's name, even one with mistakes. Returns `next` for any other plain request, such as
 * `undo`, which is accepted only right after the table was used.
 */
export function recognises(definition: TableDefinition, text: string): 'named' | 'next' | undefined {
  const table = buildTable(definition);
  const { kind } = understand(table, text, anyTime);
  if (kind === 'unknown') return undefined;
  if (hasTableName(table, text)) return 'named';
  return kind === 'fault' ? undefined : 'next';
}

/** Whether the text contains the table's name. */
function hasTableName(table: Table, text: string): boolean {
  const cursor = createCursor(table, text, { now: 0, zone: 'UTC' });
  return cursor.tokens.some((_, index) => {
    const length = cursor.table(index);
    return length > 0 && cursor.names.isTitle(cursor.text(index, index + length));
  });
}

/**
 * Whether text answers a table's question. A complete request is never an answer. If the question has
 * options, only a reply, a choice or a correction is an answer. Otherwise, any text can be the requested
 * value. A value that begins like a request must be quoted.
 */
export function answers(definition: TableDefinition, { options = [] }: Question, text: string): boolean {
  const said = text.trim();
  if (options.includes(said) || isReply(said, options)) return true;
  const table = buildTable(definition);
  const understood = understand(table, said, anyTime);
  const assigned = readAssignments(table, withoutLead(said), anyTime);
  if (understood.kind === 'request')
    return assigned !== undefined && 'set' in assigned && !isWhole(understood.request);
  if (options.length === 0) return (assigned !== undefined && 'set' in assigned) || !beginsLikeRequest(said);
  return assigned !== undefined || !/\s/.test(said);
}

/** Whether text is a plain reply. Replies such as "next" are accepted only if the question offers them. */
function isReply(said: string, options: readonly string[]): boolean {
  const reply = plainReply(said);
  if (reply === undefined) return /^#?\d+$/.test(said) && options.length > 0;
  return reply === 'yes' || reply === 'no' || options.includes(reply);
}

/** Whether a request is complete. An update must specify the records to change. */
function isWhole(request: { readonly operation: string; readonly where?: unknown }): boolean {
  return request.operation !== 'update' || request.where !== undefined;
}

function beginsLikeRequest(said: string): boolean {
  return /^(?:list|show|find|count|how many|which|what|add|update|delete|import|export)\s+\S/i.test(said);
}
