import { AgentError, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';
import type { TableDefinition } from './descriptor/definition.ts';

/** What a table is called with: words, or the members of a typed request. */
export type TableInput = { readonly prompt: string } | (JsonObject & { readonly operation: string });

/** The input as one of its two forms; what a typed request says is held against the fields when it is carried out. */
export function accept({ table }: TableDefinition, input: Json): TableInput {
  const given: Json = typeof input === 'string' ? { prompt: input } : input;
  if (!isJsonObject(given)) throw bad(table, 'is neither words nor a request');
  const { prompt = null, operation = null, ...rest } = given;
  const members = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const hasWords = typeof prompt === 'string' && prompt.trim() !== '';
  if (prompt !== null && typeof prompt !== 'string') throw bad(table, 'has a prompt that is no text');
  if (operation !== null && typeof operation !== 'string')
    throw bad(table, 'has an operation that is no text');
  if (hasWords && (operation !== null || Object.keys(members).length > 0))
    throw bad(table, 'has words and members of a request together');
  if (hasWords) return { prompt: prompt.trim() };
  if (operation !== null) return { operation, ...members };
  throw bad(
    table,
    Object.keys(members).length > 0 ? 'has members of a request and no operation' : 'says nothing',
  );
}

function bad(table: string, what: string): AgentError {
  return new AgentError('usage.bad-input', `The input of the table ${table} ${what}.`, {
    hint: 'Give words, as {"prompt": "list all"}, or a request, as {"operation": "list", "limit": 10}.',
  });
}
