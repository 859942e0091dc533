import {
  cardFields,
  optional,
  readHeaded,
  unknownFields,
  type Bundle,
  type Headed,
  type Issue,
  type Parsed,
} from '../../../core/index.ts';
import { buildFinder } from '../build-finder.ts';
import { inputSchema } from '../request/request-schema.ts';
import { isReservedName } from '../schema/sql-name.ts';
import { readBusinessRules } from './business-rules.ts';
import { checkFields } from './check.ts';
import type { TableDefinition } from './definition.ts';
import { readDeleteGuard } from './delete-guard.ts';
import { fieldBlocks, oldFieldBlocks } from './field-blocks.ts';
import { readFieldList } from './field-list.ts';
import { readField } from './field.ts';
import { finding, firstFindings } from './finding.ts';
import { readRelationships } from './relationships.ts';
import { readRoles } from './roles.ts';
import { databaseName } from './values.ts';

/** The sections that it reads, each with its other spellings. */
export const sectionNames = {
  'Table Purpose': ['Purpose', 'Description'],
  Summary: [],
  Instructions: [],
  Fields: [],
  Relationships: [],
  'Business Rules': [],
  'Role Access Policy': [],
  'Delete Guard': [],
  'Interactive Fields': [],
  'List Extra Fields': [],
  'Database Table': [],
  Help: [],
};
type SectionKey = keyof typeof sectionNames;

/** Reads a tskill.md; a table without fields is unusable, everything else is only reported. */
export function parse(bundle: Bundle): Parsed<TableDefinition> {
  const old = oldFieldBlocks(bundle);
  const names = { ...sectionNames, ...Object.fromEntries(old.map((field) => [`Field: ${field.name}`, []])) };
  const headed = readHeaded<SectionKey>(bundle, names, ['Table Purpose', 'Summary', 'Instructions']);
  const { issues } = headed;
  for (const issue of unknownFields(bundle.head, cardFields)) issues.push(issue);
  const name = nameOf(headed, bundle, issues);
  const fields = fieldBlocks(headed.sections.get('Fields'), old, issues).map((block) =>
    readField(block, issues),
  );
  const definition = definitionOf(headed, name === '' ? bundle.stem : name, fields, issues);
  const usable = headed.usable ? definition : undefined;
  return {
    name,
    card: { ...headed.card, input: inputSchema },
    definition: usable,
    issues: firstFindings(issues),
  };
}

/** The title without its word Skill, unless the head declares another name. */
function nameOf({ name, sections }: Headed<SectionKey>, bundle: Bundle, issues: Issue[]): string {
  const declared = name === sections.title ? name.replace(/\sskill$/i, '').trimEnd() : name;
  if (declared === '') {
    const message = `The table has no name; it is called by its folder, "${bundle.stem}".`;
    issues.push(finding('table.name', message, 1, 'Start the file with "# <Name> Skill".'));
  }
  return declared;
}

function definitionOf(
  { sections, card }: Headed<SectionKey>,
  table: string,
  fields: TableDefinition['fields'],
  issues: Issue[],
): TableDefinition | undefined {
  const line = sections.get('Fields')?.line ?? 1;
  if (fields.length === 0) {
    issues.push(
      finding(
        'table.no-fields',
        'The table has no fields.',
        line,
        'Write each as a ### heading below "## Fields".',
        'error',
      ),
    );
    return undefined;
  }
  const named = sections.get('Database Table');
  const databaseTable = named === undefined ? undefined : databaseName(named.text) || undefined;
  if (isReservedName(databaseTable ?? table)) {
    issues.push(reserved(databaseTable ?? table, named?.line ?? sections.titleLine));
    return undefined;
  }
  const find = buildFinder(fields);
  for (const issue of checkFields(fields, line)) issues.push(issue);
  return {
    table,
    ...optional('databaseTable', databaseTable),
    purpose: sections.get('Table Purpose')?.text || card.description,
    ...optional('instructions', sections.get('Instructions')?.text),
    fields,
    relationships: readRelationships(sections.get('Relationships'), table, find, issues),
    businessRules: readBusinessRules(sections.get('Business Rules')),
    ...optional('roles', readRoles(sections.get('Role Access Policy'), issues)),
    ...optional('deleteGuard', readDeleteGuard(sections.get('Delete Guard'), issues)),
    ...optional('interactiveFields', readFieldList(sections.get('Interactive Fields'), fields, issues)),
    ...optional('listExtraFields', readFieldList(sections.get('List Extra Fields'), fields, issues)),
    ...optional('help', sections.get('Help')?.text),
  };
}

function reserved(name: string, line: number): Issue {
  const message = `A table cannot be called "${name}": names that begin with "skilled_" or "sqlite_" are taken, as are the schemas "skilled", "information_schema" and all that begin with "pg_".`;
  return finding('table.name-reserved', message, line, 'Give the table another name.', 'error');
}
