import { optional } from '../../../core/index.ts';
import { columnKind, existingStorage } from '../../../engines/sql/column-types.ts';
import {
  isUnique,
  type ExistingColumn,
  type ExistingTable,
  type SqlExecutor,
} from '../../../engines/sql/existing-table.ts';
import type { FieldType } from '../descriptor/definition.ts';
import { readConversion } from './stored-values.ts';

/** The context for describing the columns of a table. */
export interface AdoptedTable {
  readonly executor: SqlExecutor;
  readonly table: ExistingTable;
  /** The columns that identify a record, and whether the database ensures it. */
  readonly key: { readonly columns: readonly string[]; readonly isReal: boolean };
  /** Field names, keyed by column name. */
  readonly names: ReadonlyMap<string, string>;
  /** The database's check constraints, as SQL. */
  readonly checks: readonly string[];
}

/** Describes a column as a field, in Markdown. Includes only rules that the database enforces. */
export async function describeColumn(
  context: AdoptedTable,
  column: ExistingColumn,
): Promise<readonly string[]> {
  const { table, names, key } = context;
  const name = names.get(column.name) ?? column.name;
  const type = await fittingType(context, column);
  const isKey = key.columns.includes(column.name);
  const isAutomatic = column.isNumbered || column.isGenerated;
  const initial = isAutomatic || isKey ? undefined : readDefault(column, type);
  const listed = type === 'string' ? (column.values ?? listedValues(column.name, context.checks)) : undefined;
  const values = listed?.every(isPlain) === true ? listed : undefined;
  const isRequired = column.isRequired && !isKey && !isAutomatic && initial === undefined;
  const attributes = {
    Type: typeName(type, column),
    ...optional('Column', name === column.name ? undefined : JSON.stringify(column.name)),
    ...optional('Primary Key', isKey ? keyKind(context, column) : undefined),
    ...optional('Required', isRequired ? '' : undefined),
    ...optional('Unique', !isKey && isUnique(table, [column.name]) ? '' : undefined),
    ...optional('Values', values?.map((value) => `- "${value}"`).join('\n')),
    ...optional('Default', initial === undefined ? undefined : `"${initial}"`),
  };
  const lines = Object.entries(attributes).flatMap(([title, text]) => [`#### ${title}`, text]);
  return [`### ${name}`, describe(column, name), ...lines.filter((line) => line !== '')];
}

function describe({ comment = '', isGenerated }: ExistingColumn, name: string): string {
  const own = oneLine(comment) || `The column ${oneLine(name)}.`;
  return isGenerated ? `${own} The database computes this value.` : own;
}

/** Puts text on one line and ensures that its start is not interpreted as Markdown. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' || /^[\p{L}\p{N}("']/u.test(line)
    ? line.replace(/^(\d+)([.)])/, '$1 $2')
    : `Note: ${line}`;
}

/**
 * Returns the type to declare for a column. SQLite allows any value in any column, so a SQLite column's type
 * is returned only if all its values match.
 */
async function fittingType({ executor, table }: AdoptedTable, column: ExistingColumn): Promise<FieldType> {
  const type = columnKind(executor.kind, column);
  const storage = existingStorage(executor.kind, type, column);
  if (storage === undefined) return 'string';
  if (executor.kind === 'postgres' || ['string', 'text', 'integer', 'bigint', 'decimal'].includes(type))
    return type;
  const field = { name: column.name, line: 1, description: '', type };
  const assigned = { field, name: column.name, existing: column, storage, isFit: true };
  const { isUnchanged } = await readConversion({ executor, name: table }, assigned, storage);
  return isUnchanged ? type : 'string';
}

function typeName(type: FieldType, column: ExistingColumn): string {
  const [, length] =
    /^(?:n?varchar|n?char|character(?: varying)?|varying character)\s*\((\d{1,9})\)$/i.exec(column.type) ??
    [];
  return type === 'string' && length !== undefined ? `varchar(${length})` : type;
}

function keyKind({ key }: AdoptedTable, column: ExistingColumn): 'auto-increment' | 'uuid' | 'given' {
  const isAlone = key.isReal && key.columns.length === 1;
  if (isAlone && column.isNumbered) return 'auto-increment';
  const makesUuid = /^(?:gen_random_uuid|uuid_generate_v\d\w*|uuidv\d)\(\)$/i.test(column.default ?? '');
  return isAlone && makesUuid ? 'uuid' : 'given';
}

/** Returns a column's default if it is a plain value or the current time. Otherwise returns undefined. */
function readDefault({ default: expression }: ExistingColumn, type: FieldType): string | undefined {
  if (expression === undefined) return undefined;
  const bare = expression
    .trim()
    .replace(/^\((.*)\)$/s, '$1')
    .trim();
  if (type === 'datetime' && /^(?:current_timestamp|now\(\)|localtimestamp)$/i.test(bare)) return 'now';
  if (type === 'date' && /^(?:current_date|date\('now'\))$/i.test(bare)) return 'today';
  const text = /^'((?:[^']|'')*)'(?:::[\w ."[\]()]+)?$/s.exec(bare)?.[1]?.replaceAll("''", "'");
  if (text !== undefined) return isPlain(text) ? text : undefined;
  if (/^[+-]?\d+(?:\.\d+)?$/.test(bare)) return type === 'boolean' ? String(Number(bare) !== 0) : bare;
  return /^(?:true|false)$/i.test(bare) && type === 'boolean' ? bare.toLowerCase() : undefined;
}

/** Whether a descriptor can represent the value. In a descriptor, empty text means no value. */
function isPlain(text: string): boolean {
  return text !== '' && text.trim() === text && !/[\n\r]/.test(text);
}

/**
 * Returns the values that the last check such as `check (status in ('a', 'b'))` allows. Also reads the form
 * in which PostgreSQL stores it.
 */
function listedValues(column: string, checks: readonly string[]): readonly string[] | undefined {
  const escaped = column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const name = String.raw`\(?(?:"${escaped}"|\b${escaped}\b|\[${escaped}\]|${'`'}${escaped}${'`'})\)?(?:::[\w ]+)?`;
  const value = String.raw`'(?:[^']|'')*'(?:::[\w ]+)?`;
  const list = String.raw`${value}(?:\s*,\s*${value})*`;
  const form = new RegExp(
    String.raw`^check\s*\(+\s*${name}\s*(?:in\s*\(\s*(${list})\s*\)|= any\s*\(\(?array\[(${list})\]\)?(?:::[\w ]+\[\])?\))\s*\)+$`,
    'is',
  );
  const found = checks.map((check) => form.exec(check.trim())).findLast((match) => match !== null);
  const items = found?.[1] ?? found?.[2];
  return items?.match(/'(?:[^']|'')*'/g)?.map((item) => item.slice(1, -1).replaceAll("''", "'"));
}
