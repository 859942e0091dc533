import type { JsonObject } from '../../../core/index.ts';
import type { Condition, Sort } from '../../../engines/conditions/conditions.ts';
import { isMeasurable, isNumeric, type ValueKind } from '../../../engines/values/types.ts';

/** All request operations. */
export const operations = [
  ...(['list', 'show', 'count', 'sum', 'average', 'minimum', 'maximum', 'group', 'add', 'update'] as const),
  ...(['delete', 'import', 'export', 'undo', 'fields', 'next', 'previous'] as const),
] as const;

/** All measures that can be computed over records. */
export const measures = ['count', 'sum', 'average', 'minimum', 'maximum'] as const;

/** The limits that apply to every request, and the default page size. */
export const requestLimits = {
  /** The maximum number of records on a page. */
  maxRows: 1_000,
  maxSkipped: 1_000_000_000,
  pageLength: 20,
  /** The maximum nesting depth of a condition. */
  deepest: 16,
  /** The maximum number of comparisons in a condition. */
  maxLeaves: 100,
} as const;

/** A measure computed over records. */
export type Measure = (typeof measures)[number];

/** The records that a request is about. */
interface Matching {
  readonly where?: Condition;
}

/** A request to list records, optionally one page of them. */
export interface ListRequest extends Matching {
  readonly operation: 'list';
  /** The fields to read. Defaults to the fields that lists show. */
  readonly fields?: readonly string[];
  readonly sort?: readonly Sort[];
  readonly limit?: number;
  readonly offset?: number;
  /** Whether the limit and offset count from the end. The records are still in the order of `sort`. */
  readonly last?: true;
}

/** A request to show one record with all its fields. */
export interface ShowRequest {
  readonly operation: 'show';
  readonly where: Condition;
}

/** A request to count records. */
export interface CountRequest extends Matching {
  readonly operation: 'count';
}

/** A request for the sum, average, minimum or maximum of a field. Records without a value are ignored. */
export interface MeasureRequest extends Matching {
  readonly operation: Exclude<Measure, 'count'>;
  readonly field: string;
}

/** A request to compute a measure for each value of a field. By default, the greatest results come first. */
export interface GroupRequest extends Matching {
  readonly operation: 'group';
  readonly by: string;
  readonly measure: Measure;
  /** The field to measure; absent for `count`. */
  readonly field?: string;
  readonly direction?: 'up' | 'down';
  readonly limit?: number;
}

/** A request that changes several records. */
interface Divisible {
  /** Whether to skip records that break a rule. Otherwise, one such record prevents the whole change. */
  readonly partial?: true;
}

/** A request to add new records. */
export interface AddRequest extends Divisible {
  readonly operation: 'add';
  /** The values of each record, keyed by declared field name. Values can be omitted. */
  readonly records: readonly JsonObject[];
}

/** A request to change or delete records. */
interface Targeted extends Matching, Divisible {
  /** Whether all matching records are meant. Otherwise, the user must choose if several match. */
  readonly many?: true;
}

/** A request to change values in existing records. */
export interface UpdateRequest extends Targeted {
  readonly operation: 'update';
  /** The new values, keyed by declared field name. Null removes a value. */
  readonly set: JsonObject;
}

/** A request to delete records. */
export interface DeleteRequest extends Targeted {
  readonly operation: 'delete';
}

/** A request to add records from a file in the workspace. */
export interface ImportRequest extends Divisible {
  readonly operation: 'import';
  readonly file: string;
  /** The file format. Defaults to the format implied by the file name. */
  readonly format?: 'csv' | 'json';
}

/** A request to write records to a file in the workspace. */
export interface ExportRequest extends Matching {
  readonly operation: 'export';
  readonly file: string;
  readonly format?: 'csv' | 'json';
  readonly fields?: readonly string[];
  readonly sort?: readonly Sort[];
}

/** A request to undo this session's last change, describe the table, or show another page of a list. */
export type PlainRequest =
  | { readonly operation: 'undo' }
  | { readonly operation: 'fields' }
  | { readonly operation: 'next' }
  | { readonly operation: 'previous' };

/** A typed request to a table. Requests in plain language are converted to this form. */
export type TableRequest =
  | ListRequest
  | ShowRequest
  | CountRequest
  | MeasureRequest
  | GroupRequest
  | AddRequest
  | UpdateRequest
  | DeleteRequest
  | ImportRequest
  | ExportRequest
  | PlainRequest;

const writes: ReadonlySet<TableRequest['operation']> = new Set(['add', 'update', 'delete', 'import', 'undo']);

/** Whether a request changes records. */
export function isWrite({ operation }: Pick<TableRequest, 'operation'>): boolean {
  return writes.has(operation);
}

/** Whether a measure is meaningful for a type. */
export function mayMeasure(measure: Measure, type: ValueKind): boolean {
  return measure === 'sum' || measure === 'average' ? isNumeric(type) : isMeasurable(type);
}
