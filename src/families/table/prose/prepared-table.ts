import type { ErrorData } from '../../../core/index.ts';
import type { TableDefinition } from '../descriptor/definition.ts';

/** A table after code for its prose rules has been generated, if necessary. */
export interface PreparedTable extends TableDefinition {
  /** Why the code for the prose rules is missing or outdated. */
  readonly proseFailure?: ErrorData;
}
