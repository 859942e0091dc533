import { AgentError, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';
import type { TableDefinition } from './descriptor/definition.ts';

/** A table's input: a text prompt or a typed request. */
export type TableInput = { readonly prompt: string } | (JsonObject & { readonly operation: string });

/** Reads the input as text or as a typed request. The fields of a typed request are checked when it runs. */
export function accept({ table }: TableDefinition, input: Json): TableInput {
  const given: Json = typeof input === 'string' ? { prompt: input } : input;
  if (!isJsonObject(given)) throw bad(table, 'expected text or a request');
  const { prompt = null, operation = null, ...rest } = given;
  const members = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const hasPrompt = typeof prompt === 'string' && prompt.trim() !== '';
  if (prompt !== null && typeof prompt !== 'string') throw bad(table, '"prompt" must be a string');
  if (operation !== null && typeof operation !== 'string') throw bad(table, '"operation" must be a string');
  if (hasPrompt && (operation !== null || Object.keys(members).length > 0))
    throw bad(table, '"prompt" cannot be combined with the properties of a request');
  if (hasPrompt) return { prompt: prompt.trim() };
  if (operation !== null) return { operation, ...members };
  throw bad(table, Object.keys(members).length > 0 ? '"operation" is missing' : 'it is empty');
}

function bad(table: string, what: string): AgentError {
  return new AgentError('usage.bad-input', `Invalid input for the table ${table}: ${what}.`, {
    hint: 'Pass text, as in {"prompt": "list all"}, or a request, as in {"operation": "list", "limit": 10}.',
  });
}
