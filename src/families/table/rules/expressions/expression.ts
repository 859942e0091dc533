/** A value worked out from the fields of a record. Nothing is worked out where a field in it has no value, but by `coalesce`, `if`, a part of `and` or `or` that decides, and `= null`. */
export type Expression =
  | { readonly value: string | number | boolean | null }
  | { readonly field: string }
  | {
      readonly operator: '+' | '-' | '*' | '/' | '=' | '!=' | '<' | '<=' | '>' | '>=' | 'and' | 'or' | 'not';
      readonly of: readonly Expression[];
    }
  | { readonly call: string; readonly of: readonly Expression[] };
