import type { Question } from '../../core/index.ts';
import { buildTable } from './build-table.ts';
import { plainReply, withoutLead } from './conversation/reply.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { anyTime } from './values/any-time.ts';
import { readAssignments } from './words/read-assignments.ts';
import { understand } from './words/understand.ts';

/**
 * Whether words answer a question of a table. A whole plain request does not, nor does what is no reply, choice or
 * correction where there are options; anything else may be a value that was asked for, unless it begins as a request to
 * another table would: such a value is put in quotes.
 */
export function answers(definition: TableDefinition, { options = [] }: Question, words: string): boolean {
  const said = words.trim();
  if (options.includes(said) || isReply(said, options)) return true;
  const table = buildTable(definition);
  const understood = understand(table, said, anyTime);
  const assigned = readAssignments(table, withoutLead(said), anyTime);
  if (understood.kind === 'request')
    return assigned !== undefined && 'set' in assigned && !isWhole(understood.request);
  if (options.length === 0) return (assigned !== undefined && 'set' in assigned) || !beginsLikeRequest(said);
  return assigned !== undefined || !/\s/.test(said);
}

/** Replies that turn pages are answers only where there are pages. */
function isReply(said: string, options: readonly string[]): boolean {
  const reply = plainReply(said);
  if (reply === undefined) return /^#?\d+$/.test(said) && options.length > 0;
  return reply === 'yes' || reply === 'no' || options.includes(reply);
}

/** An update that says which records it means stands for itself. */
function isWhole(request: { readonly operation: string; readonly where?: unknown }): boolean {
  return request.operation !== 'update' || request.where !== undefined;
}

function beginsLikeRequest(said: string): boolean {
  return /^(?:list|show|find|count|how many|which|what|add|update|delete|import|export)\s+\S/i.test(said);
}
