import type { ErrorData } from '../../../core/index.ts';
import type { TableDefinition } from '../descriptor/definition.ts';

/** A table of whose words code was made as far as that went. */
export interface PreparedTable extends TableDefinition {
  /** Why there is no code, or only older one, for what it says in words. */
  readonly proseFailure?: ErrorData;
}
