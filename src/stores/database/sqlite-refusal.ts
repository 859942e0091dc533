import type { AgentError } from '../../core/error.ts';
import { buildRefusal } from './refusal.ts';

/** What SQLite threw, as a refusal of a change; nothing where it is something else. */
export function toSqliteRefusal(thrown: unknown, named: string): AgentError | undefined {
  const { errcode, code } = (thrown ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  if (code === 'ERR_INVALID_ARG_VALUE') return buildRefusal('other', thrown, named); // more than 64 bits
  if (typeof errcode !== 'number') return undefined;
  if (uniqueCodes.has(errcode)) return buildRefusal('unique', thrown, named);
  return otherCodes.has(errcode & 0xff) ? buildRefusal('other', thrown, named) : undefined;
}

const uniqueCodes: ReadonlySet<number> = new Set([2067, 1555, 2579]); // a unique index, a primary key, a rowid
const otherCodes: ReadonlySet<number> = new Set([19, 18, 20]); // a constraint, too large, of another type
