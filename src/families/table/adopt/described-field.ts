/** A field as it is to be written into a descriptor. */
export interface DescribedField {
  readonly name: string;
  /** Where it is called otherwise. */
  readonly column?: string;
  readonly description: string;
  readonly type: string;
  readonly key?: 'auto-increment' | 'uuid' | 'given';
  readonly isRequired: boolean;
  readonly isUnique: boolean;
  readonly default?: string;
  readonly values?: readonly string[];
}
