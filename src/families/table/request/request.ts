import type { Json, JsonObject } from '../../../core/index.ts';
import type { comparisons, measures } from './request-words.ts';

/** How a field is compared with a value; each has its exact complement: a field without a value fits none but `empty`, `not-…` and what is negated. */
export type Comparison = (typeof comparisons)[number];

/** Which records are meant. Fields by their declared names, values as the type of the field has them. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | {
      readonly field: string;
      readonly is: Comparison;
      /** A pair, both included, for `between`; a list for `in` and `not-in`; absent for `empty` and `not-empty`. */
      readonly value?: Json;
    };

/** In which order; records without a value come last. */
export interface Sort {
  readonly field: string;
  readonly direction: 'up' | 'down';
}

/** What is worked out over records. */
export type Measure = (typeof measures)[number];

/** Records, or a window of them. */
export interface ListRequest {
  readonly operation: 'list';
  readonly where?: Condition;
  /** All that lists show unless given. */
  readonly fields?: readonly string[];
  readonly sort?: readonly Sort[];
  readonly limit?: number;
  readonly offset?: number;
}

/** One record with everything in it. */
export interface ShowRequest {
  readonly operation: 'show';
  readonly where: Condition;
}

/** How many. */
export interface CountRequest {
  readonly operation: 'count';
  readonly where?: Condition;
}

/** One number over a field; records without a value do not count. */
export interface MeasureRequest {
  readonly operation: Exclude<Measure, 'count'>;
  readonly field: string;
  readonly where?: Condition;
}

/** A number for each value of a field, the greatest first unless said. */
export interface GroupRequest {
  readonly operation: 'group';
  readonly by: string;
  readonly measure: Measure;
  /** What is measured; absent for `count`. */
  readonly field?: string;
  readonly where?: Condition;
  readonly direction?: 'up' | 'down';
  readonly limit?: number;
}

/** New records. */
export interface AddRequest {
  readonly operation: 'add';
  /** What is said of each, by declared names; fields may be missing. */
  readonly records: readonly JsonObject[];
  /** Those that cannot be added are left out; else none is added. */
  readonly partial?: true;
}

/** Other values for records that there are. */
export interface UpdateRequest {
  readonly operation: 'update';
  readonly where?: Condition;
  /** By declared names; null takes a value away. */
  readonly set: JsonObject;
  /** All that fit are meant; else it is about one, and several are a choice. */
  readonly many?: true;
  /** Those that cannot be changed are left as they are; else none is changed. */
  readonly partial?: true;
}

/** Records that go. */
export interface DeleteRequest {
  readonly operation: 'delete';
  readonly where?: Condition;
  readonly many?: true;
  /** Those that cannot go stay; else none goes. */
  readonly partial?: true;
}

/** Records from a file of the workspace. */
export interface ImportRequest {
  readonly operation: 'import';
  readonly file: string;
  /** By the name of the file unless given. */
  readonly format?: 'csv' | 'json';
  /** Rows that cannot be taken are left out; else nothing is taken. */
  readonly partial?: true;
}

/** Records into a file of the workspace. */
export interface ExportRequest {
  readonly operation: 'export';
  readonly file: string;
  readonly format?: 'csv' | 'json';
  readonly where?: Condition;
  readonly fields?: readonly string[];
  readonly sort?: readonly Sort[];
}

/** The last change of this session is taken back; or what the table is made of is told; or a list goes on. */
export type PlainRequest =
  | { readonly operation: 'undo' }
  | { readonly operation: 'fields' }
  | { readonly operation: 'next' }
  | { readonly operation: 'previous' };

/** What can be asked of a table. There is one form of it, whether words, a program or a model asked. */
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

/** Whether a request changes records. */
export function isWrite({ operation }: Pick<TableRequest, 'operation'>): boolean {
  return writes.has(operation);
}

const writes: ReadonlySet<TableRequest['operation']> = new Set(['add', 'update', 'delete', 'import', 'undo']);
