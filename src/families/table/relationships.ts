import type { Issue } from '../../core/issue.ts';
import { didYouMean, normaliseKey } from '../../core/names.ts';
import type { Section } from '../../core/sections.ts';
import type { ColumnName, Relationship } from './definition.ts';
import { finding } from './finding.ts';
import { plainLines, type PlainLine } from './prose-items.ts';

type Draft = { -readonly [Key in keyof Relationship]: Relationship[Key] } & { notes: string[] };

const words = new Map([
  ['type', 'kind'],
  ['foreign', 'field'],
  ['foreign-key', 'field'],
  ['reference', 'references'],
  ['references', 'references'],
  ['referenced-by', 'referencedBy'],
  ['cascade', 'cascade'],
  ['field', 'reference-line'],
]);
const referenceLine = /^([^\s:,;]+)\s*(?:\breferences\b|->|=>|→)\s*([^\s:,;]+?)\.?$/i;

/** The links of a table; a heading, a `Type:` line or a second reference opens the next one. */
export function readRelationships(section: Section | undefined, table: string, issues: Issue[]): readonly Relationship[] {
  const drafts: Draft[] = [];
  for (const line of section === undefined ? [] : plainLines(section)) readLine(line, drafts, table, issues);
  return drafts;
}

function readLine(line: PlainLine, drafts: Draft[], table: string, issues: Issue[]): void {
  const open = (title?: string): Draft => {
    const draft: Draft = { line: line.line, notes: [], ...(title === undefined ? {} : { title }) };
    drafts.push(draft);
    return draft;
  };
  if (line.isHeading) {
    open(line.text);
    return;
  }
  const current = drafts.at(-1);
  const pair = /^([\p{L} _-]+?)\s*:\s*(.*)$/u.exec(line.text);
  const word = pair === null ? undefined : words.get(normaliseKey(pair[1] ?? ''));
  const value = pair?.[2] ?? '';
  const reference = referenceLine.exec(word === 'reference-line' ? value : line.text);
  if (reference !== null) {
    const isTaken = current === undefined || current.references !== undefined || current.referencedBy !== undefined;
    link(isTaken ? open() : current, reference[1] ?? '', reference[2] ?? '', table);
  } else if (word === 'kind') {
    setKind(current === undefined || current.kind !== undefined ? open() : current, value, line, issues);
  } else if (word === 'references' || word === 'referencedBy') {
    (current ?? open())[word] = columnName(value);
  } else if (word === 'field' || word === 'cascade') {
    (current ?? open())[word] = value;
  } else {
    if (pair !== null && line.isBullet) issues.push(unknownWord(pair[1] ?? '', line.line));
    (current ?? open()).notes.push(line.text);
  }
}

function setKind(draft: Draft, value: string, line: PlainLine, issues: Issue[]): void {
  const found = /^(one|many)[- ]to[- ](one|many)(?:\s+(?:with|to)\s+(\S+?))?\.?$/i.exec(value);
  if (found === null) {
    draft.notes.push(line.text);
    const hint = 'Write one-to-many with orders, or another of one and many.';
    issues.push(finding('table.relationship-kind', `"${value}" is not a kind of relationship.`, line.line, hint));
    return;
  }
  draft.kind = `${found[1]?.toLowerCase() === 'one' ? 'one' : 'many'}-to-${found[2]?.toLowerCase() === 'one' ? 'one' : 'many'}`;
  if (found[3] !== undefined) draft.with = found[3];
}

/** `a.x references b.y`: whichever side is this table gives its field, the other side is the link. */
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

function columnName(text: string): ColumnName {
  const name = text.trim();
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || dot === name.length - 1) return { table: name.replace(/\.$/, '') };
  return { table: name.slice(0, dot), field: name.slice(dot + 1) };
}

function unknownWord(word: string, line: number): Issue {
  const hint = didYouMean(normaliseKey(word), words.keys());
  return finding('table.relationship-unknown', `"${word}" means nothing in a relationship; it is kept as a note.`, line, hint);
}
