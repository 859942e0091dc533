import { isDeepStrictEqual } from 'node:util';
import { AgentError, isJsonObject, type Json, type JsonObject } from '../../core/index.ts';
import {
  commentsIn,
  lastBefore,
  parseJsonWithComments,
  placesIn,
  type JsonMember,
  type JsonPlace,
} from '../read/jsonc.ts';
import { keyOf, valueAt, withKey, withoutKey } from '../schema/key.ts';

/** The text of a JSON object with one value set; everything else, comments included, stays as it was written. */
export function setInJson(text: string, path: readonly string[], value: Json): string {
  const whole = text.trim() === '' ? '{}\n' : text;
  const before = objectIn(whole);
  mustLeadThere(before, path);
  const { object, member, rest } = walk(placesIn(whole), path);
  const edited =
    member === undefined ? insert(whole, object, nested(rest, value)) : replace(whole, object, member, value);
  return proven(edited, withKey(before, path, value));
}

/** The text without one value; comments stay. The text itself where there is no such value. */
export function unsetInJson(text: string, path: readonly string[]): string {
  const before = objectIn(text);
  if (valueAt(before, path) === undefined) return text;
  let edited = text;
  for (
    let found = walk(placesIn(text), path);
    found.member !== undefined;
    found = walk(placesIn(edited), path)
  )
    edited = remove(edited, found.object, found.member); // the same key may be written twice
  return proven(edited, withoutKey(before, path));
}

interface Found {
  /** The innermost object on the way that is there. */
  readonly object: JsonPlace;
  readonly member?: JsonMember;
  /** The names that are left from there. */
  readonly rest: readonly string[];
}

/** Of a key that is written twice the last one counts. */
function walk(object: JsonPlace, path: readonly string[]): Found {
  const [name, ...rest] = path;
  const member = object.members?.findLast(({ key }) => key === name);
  if (member === undefined) return { object, rest: path };
  return rest.length === 0 ? { object, member, rest } : walk(member.value, rest);
}

function nested([name = '', ...rest]: readonly string[], value: Json): readonly [string, Json] {
  return [name, rest.length === 0 ? value : Object.fromEntries([nested(rest, value)])];
}

/** The comments inside of a value that goes are put above its key. */
function replace(text: string, object: JsonPlace, { start, value: old }: JsonMember, value: Json): string {
  const indent = indentOf(text, object);
  const newline = lineEndOf(text);
  const kept = commentsIn(text.slice(old.start, old.end)).map((comment) => `${comment}${newline}${indent}`);
  return [
    text.slice(0, start),
    ...kept,
    text.slice(start, old.start),
    written(value, indent, newline),
    text.slice(old.end),
  ].join('');
}

function insert(text: string, object: JsonPlace, [name, value]: readonly [string, Json]): string {
  const { members = [], trailingComma } = object;
  const newline = lineEndOf(text);
  const indent = indentOf(text, object);
  const member = `${JSON.stringify(name)}: ${written(value, indent, newline)}`;
  const close = object.end - 1;
  const last = members.at(-1);
  const end = lastBefore(text, close);
  const isOneLine = last !== undefined && !text.slice(object.start, object.end).includes('\n');
  if (isOneLine) {
    const from = trailingComma === undefined ? last.value.end : trailingComma + 1;
    const gap = trailingComma === undefined ? ', ' : ' ';
    return `${text.slice(0, from)}${gap}${member}${text.slice(from)}`;
  }
  const comma = last !== undefined && trailingComma === undefined ? ',' : '';
  const from = last?.value.end ?? object.start + 1;
  const outer = lineIndent(text, object.start);
  const after = text.slice(end, close);
  return [
    text.slice(0, from),
    comma,
    text.slice(from, end),
    `${newline}${indent}${member}${trailingComma === undefined ? '' : ','}`,
    after.includes('\n') ? after : `${newline}${outer}`,
    text.slice(close),
  ].join('');
}

function remove(text: string, object: JsonPlace, member: JsonMember): string {
  const { members = [], trailingComma } = object;
  const index = members.indexOf(member);
  const following = members[index + 1];
  const preceding = members[index - 1];
  const end = member.value.end;
  const kept = commentsIn(text.slice(member.start, end)).join(lineEndOf(text) + indentOf(text, object));
  const ownComma = following === undefined ? trailingComma : commaIn(text, end, following.start);
  // The last member takes the comma before it along.
  const lostComma =
    ownComma === undefined && preceding !== undefined
      ? commaIn(text, preceding.value.end, member.start)
      : undefined;
  const tail = ownComma === undefined ? text.slice(end) : cut(text, ownComma, ownComma + 1).slice(end);
  const head =
    lostComma === undefined
      ? text.slice(0, member.start)
      : cut(text.slice(0, member.start), lostComma, lostComma + 1);
  return kept === ''
    ? joinLines(head, tail)
    : `${head}${kept}${kept.includes('//') ? lineEndOf(text) : ''}${tail}`;
}

/** A line of which nothing is left goes as well; elsewhere one stretch of blanks is enough. */
function joinLines(head: string, tail: string): string {
  const rest = tail.replace(/^[ \t]+/, '');
  const isLineStart = /\n[ \t]*$/.test(head);
  if (isLineStart && /^\r?\n/.test(rest)) return head.replace(/[ \t]+$/, '') + rest.replace(/^\r?\n/, '');
  const isClosed = /^[}\]\r\n]/.test(rest) || head.trimEnd().endsWith('{');
  return (isClosed && !isLineStart ? head.replace(/[ \t]+$/, '') : head) + rest;
}

/** The place of the one comma between two members; one inside of a comment is none. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const bare = text
    .slice(from, to)
    .replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, (comment) => ' '.repeat(comment.length));
  const at = bare.indexOf(',');
  return at < 0 ? undefined : from + at;
}

function cut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to);
}

function objectIn(text: string): JsonObject {
  const read = parseJsonWithComments(text.trim() === '' ? '{}' : text);
  if (read.ok && isJsonObject(read.value)) return read.value;
  const why = read.ok ? '' : ` (line ${read.line}: ${read.message})`;
  throw new AgentError(
    'usage.bad-settings',
    `The file is not a JSON object${why}, so nothing can be set in it.`,
    {
      hint: 'Correct it first; comments and trailing commas are fine.',
    },
  );
}

/** A plain value on the way would be lost. */
function mustLeadThere(values: JsonObject, path: readonly string[]): void {
  const outer = path.slice(0, -1).map((_, index) => path.slice(0, index + 1));
  const inTheWay = outer.find((part) => {
    const value = valueAt(values, part);
    return value !== undefined && !isJsonObject(value);
  });
  if (inTheWay === undefined) return;
  const key = keyOf(inTheWay);
  throw new AgentError('usage.bad-input', `"${key}" is one value there, so nothing can be set below it.`, {
    hint: `Set all of it: \`skilled config set ${key} '{…}'\``,
  });
}

/** An edit must never change anything else; better none than a wrong one. */
function proven(text: string, expected: JsonObject): string {
  const read = parseJsonWithComments(text);
  if (read.ok && isDeepStrictEqual(read.value, expected)) return text;
  throw new AgentError('internal.bug', 'The settings could not be edited without changing something else.', {
    hint: 'Edit the file by hand, and please report its form.',
  });
}

/** A value as it is written behind an indentation: members on lines of their own, short lists on one. Pure. */
function written(value: Json, indent: string, newline: string): string {
  const deeper = `${indent}  `;
  const block = (open: string, parts: readonly string[], close: string): string =>
    `${open}${newline}${deeper}${parts.join(`,${newline}${deeper}`)}${newline}${indent}${close}`;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    const parts = value.map((item: Json) => written(item, deeper, newline));
    return line.length <= 80 ? line : block('[', parts, ']');
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${written(inner, deeper, newline)}`,
  );
  return block('{', members, '}');
}

/** The indentation of the members of an object, or what it would be. Pure. */
function indentOf(text: string, { start, members = [] }: JsonPlace): string {
  const first = members.find((member) => /(?:^|\n)[ \t]*$/.test(text.slice(0, member.start)));
  return first === undefined ? `${lineIndent(text, start)}  ` : lineIndent(text, first.start);
}

/** The indentation of the line in which a place lies. Pure. */
function lineIndent(text: string, place: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', place - 1) + 1))?.[0] ?? '';
}

/** The line end that a text uses. Pure. */
function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
