import type { Json } from '../../../core/index.ts';
import type { TableRow } from '../table.ts';

/** The kinds of prose rules. `rule` applies to a whole record, all others to a single field. */
export type ProseKind =
  'validate' | 'present' | 'resolve' | 'enumerate' | 'derive' | 'require' | 'key' | 'rule';

/** A case to run a prose rule's code on. */
export interface ProseInput {
  /** The field's value. For `rule`, the previous record, or null for a new record. */
  readonly value: Json;
  readonly record: TableRow;
}

/** A table's prose rules, with access to the code generated for them. */
export interface ProseRules {
  /** One sentence for each rule that cannot be enforced because it has no code. */
  readonly notEnforced: readonly string[];
  /** Whether a rule has code. `name` is the field name or the one-based number of the rule. */
  has(kind: ProseKind, name: string): boolean;
  /**
   * Runs a rule's code in the sandbox on all inputs in one call. Returns one result per input: a message or
   * null for `validate` and `rule`, a boolean for `require`, text for `present`, a list for `enumerate`, and
   * a value otherwise. Throws `skill.failed` if the code fails; the request is then rejected.
   */
  run(kind: ProseKind, name: string, inputs: readonly ProseInput[]): Promise<readonly Json[]>;
}

/** The `ProseRules` for a table without prose rules. */
export const noProse: ProseRules = {
  notEnforced: [],
  has: () => false,
  run: (_kind, _name, inputs) => Promise.resolve(inputs.map(() => null)),
};
