import { createHash } from 'node:crypto';
import type { Proposal } from './physical.ts';
import type { SchemaPlace } from './existing-table.ts';
import type { TableRecord } from './table-record.ts';

/** A proposal with what it comes to once it is approved. */
export interface Plan {
  readonly proposal: Proposal;
  /** Nothing can be done with the table before. */
  readonly isBlocking: boolean;
  /** Makes the change, inside a transaction. */
  apply(place: SchemaPlace): Promise<void>;
  /** What is kept about the table from then on. */
  record(before: TableRecord): TableRecord;
}

/** The id of a change: the same for the same one, whatever the table holds. */
export function planId(kind: Proposal['kind'], ...what: readonly unknown[]): string {
  const mark = createHash('sha256').update(JSON.stringify(what)).digest('hex');
  return `${kind}-${mark.slice(0, 12)}`;
}
