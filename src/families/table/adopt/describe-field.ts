import { optional } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import { columnFieldType } from '../schema/inspect/column-field-type.ts';
import type { ExistingColumn, ExistingTable, SqlExecutor } from '../schema/inspect/existing-table.ts';
import { isUnique } from '../schema/inspect/is-unique.ts';
import { isUnchanged, readConversion } from '../schema/statements/read-conversion.ts';
import { existingStorage } from '../schema/storage.ts';
import type { DescribedField } from './described-field.ts';

/** The context for describing a column. */
interface ColumnContext {
  readonly executor: SqlExecutor;
  readonly table: ExistingTable;
  readonly column: ExistingColumn;
  /** Field names, keyed by column name. */
  readonly names: ReadonlyMap<string, string>;
  readonly key: { readonly columns: readonly string[]; readonly isReal: boolean };
  /** The only values the database accepts, if a simple check constraint lists them. */
  readonly values: readonly string[] | undefined;
}

/** Describes a column as a field. Includes only rules that the database enforces. */
export async function describeField(context: ColumnContext): Promise<DescribedField> {
  const { table, column, names, key } = context;
  const name = names.get(column.name) ?? column.name;
  const type = await fittingType(context);
  const isKey = key.columns.includes(column.name);
  const isAutomatic = column.isNumbered || column.isGenerated;
  const value = isAutomatic || isKey ? undefined : readDefault(column, type);
  const values = type === 'string' ? (column.values ?? context.values) : undefined;
  const isListed =
    values?.every((each) => each.trim() === each && each !== '' && !/[\n\r]/.test(each)) === true;
  return {
    name,
    type: typeName(type, column),
    ...optional('column', name === column.name ? undefined : column.name),
    description: describe(column, name),
    ...optional('key', isKey ? keyKind(context) : undefined),
    isRequired: column.isRequired && !isKey && !isAutomatic && value === undefined,
    isUnique: !isKey && isUnique(table, [column.name]),
    ...optional('default', value),
    ...optional('values', isListed ? values : undefined),
  };
}

function describe({ comment, isGenerated }: ExistingColumn, name: string): string {
  const text = oneLine(comment ?? '');
  const own = text === '' ? `The column ${oneLine(name)}.` : text;
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
async function fittingType({ executor, table, column }: ColumnContext): Promise<FieldType> {
  const type = columnFieldType(executor.kind, column);
  const storage = existingStorage(executor.kind, type, column);
  if (storage === undefined) return 'string';
  if (executor.kind === 'postgres' || ['string', 'text', 'integer', 'bigint', 'decimal'].includes(type))
    return type;
  const field = { name: column.name, line: 1, description: '', type };
  const assigned = { field, name: column.name, existing: column, storage, isFit: true };
  return isUnchanged(await readConversion({ executor, name: table }, assigned, storage)) ? type : 'string';
}

function typeName(type: FieldType, column: ExistingColumn): string {
  const length = /^(?:n?varchar|n?char|character(?: varying)?|varying character)\s*\((\d{1,9})\)$/i.exec(
    column.type,
  )?.[1];
  return type === 'string' && length !== undefined ? `varchar(${length})` : type;
}

function keyKind({ column, key }: ColumnContext): DescribedField['key'] {
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
