import assert from 'node:assert/strict';
import { bundleOfText, nowhere } from '../../src/core/descriptor/bundle.ts';
import { buildTable } from '../../src/families/table/build-table.ts';
import type { TableDefinition } from '../../src/families/table/descriptor/definition.ts';
import { parse } from '../../src/families/table/descriptor/parse.ts';
import type { Table } from '../../src/families/table/table.ts';

/** The text of a table: fields by name, with their attributes as `Type: integer; Required:`, and further sections. */
export function tableText(fields: Readonly<Record<string, string>>, more = ''): string {
  const blocks = Object.entries(fields).map(([name, attributes]) => {
    const written = attributes.split(';').map((one) => one.trim());
    const headings = written.filter((one) => one !== '').map((one) => attributeText(one));
    return `### ${name}\n\nThe ${name}.\n\n${headings.join('\n')}`;
  });
  return `# Items Skill\n\n## Table Purpose\n\nItems of a test.\n\n## Fields\n\n${blocks.join('\n')}\n${more}\n`;
}

/** What such a text declares. */
export function writtenTable(fields: Readonly<Record<string, string>>, more = ''): TableDefinition {
  const { definition, issues } = parse(bundleOfText(tableText(fields, more), { ...nowhere, stem: 'items' }));
  assert.ok(definition !== undefined, JSON.stringify(issues));
  return definition;
}

/** The table that such a text makes. */
export function builtTable(fields: Readonly<Record<string, string>>, more = ''): Table {
  return buildTable(writtenTable(fields, more));
}

/** `Type: integer` has its value on the next line; a bare word is a bare heading. */
function attributeText(attribute: string): string {
  const colon = attribute.indexOf(':');
  if (colon < 0) return `#### ${attribute}\n`;
  return `#### ${attribute.slice(0, colon)}\n\n${attribute.slice(colon + 1).trim()}\n`;
}
