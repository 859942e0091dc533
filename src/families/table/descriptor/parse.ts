import {
  cardFields,
  didYouMean,
  normaliseKey,
  optional,
  readHeaded,
  readToolBound,
  unknownFields,
  type Bundle,
  type Headed,
  type Issue,
  type Parsed,
  type Section,
} from '../../../core/index.ts';
import { sqlName } from '../../../engines/sql/names.ts';
import { buildFinder } from '../build-table.ts';
import { inputSchema } from '../request/request-schema.ts';
import { readDerived } from '../rules/plan-changes.ts';
import type { Prose, RolePolicy, TableDefinition, TableField } from './definition.ts';
import { oldFieldBlocks, readFields } from './fields.ts';
import { limitIssues, plainLines, report } from './issues.ts';
import { readRelationships } from './relationships.ts';
import { databaseName, listIn, plainValue } from '../../../engines/values/markdown-values.ts';

/** The section names in a `tskill.md` file, each with its alternative names. */
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
  'Allowed Tools': [],
  Help: [],
};
type SectionKey = keyof typeof sectionNames;

/** Parses a `tskill.md` file. A table without fields is unusable; all other problems are only reported. */
export function parse(bundle: Bundle): Parsed<TableDefinition> {
  const old = oldFieldBlocks(bundle);
  const names = { ...sectionNames, ...Object.fromEntries(old.map((field) => [`Field: ${field.name}`, []])) };
  const headed = readHeaded<SectionKey>(bundle, names, ['Table Purpose', 'Summary', 'Instructions']);
  const { issues } = headed;
  for (const issue of unknownFields(bundle.head, [...cardFields, 'allowed-tools'])) issues.push(issue);
  const name = nameOf(headed, bundle, issues);
  const fields = readFields(headed.sections.get('Fields'), old, issues);
  const definition = definitionOf(headed, name === '' ? bundle.stem : name, fields, issues);
  const usable = headed.usable ? definition : undefined;
  return {
    name,
    card: {
      ...headed.card,
      input: inputSchema,
      ...optional('toolBound', readToolBound(headed, bundle, 'Allowed Tools')),
    },
    definition: usable,
    issues: limitIssues(issues),
  };
}

/** Returns the name from the frontmatter or, if there is none, the title without a final "Skill". */
function nameOf({ name, sections }: Headed<SectionKey>, bundle: Bundle, issues: Issue[]): string {
  const declared = name === sections.title ? name.replace(/\sskill$/i, '').trimEnd() : name;
  if (declared === '') {
    const message = `The table has no name; the name of its folder, "${bundle.stem}", is used.`;
    report(issues, 'table.name', 1, message, 'Start the file with "# <Name> Skill".');
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
    const hint = 'Add each field as a ### heading below "## Fields".';
    report(issues, 'table.no-fields', line, 'The table has no fields.', hint, 'error');
    return undefined;
  }
  const named = sections.get('Database Table');
  const databaseTable = named === undefined ? undefined : databaseName(named.text) || undefined;
  if (isReservedName(databaseTable ?? table)) {
    const message = `A table cannot be called "${databaseTable ?? table}". Names that begin with "skilled_" or "sqlite_" are reserved, as are the schemas "skilled", "information_schema" and any that begin with "pg_".`;
    const reservedLine = named?.line ?? sections.titleLine;
    report(issues, 'table.name-reserved', reservedLine, message, 'Use another name for the table.', 'error');
    return undefined;
  }
  const find = buildFinder(fields);
  checkFields(fields, find, line, issues);
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
    ...optional('interactiveFields', readFieldList(sections.get('Interactive Fields'), fields, find, issues)),
    ...optional('listExtraFields', readFieldList(sections.get('List Extra Fields'), fields, find, issues)),
    ...optional('help', sections.get('Help')?.text),
  };
}

/**
 * Whether a name, optionally with a schema, is reserved for the database or for internal data about tables or
 * runs.
 */
function isReservedName(name: string): boolean {
  const [schema = '', ...rest] = name.split('.').map(sqlName);
  if (rest.length > 0 && /^(?:skilled|information_schema|pg_.*)$/.test(schema)) return true;
  return [schema, ...rest].some((part) => /^(?:skilled|sqlite)_/.test(part));
}

type FindField = (name: string) => TableField | undefined;

/** Reports field declarations that are valid but are probably mistakes. */
function checkFields(fields: readonly TableField[], find: FindField, line: number, issues: Issue[]): void {
  if (fields.every((field) => field.primaryKey === undefined)) {
    const hint = 'Add "#### Primary Key" below the field that identifies a record.';
    report(issues, 'table.no-key', line, 'No field is the primary key.', hint);
  }
  for (const { name, line, description, presenter, resolver } of fields) {
    if (description === '') {
      const hint = 'Below the field heading, describe what the field holds.';
      report(issues, 'table.field-undescribed', line, `The field "${name}" has no description.`, hint);
    }
    if (presenter !== undefined && resolver === undefined) {
      const message = `The field "${name}" has a Presenter but no Resolver, so the form in which it is shown cannot be read back.`;
      report(issues, 'table.one-way', line, message, 'Add a Resolver.', 'info');
    }
    if (presenter === undefined && resolver !== undefined) {
      const message = `The field "${name}" has a Resolver but no Presenter, so it accepts a form that it never shows.`;
      report(issues, 'table.one-way', line, message, 'Add a Presenter.', 'info');
    }
  }
  if (fields.every(({ derivator }) => derivator === undefined)) return;
  for (const name of readDerived(fields, find).circular) {
    const message = `The value of "${name}" depends on itself, so it is not derived.`;
    const line = find(name)?.derivator?.line ?? 1;
    report(issues, 'table.derived-circle', line, message, 'Derive the value from other fields.');
  }
}

/** Reads the rules in a section, one per bullet or paragraph, each with its line number. */
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

/** Reads the rule that restricts deletions. An unrecognised rule is returned as unknown, not as missing. */
function readDeleteGuard(section: Section | undefined, issues: Issue[]): TableDefinition['deleteGuard'] {
  if (section === undefined) return undefined;
  const lines = plainLines(section).map((line) => line.text);
  const isKnown = lines.some(
    (line) => normaliseKey(plainValue(line.replace(/^[^:]*:/, ''))) === 'block-if-referenced',
  );
  if (isKnown) return 'block-if-referenced';
  const message =
    lines[0] === undefined ? 'The delete guard is empty.' : `"${lines[0]}" is not a known delete guard.`;
  const hint = 'Set the delete guard to block_if_referenced, or remove the section.';
  report(issues, 'table.guard-unknown', section.line, message, hint);
  return 'unknown';
}

const maxHints = 10; // The maximum number of hints. Each hint requires a comparison with all fields.

/**
 * Returns the declared names of the fields listed in a section. Undeclared names are reported and left out.
 */
function readFieldList(
  section: Section | undefined,
  fields: readonly TableField[],
  find: FindField,
  issues: Issue[],
): readonly string[] | undefined {
  if (section === undefined) return undefined;
  const names = new Set<string>();
  let unknown = 0;
  for (const { text, line } of plainLines(section)) {
    for (const name of listIn(text)) {
      const field = find(name) ?? find(name.replace(/(?::| [-–—] ).*$/s, ''));
      if (field !== undefined) names.add(field.name);
      else {
        const all = unknown++ < maxHints ? fields.map((field) => field.name) : [];
        const message = `"${name}" is not a field of this table.`;
        report(issues, 'table.field-undefined', line, message, didYouMean(name, all));
      }
    }
  }
  return [...names];
}

/**
 * Reads the roles that can read and write. If no roles are listed for reading or for writing, no one can do
 * it.
 */
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
    const message = `The role policy does not list any role that can ${open.map(([side]) => side).join(' or ')}.`;
    const hint = 'Add a "Read: …" and a "Write: …" line, or remove the section to give everyone access.';
    report(issues, 'table.roles', section.line, message, hint);
  }
  return { read: [...new Set(roles.read)], write: [...new Set(roles.write)], notes };
}
