/** A field as it is written to a descriptor. */
export interface DescribedField {
  readonly name: string;
  /** The column's name, if it differs from the field's name. */
  readonly column?: string;
  readonly description: string;
  readonly type: string;
  readonly key?: 'auto-increment' | 'uuid' | 'given';
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly default?: string;
  readonly values?: readonly string[];
}
