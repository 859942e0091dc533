/**
 * An expression over a record's fields. It has no value if any of its fields has none, except in `coalesce`,
 * `if`, `= null`, and an `and` or `or` whose result is already determined by another operand.
 */
export type Expression =
  | { readonly value: string | number | boolean | null }
  | { readonly field: string }
  | {
      readonly operator: '+' | '-' | '*' | '/' | '=' | '!=' | '<' | '<=' | '>' | '>=' | 'and' | 'or' | 'not';
      readonly of: readonly Expression[];
    }
  | { readonly call: string; readonly of: readonly Expression[] };
