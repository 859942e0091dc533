import { bundleOfText, nowhere } from '../../src/core/descriptor/bundle.ts';
import type { LocalClock } from '../../src/engines/values/calendar.ts';
import { buildTable } from '../../src/families/table/build-table.ts';
import type { TableDefinition } from '../../src/families/table/descriptor/definition.ts';
import { table } from '../../src/families/table/index.ts';
import type { Table } from '../../src/families/table/table.ts';

/** A Monday noon in a time zone with daylight saving. */
export const clock: LocalClock = { now: Date.UTC(2026, 10, 16, 11, 0, 0), zone: 'Europe/Berlin' };

/** Returns a table with fields such as `price: decimal; Aliases=cost`. */
export function tableOf(name: string, ...fields: readonly string[]): Table {
  const lines = fields.flatMap((field) => {
    const [head = '', ...attributes] = field.split(';');
    const [title = '', type = 'string'] = head.split(':');
    const rest = attributes.flatMap((one) => {
      const [key = '', value = ''] = one.trim().split('=');
      return [`#### ${key}`, value];
    });
    return [`### ${title.trim()}`, 'D.', '#### Type', type.trim(), ...rest];
  });
  const text = [`# ${name} Skill`, '## Table Purpose', 'P.', '## Fields', ...lines].join('\n');
  const { definition } = table.parse(bundleOfText(text, nowhere));
  return buildTable(definition as TableDefinition);
}

/** A table with all types, listed values, names of several words, and names that two fields share. */
export const equipment = tableOf(
  'Equipment',
  'equipment_id: varchar(20); Primary Key=given',
  'name: varchar(80); Label=Equipment name; Aliases=[title, tool name]; Required=yes',
  'status; Values=[ok, faulty, in repair, unknown]',
  'grade; Values=[new, used, unknown]',
  'area: varchar(10)',
  'room_id: integer',
  'price: decimal; Aliases=[cost]',
  'stock: integer',
  'serial_count: bigint',
  'active: boolean',
  'due_date: date; Label=Due date',
  'bought: datetime',
  'opens: time',
  'serial; Unique=yes',
  'notes: text',
  'contact: email',
  'page: url',
  'token: uuid',
  'tags: array',
  'extra: json',
  'width: decimal; Aliases=[size]',
  'height: decimal; Aliases=[size]',
  'worth: decimal; Derivator=price * stock',
);

/** Numbered records with one date. */
export const loans = tableOf(
  'Loans',
  'id: integer; Primary Key=auto-increment',
  'borrower: varchar(50)',
  'due: date',
  'returned: boolean',
);

/** Records with a key of two fields. */
export const seats = tableOf(
  'Seats',
  'row: integer; Primary Key=given',
  'number: integer; Primary Key=given',
  'guest: varchar(50)',
);
