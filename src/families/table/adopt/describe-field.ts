import { optional } from '../../../core/index.ts';
import type { FieldType } from '../descriptor/definition.ts';
import { columnFieldType } from '../schema/inspect/column-field-type.ts';
import type { ExistingColumn, ExistingTable, SchemaPlace } from '../schema/inspect/existing-table.ts';
import { isUnique } from '../schema/inspect/is-unique.ts';
import { isUnchanged, readConversion } from '../schema/statements/read-conversion.ts';
import { existingStorage } from '../schema/storage.ts';
import type { DescribedField } from './described-field.ts';

/** What a column is described from. */
interface ColumnGround {
  readonly place: SchemaPlace;
  readonly table: ExistingTable;
  readonly column: ExistingColumn;
  /** The names of fields, by those of columns. */
  readonly names: ReadonlyMap<string, string>;
  readonly key: { readonly columns: readonly string[]; readonly isReal: boolean };
  /** The only values that the database takes, as far as it says so simply. */
  readonly values: readonly string[] | undefined;
}

/** The field for a column: what the database holds to is declared, and nothing else. */
export async function describeField(ground: ColumnGround): Promise<DescribedField> {
  const { table, column, names, key } = ground;
  const name = names.get(column.name) ?? column.name;
  const type = await fittingType(ground);
  const isKey = key.columns.includes(column.name);
  const isMade = column.isNumbered || column.isGenerated;
  const value = isMade || isKey ? undefined : readDefault(column, type);
  const values = type === 'string' ? (column.values ?? ground.values) : undefined;
  const isListed =
    values?.every((each) => each.trim() === each && each !== '' && !/[\n\r]/.test(each)) === true;
  return {
    name,
    type: typeWord(type, column),
    ...optional('column', name === column.name ? undefined : column.name),
    description: describe(column, name),
    ...optional('key', isKey ? keyKind(ground) : undefined),
    isRequired: column.isRequired && !isKey && !isMade && value === undefined,
    isUnique: !isKey && isUnique(table, [column.name]),
    ...optional('default', value),
    ...optional('values', isListed ? values : undefined),
  };
}

function describe({ comment, isGenerated }: ExistingColumn, name: string): string {
  const words = oneLine(comment ?? '');
  const own = words === '' ? `The column ${oneLine(name)}.` : words;
  return isGenerated ? `${own} The database works it out.` : own;
}

/** Text in one line that is nothing but text in Markdown. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' || /^[\p{L}\p{N}("']/u.test(line)
    ? line.replace(/^(\d+)([.)])/, '$1 $2')
    : `Note: ${line}`;
}

/** What a column is declared as; of SQLite, whose columns take everything, only when all values are of that type. */
async function fittingType({ place, table, column }: ColumnGround): Promise<FieldType> {
  const type = columnFieldType(place.kind, column);
  const storage = existingStorage(place.kind, type, column);
  if (storage === undefined) return 'string';
  if (place.kind === 'postgres' || ['string', 'text', 'integer', 'bigint', 'decimal'].includes(type))
    return type;
  const field = { name: column.name, line: 1, description: '', type };
  const assigned = { field, name: column.name, existing: column, storage, isFit: true };
  return isUnchanged(await readConversion({ place, name: table }, assigned, storage)) ? type : 'string';
}

function typeWord(type: FieldType, column: ExistingColumn): string {
  const length = /^(?:n?varchar|n?char|character(?: varying)?|varying character)\s*\((\d{1,9})\)$/i.exec(
    column.type,
  )?.[1];
  return type === 'string' && length !== undefined ? `varchar(${length})` : type;
}

function keyKind({ column, key }: ColumnGround): DescribedField['key'] {
  const isAlone = key.isReal && key.columns.length === 1;
  if (isAlone && column.isNumbered) return 'auto-increment';
  const makesUuid = /^(?:gen_random_uuid|uuid_generate_v\d\w*|uuidv\d)\(\)$/i.test(column.default ?? '');
  return isAlone && makesUuid ? 'uuid' : 'given';
}

/** The default of a column where it is a plain value, or the present; undefined for everything else. */
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

/** Whether a descriptor can hold it: empty text is no value there. */
function isPlain(text: string): boolean {
  return text !== '' && text.trim() === text && !/[\n\r]/.test(text);
}
