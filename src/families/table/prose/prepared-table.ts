import type { ErrorData } from '../../../core/index.ts';
import type { TableDefinition } from '../descriptor/definition.ts';

/** A table after code for its prose has been generated, if necessary. */
export interface PreparedTable extends TableDefinition {
  /** The reason why the code for the table's prose is missing or outdated. */
  readonly proseFailure?: ErrorData;
}
