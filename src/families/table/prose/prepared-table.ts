import type { ErrorData } from '../../../core/index.ts';
import type { TableDefinition } from '../descriptor/definition.ts';

/** A table after code for its prose rules has been generated, if necessary. */
export interface PreparedTable extends TableDefinition {
  /** The error that prevented code from being generated for the current prose rules. */
  readonly proseFailure?: ErrorData;
}
