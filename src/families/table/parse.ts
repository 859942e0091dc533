import type { Bundle } from '../../core/bundle.ts';
import { optional } from '../../core/card.ts';
import type { Parsed } from '../../core/family.ts';
import { readHeaded, type Headed } from '../../core/headed.ts';
import type { Issue } from '../../core/issue.ts';
import { checkFields, checkRelationships } from './check.ts';
import type { TableDefinition } from './definition.ts';
import { readDeleteGuard } from './delete-guard.ts';
import { readField } from './field.ts';
import { fieldBlocks, isOldHeadingFinding } from './field-blocks.ts';
import { readFieldList } from './field-list.ts';
import { finding } from './finding.ts';
import { proseItems } from './prose-items.ts';
import { readRelationships } from './relationships.ts';
import { readRoles } from './roles.ts';

const sectionNames = {
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
  Help: [],
};
type SectionKey = keyof typeof sectionNames;

/** Reads a tskill.md; a table without fields is unusable, everything else is only reported. */
export function parse(bundle: Bundle): Parsed<TableDefinition> {
  const headed = readHeaded<SectionKey>(bundle, sectionNames, ['Table Purpose', 'Summary', 'Instructions']);
  const issues = headed.issues.filter((issue) => !isOldHeadingFinding(issue));
  const name = nameOf(headed, bundle, issues);
  const blocks = fieldBlocks(headed.sections.get('Fields'), bundle, issues);
  const definition = definitionOf(headed, name === '' ? bundle.stem : name, blocks.map((block) => readField(block, issues)), issues);
  return { name, card: headed.card, definition: headed.usable ? definition : undefined, issues };
}

/** The title without its word Skill, unless the head declares another name. */
function nameOf({ name, sections }: Headed<SectionKey>, bundle: Bundle, issues: Issue[]): string {
  const declared = name === sections.title ? name.replace(/\s+skill$/i, '') : name;
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
    issues.push(finding('table.no-fields', 'The table has no fields.', line, 'Write each as a ### heading below "## Fields".', 'error'));
    return undefined;
  }
  const rules = sections.get('Business Rules');
  const relationships = readRelationships(sections.get('Relationships'), table, issues);
  issues.push(...checkFields(fields, line), ...checkRelationships(relationships, fields));
  return {
    table,
    purpose: sections.get('Table Purpose')?.text || card.description,
    ...optional('instructions', sections.get('Instructions')?.text),
    fields,
    relationships,
    businessRules: rules === undefined ? [] : proseItems(rules),
    ...optional('roles', readRoles(sections.get('Role Access Policy'), issues)),
    ...optional('deleteGuard', readDeleteGuard(sections.get('Delete Guard'), issues)),
    ...optional('interactiveFields', readFieldList(sections.get('Interactive Fields'), fields, issues)),
    ...optional('listExtraFields', readFieldList(sections.get('List Extra Fields'), fields, issues)),
    ...optional('help', sections.get('Help')?.text),
  };
}
