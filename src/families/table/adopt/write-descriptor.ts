import { normaliseName } from '../../../core/index.ts';
import type { ExistingTable } from '../schema/inspect/existing-table.ts';
import { oneLine } from './describe-field.ts';
import type { DescribedField } from './described-field.ts';
import type { Link } from '../schema/inspect/read-links.ts';

/** The table to describe, and the parts of its descriptor that are already known. */
interface Described {
  /** The skill's name. */
  readonly name: string;
  readonly table: ExistingTable;
  /** The table's name in its database, with its schema if needed. */
  readonly spelt: string;
  readonly comment: string;
  readonly hasKey: boolean;
  readonly fields: readonly DescribedField[];
  /** Field names, keyed by column name. */
  readonly names: ReadonlyMap<string, string>;
  readonly links: readonly Link[];
}

/** Writes the contents of a `tskill.md` file. */
export function writeDescriptor({
  name,
  table,
  spelt,
  comment,
  hasKey,
  fields,
  names,
  links,
}: Described): string {
  const title = titleOf(table);
  const hasOwnName = normaliseName(title) !== name;
  const said = oneLine(comment);
  const parts = [
    ...(hasOwnName ? [`---\nname: ${JSON.stringify(name)}\n---`] : []),
    `# ${title} Skill`,
    '## Table Purpose',
    said === '' ? `Records of ${title}.` : said,
    ...(hasKey ? [] : ['This table has no key in the database, so its records can be read but not changed.']),
    ...(hasOwnName || title !== spelt ? ['## Database Table', JSON.stringify(spelt)] : []),
    '## Fields',
    ...fields.flatMap(fieldLines),
    ...linkLines(links, names),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Returns the table's name without characters that are not allowed in a heading. */
function titleOf({ table }: ExistingTable): string {
  const plain = table.replace(/[^\p{L}\p{N}_.-]+/gu, ' ').trim();
  const bare = plain
    .replace(/^[_.-]+|[_.-]+$/g, '')
    .replace(/(?:^|\s)skill$/i, '')
    .trim();
  return bare === '' ? 'Table' : bare;
}

function fieldLines(field: DescribedField): readonly string[] {
  const attribute = (title: string, value: string): readonly string[] => [`#### ${title}`, value];
  return [
    `### ${field.name}`,
    field.description,
    ...attribute('Type', field.type),
    ...(field.column === undefined ? [] : attribute('Column', JSON.stringify(field.column))),
    ...(field.key === undefined ? [] : attribute('Primary Key', field.key)),
    ...(field.isRequired ? ['#### Required'] : []),
    ...(field.isUnique ? ['#### Unique'] : []),
    ...(field.values === undefined
      ? []
      : attribute('Values', field.values.map((value) => `- "${value}"`).join('\n'))),
    ...(field.default === undefined ? [] : attribute('Default', `"${field.default}"`)),
  ];
}

function linkLines(links: readonly Link[], names: ReadonlyMap<string, string>): readonly string[] {
  if (links.length === 0) return [];
  const lines = links.map(({ direction, column, otherTable, otherColumn }, index) => {
    const other = otherColumn === undefined ? otherTable : `${otherTable}.${otherColumn}`;
    const own = column === undefined ? undefined : (names.get(column) ?? column);
    const head = `### Link ${index + 1}`;
    const foreign = own === undefined ? [] : [`- Foreign: ${own}`];
    const to = direction === 'out' ? `- Reference: ${other}` : `- Referenced By: ${other}`;
    // Replace line breaks, because a name must be on one line.
    return `${head}\n\n${[...foreign, to].map((line) => line.replace(/\s+/g, ' ')).join('\n')}`;
  });
  return ['## Relationships', ...lines];
}
