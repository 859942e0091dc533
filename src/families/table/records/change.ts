import type { TableRow } from '../table.ts';

/** What happens to one record; `before` is what was seen when it was planned. */
export type Change =
  | { readonly kind: 'add'; readonly after: TableRow }
  | { readonly kind: 'update'; readonly before: TableRow; readonly after: TableRow }
  | { readonly kind: 'delete'; readonly before: TableRow };

/** What is wrong with one change, for people. */
export interface ChangeFault {
  /** Which of the changes, counted from 0. */
  readonly index: number;
  /** The field that is to be said otherwise; absent when it is about the whole record. */
  readonly field?: string;
  /** The line of the file that the record comes from, which the message names. */
  readonly line?: number;
  readonly message: string;
}

/** The fault of a record that comes from a line of a file, which its message then names. */
export function atLine(fault: ChangeFault, line: number | undefined): ChangeFault {
  return line === undefined ? fault : { ...fault, line, message: `Line ${line}: ${fault.message}` };
}

/** What came of changes: all of them are written, or nothing is. */
export type Written =
  | {
      readonly outcome: 'done';
      readonly added: number;
      readonly updated: number;
      readonly deleted: number;
      /** The first of them as they are now, keys that the database made included; deleted ones as they were. */
      readonly rows: readonly TableRow[];
      /** It cannot be taken back: something went that is of no field, or what was there before is too much to keep. */
      readonly isFinal?: true;
    }
  /** Records that are not as they were seen, as they are now; null where one is gone. */
  | { readonly outcome: 'stale'; readonly now: readonly (TableRow | null)[] }
  | { readonly outcome: 'refused'; readonly faults: readonly ChangeFault[] };
