import {
  cardFields,
  didYouMean,
  normaliseKey,
  optional,
  readHeaded,
  unknownFields,
  type Bundle,
  type Headed,
  type Issue,
  type Parsed,
  type Section,
} from '../../../core/index.ts';
import { buildFinder } from '../build-finder.ts';
import { inputSchema } from '../request/request-schema.ts';
import { isReservedName } from '../schema/sql-name.ts';
import { checkFields } from './check.ts';
import type { Prose, RolePolicy, TableDefinition, TableField } from './definition.ts';
import { fieldBlocks, oldFieldBlocks } from './field-blocks.ts';
import { readField } from './field.ts';
import { finding, firstFindings } from './finding.ts';
import { plainLines } from './plain-lines.ts';
import { readRelationships } from './relationships.ts';
import { databaseName, listIn, plainValue } from './values.ts';

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

/** The rules of a section, each a bullet or a paragraph, with the line it starts on. */
function readBusinessRules(section: Section | undefined): readonly Prose[] {
  if (section === undefined) return [];
  const items: { text: string; readonly line: number }[] = [];
  let isOpen = false;
  for (const [index, line] of section.text.split('\n').entries()) {
    const text = line.replace(/^(?:[-*+]|\d+[.)]|#{1,6})\s+/, '').trim();
    const startsItem = text !== line.trim() || (!isOpen && !/^\s/.test(line));
    const last = items.at(-1);
    if (text === '') isOpen = false;
    else if (startsItem || last === undefined) items.push({ text, line: section.textLine + index });
    else last.text += `\n${text}`;
    if (text !== '') isOpen = true;
  }
  return items;
}

/** The guard of deletes; a guard that is not known stays marked as such, so that nobody takes it for none. */
function readDeleteGuard(section: Section | undefined, issues: Issue[]): TableDefinition['deleteGuard'] {
  if (section === undefined) return undefined;
  const lines = plainLines(section).map((line) => line.text);
  const isKnown = lines.some(
    (line) => normaliseKey(plainValue(line.replace(/^[^:]*:/, ''))) === 'block-if-referenced',
  );
  if (isKnown) return 'block-if-referenced';
  const message =
    lines[0] === undefined
      ? 'The delete guard is empty.'
      : `"${lines[0]}" is not a delete guard that is known.`;
  issues.push(
    finding(
      'table.guard-unknown',
      message,
      section.line,
      'Write block_if_referenced, or remove the section.',
    ),
  );
  return 'unknown';
}

const mostHints = 10; // a guess costs a look at every field

/** The declared names of the fields that a section lists; one that is not declared is reported and left out. */
function readFieldList(
  section: Section | undefined,
  fields: readonly TableField[],
  issues: Issue[],
): readonly string[] | undefined {
  if (section === undefined) return undefined;
  const find = buildFinder(fields);
  const names = new Set<string>();
  let unknown = 0;
  for (const { text, line } of plainLines(section)) {
    for (const word of listIn(text)) {
      const field = find(word) ?? find(word.replace(/(?::| [-–—] ).*$/s, ''));
      if (field !== undefined) names.add(field.name);
      else issues.push(undefinedField(word, line, unknown++ < mostHints ? fields : undefined));
    }
  }
  return [...names];
}

function undefinedField(word: string, line: number, fields: readonly TableField[] | undefined): Issue {
  const hint =
    fields &&
    didYouMean(
      word,
      fields.map(({ name }) => name),
    );
  return finding('table.field-undefined', `"${word}" is not a field of this table.`, line, hint);
}

/** Who may read and write; a policy that names nobody for a side closes that side. */
function readRoles(section: Section | undefined, issues: Issue[]): RolePolicy | undefined {
  if (section === undefined) return undefined;
  const roles = { read: [] as string[], write: [] as string[] };
  const notes: string[] = [];
  let listed: string[] | undefined;
  for (const line of plainLines(section)) {
    const found = /^(read|write)\b[^:]*(?::\s*(.*))?$/i.exec(line.text);
    const isSide = found !== null && (line.isHeading || found[2] !== undefined);
    if (isSide) {
      const side = roles[found[1]?.toLowerCase() === 'read' ? 'read' : 'write'];
      for (const role of listIn(found[2] ?? '')) side.push(role);
      listed = (found[2] ?? '') === '' ? side : undefined;
    } else if (line.isBullet && listed !== undefined) {
      for (const role of listIn(line.text)) listed.push(role);
    } else notes.push(line.text);
  }
  const open = Object.entries(roles).filter(([, names]) => names.length === 0);
  if (open.length > 0) {
    const message = `The role policy names nobody who may ${open.map(([side]) => side).join(' or ')}.`;
    const hint = 'Write a "Read: …" and a "Write: …" line, or remove the section to let everyone in.';
    issues.push(finding('table.roles', message, section.line, hint));
  }
  return { read: [...new Set(roles.read)], write: [...new Set(roles.write)], notes };
}
