import assert from 'node:assert/strict';
import { bundleOfText, nowhere } from '../../src/core/descriptor/bundle.ts';
import { buildTable } from '../../src/families/table/build-table.ts';
import type { TableDefinition } from '../../src/families/table/descriptor/definition.ts';
import { parse } from '../../src/families/table/descriptor/parse.ts';
import type { Table } from '../../src/families/table/table.ts';

/**
 * Returns the text of a table descriptor. `fields` maps names to attributes such as `Type: integer;
 * Required:`; `more` adds sections.
 */
export function tableText(fields: Readonly<Record<string, string>>, more = ''): string {
  const blocks = Object.entries(fields).map(([name, attributes]) => {
    const written = attributes.split(';').map((one) => one.trim());
    const headings = written.filter((one) => one !== '').map((one) => attributeText(one));
    return `### ${name}\n\nThe ${name}.\n\n${headings.join('\n')}`;
  });
  return `# Items Skill\n\n## Table Purpose\n\nItems of a test.\n\n## Fields\n\n${blocks.join('\n')}\n${more}\n`;
}

/** Parses such a text and returns its definition. */
export function writtenTable(fields: Readonly<Record<string, string>>, more = ''): TableDefinition {
  const { definition, issues } = parse(bundleOfText(tableText(fields, more), { ...nowhere, stem: 'items' }));
  assert.ok(definition !== undefined, JSON.stringify(issues));
  return definition;
}

/** Builds the table that such a text defines. */
export function builtTable(fields: Readonly<Record<string, string>>, more = ''): Table {
  return buildTable(writtenTable(fields, more));
}

/**
 * An attribute with a value becomes a heading with the value on the next line; one without a value becomes
 * only a heading.
 */
function attributeText(attribute: string): string {
  const colon = attribute.indexOf(':');
  if (colon < 0) return `#### ${attribute}\n`;
  return `#### ${attribute.slice(0, colon)}\n\n${attribute.slice(colon + 1).trim()}\n`;
}
