import { didYouMean, normaliseKey, type Issue, type Section } from '../../../core/index.ts';
import type { ColumnName, Relationship, TableField } from './definition.ts';
import { plainLines, report, type PlainLine } from './issues.ts';

type Draft = { -readonly [Key in keyof Relationship]: Relationship[Key] } & { notes: string[] };

const keys = new Map([
  ['type', 'kind'],
  ['foreign', 'field'],
  ['foreign-key', 'field'],
  ['reference', 'references'],
  ['references', 'references'],
  ['referenced-by', 'referencedBy'],
  ['cascade', 'cascade'],
  ['field', 'reference-line'],
]);
const arrow = / references | ?(?:->|=>|→) ?/i;

/** Reads a table's relationships. Each heading, `Type:` line or second reference starts a new one. */
export function readRelationships(
  section: Section | undefined,
  table: string,
  find: (name: string) => TableField | undefined,
  issues: Issue[],
): readonly Relationship[] {
  const drafts: Draft[] = [];
  for (const line of plainLines(section)) {
    const before = drafts.at(-1)?.field;
    readLine(line, drafts, table, issues);
    const field = drafts.at(-1)?.field;
    if (field === undefined || field === before || find(field) !== undefined) continue;
    report(issues, 'table.field-undefined', line.line, `"${field}" is not a field of this table.`);
  }
  return drafts;
}

function readLine(plain: PlainLine, drafts: Draft[], table: string, issues: Issue[]): void {
  const { text, line, isHeading, isBullet } = plain;
  /** Returns the current relationship, or a new one if the current one already has any of the properties. */
  const draftWithout = (...properties: readonly (keyof Draft)[]): Draft => {
    const current = drafts.at(-1);
    if (current !== undefined && properties.every((name) => current[name] === undefined)) return current;
    const draft: Draft = { line, notes: [] };
    drafts.push(draft);
    return draft;
  };
  if (isHeading) {
    draftWithout('line').title = text; // Every draft has a line, so this is a new one.
    return;
  }
  const colon = text.indexOf(':');
  const said = text.slice(0, Math.max(0, colon)).trim();
  const key = keys.get(normaliseKey(said));
  const value = text.slice(colon + 1).trim();
  const [from = '', to = '', ...more] = (key === 'reference-line' ? value : text).split(arrow);
  if (isColumn(from) && isColumn(to) && more.length === 0)
    link(draftWithout('references', 'referencedBy'), from, to, table);
  else if (key === 'kind') setKind(draftWithout('kind'), value, plain, issues);
  else if (key === 'references' || key === 'referencedBy') draftWithout()[key] = columnName(value);
  else if (key === 'field' || key === 'cascade') draftWithout()[key] = value;
  else {
    if (said !== '' && isBullet) {
      const message = `"${said}" has no meaning in a relationship; it is kept as a note.`;
      const hint = didYouMean(normaliseKey(said), keys.keys());
      report(issues, 'table.relationship-unknown', line, message, hint);
    }
    draftWithout().notes.push(text);
  }
}

function setKind(draft: Draft, value: string, line: PlainLine, issues: Issue[]): void {
  const found = /^(one|many)[- ]to[- ](one|many)(?:\s+(?:with|to)\s+(\S+?))?\.?$/i.exec(value);
  if (found === null) {
    draft.notes.push(line.text);
    const hint = 'For example, write one-to-many with orders.';
    const message = `"${value}" is not a valid relationship type.`;
    report(issues, 'table.relationship-kind', line.line, message, hint);
    return;
  }
  draft.kind = `${found[1]?.toLowerCase() === 'one' ? 'one' : 'many'}-to-${found[2]?.toLowerCase() === 'one' ? 'one' : 'many'}`;
  if (found[3] !== undefined) draft.with = found[3];
}

/**
 * Reads a reference of the form `a.x references b.y`. One side names a field of this table; the other side
 * names the linked field.
 */
function link(draft: Draft, from: string, to: string, table: string): void {
  const left = from.includes('.') ? columnName(from) : { table, field: from };
  const right = columnName(to);
  const isOwn = (column: ColumnName): boolean => normaliseKey(column.table) === normaliseKey(table);
  const isBackwards = isOwn(right) && !isOwn(left);
  const own = isBackwards ? right : left;
  if (own.field !== undefined) draft.field = own.field;
  if (isBackwards) draft.referencedBy = left;
  else draft.references = right;
}

function isColumn(text: string): boolean {
  return /^[^\s:,;]+$/.test(text);
}

function columnName(text: string): ColumnName {
  const name = text.trim().replace(/\.$/, '');
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? { table: name } : { table: name.slice(0, dot), field: name.slice(dot + 1) };
}
