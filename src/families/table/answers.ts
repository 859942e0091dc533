import type { Question } from '../../core/index.ts';
import { buildTable } from './build-table.ts';
import { plainReply, withoutLead } from './conversation/reply.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { anyTime } from './values/any-time.ts';
import { readAssignments } from './words/read-assignments.ts';
import { understand } from './words/understand.ts';

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
