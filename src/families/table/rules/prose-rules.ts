import type { Json } from '../../../core/index.ts';
import type { TableRow } from '../table.ts';

/** What prose can say about a field, or, as `rule`, about a whole record. */
export type ProseKind =
  'validate' | 'present' | 'resolve' | 'enumerate' | 'derive' | 'require' | 'key' | 'rule';

/** One time that a rule is held against something. */
export interface ProseCase {
  /** Of the field; for `rule` the record as it was before, null for a new one. */
  readonly value: Json;
  readonly record: TableRow;
}

/** Rules that are written in words, as code was made of them. */
export interface ProseRules {
  /** What is written and nothing holds to, a sentence each; empty when all of it is code. */
  readonly notEnforced: readonly string[];
  /** Whether there is code; `name` is the field, or the number of the rule, counted from 1. */
  has(kind: ProseKind, name: string): boolean;
  /**
   * Runs it on all cases at once, in the sandbox, and gives one result each: for `validate` and `rule` a message or null,
   * for `require` true or false, for `present` a text, for `enumerate` a list, else a value. Throws `skill.failed` when the
   * code fails, which refuses what was wanted.
   */
  run(kind: ProseKind, name: string, cases: readonly ProseCase[]): Promise<readonly Json[]>;
}

/** Those of a table that has none in words. */
export const noProse: ProseRules = {
  notEnforced: [],
  has: () => false,
  run: (_kind, _name, cases) => Promise.resolve(cases.map(() => null)),
};
