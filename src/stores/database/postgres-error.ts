import type { AgentError } from '../../core/error.ts';
import { codeOf, toStoreError } from '../postgres-errors.ts';
import { buildRefusal } from './refusal.ts';

/** What PostgreSQL threw, as a refusal of a change or of a value, or as a failure of the database. */
export function toPostgresError(thrown: unknown, named: string): AgentError {
  const code = codeOf(thrown);
  if (code === '23505') return buildRefusal('unique', thrown, named);
  return otherCodes.test(code) ? buildRefusal('other', thrown, named) : toStoreError(thrown, named);
}

// Values, constraints, views with a check, limits of an index, and what a trigger raises.
const otherCodes = /^(?:22|23|44|54)...$|^P0001$/;
