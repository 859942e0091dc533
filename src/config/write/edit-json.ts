import { isDeepStrictEqual } from 'node:util';
import type { Edit, Node } from 'jsonc-parser';
import {
  AgentError,
  isJsonObject,
  jsoncOptions,
  jsoncParser,
  maskByteOrderMark,
  parseJsonWithComments,
  type Json,
  type JsonObject,
} from '../../core/index.ts';
import { keyOf, valueAt, withKey, withoutKey } from '../schema/key.ts';

/** Sets one value in the text of a JSON object. Keeps the rest of the text, including comments. */
export function setInJson(text: string, path: readonly string[], value: Json): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const before = objectIn(source);
  mustLeadThere(before, path);
  const layout = layoutOf(source);
  const { object, member, rest } = findMember(layout.root, path);
  const edits =
    member === undefined
      ? insertMember(layout, object, nested(rest, value))
      : replaceValue(layout, object, member, value);
  return verified(jsoncParser().applyEdits(source, edits), withKey(before, path, value));
}

/**
 * Removes one value from the text of a JSON object. Keeps comments. Returns the text unchanged if there is no
 * such value.
 */
export function unsetInJson(text: string, path: readonly string[]): string {
  const before = objectIn(text);
  if (valueAt(before, path) === undefined) return text;
  const layout = layoutOf(text);
  const { object } = findMember(layout.root, path);
  return verified(removeMembers(layout, object, path.at(-1) ?? ''), withoutKey(before, path));
}

/** JSON text with its syntax tree and its style of formatting. */
interface JsonLayout {
  readonly text: string;
  readonly root: Node;
  readonly newline: string;
  /** The white space for one level of indentation. */
  readonly unit: string;
}

/**
 * Parses JSON text and detects its formatting. The caller must have checked the text with `objectIn`, because
 * deeply nested text would crash this recursive parser.
 */
function layoutOf(text: string): JsonLayout {
  const root = jsoncParser().parseTree(maskByteOrderMark(text), [], jsoncOptions) as Node;
  const unit = memberIndent(text, root)?.slice(lineIndent(text, root.offset).length) ?? '';
  return { text, root, newline: text.includes('\r\n') ? '\r\n' : '\n', unit: unit === '' ? '  ' : unit };
}

interface FoundMember {
  /** The innermost existing object on the path. */
  readonly object: Node;
  readonly member?: Node;
  /** The names on the path that do not exist yet. */
  readonly rest: readonly string[];
}

/** Finds a property by its path. If a key is repeated, finds its last occurrence. */
function findMember(object: Node, path: readonly string[]): FoundMember {
  const [name, ...rest] = path;
  const member = object.children?.findLast((one) => nameOf(one) === name);
  if (member === undefined) return { object, rest: path };
  return rest.length === 0 ? { object, member, rest } : findMember(valueOf(member), rest);
}

function nested([name = '', ...rest]: readonly string[], value: Json): readonly [string, Json] {
  return [name, rest.length === 0 ? value : Object.fromEntries([nested(rest, value)])];
}

/** Replaces a property's value. Moves comments from inside the old value to above the property. */
function replaceValue(layout: JsonLayout, object: Node, member: Node, value: Json): Edit[] {
  const { text, newline } = layout;
  const indent = indentIn(layout, object);
  const { offset, length } = valueOf(member);
  const comments = commentsIn(text.slice(offset, offset + length));
  return [
    insert(member.offset, comments.map((comment) => `${comment}${newline}${indent}`).join('')),
    { offset, length, content: print(layout, value, indent) },
  ];
}

/**
 * Inserts a property after the last property of an object. The new property gets its own line,
 * unless all properties are on one line.
 */
function insertMember(layout: JsonLayout, object: Node, [name, value]: readonly [string, Json]): Edit[] {
  const { text, newline } = layout;
  const indent = indentIn(layout, object);
  const member = `${JSON.stringify(name)}: ${print(layout, value, indent)}`;
  const last = object.children?.at(-1);
  const comma = last && commaAfter(text, endOf(last));
  const isOneLine = !text.slice(object.offset, endOf(object)).includes('\n');
  if (last !== undefined && isOneLine)
    return [comma === undefined ? insert(endOf(last), `, ${member}`) : insert(comma + 1, ` ${member}`)];
  const close = endOf(object) - 1;
  const before = spacesBefore(text, close, ' \t\r\n');
  const end = close - before.length;
  const after = before.includes('\n') ? before : `${newline}${lineIndent(text, object.offset)}`;
  const content = `${newline}${indent}${member}${comma === undefined ? '' : ','}${after}`;
  return [
    ...(last !== undefined && comma === undefined ? [insert(endOf(last), ',')] : []),
    { offset: end, length: before.length, content },
  ];
}

/**
 * Removes all properties with the given name, because JSON text can repeat a key. Works backwards,
 * so that the offsets of earlier properties remain valid.
 */
function removeMembers(layout: JsonLayout, object: Node, name: string): string {
  const members = object.children ?? [];
  const between = `${layout.newline}${indentIn(layout, object)}`;
  return members.reduceRight((text, member, index) => {
    if (nameOf(member) !== name) return text;
    const { offset } = member;
    const end = endOf(member);
    const previous = members[index - 1];
    const own = commaAfter(text, end);
    // If the last property is removed, the comma after the previous one must also be removed.
    const other = own === undefined && previous !== undefined ? commaAfter(text, endOf(previous)) : undefined;
    const head =
      other === undefined ? text.slice(0, offset) : text.slice(0, other) + text.slice(other + 1, offset);
    const tail = own === undefined ? text.slice(end) : text.slice(end, own) + text.slice(own + 1);
    const comments = commentsIn(`{${text.slice(offset, end)}}`);
    if (comments.length === 0) return closeGap(head, tail);
    return `${head}${comments.join(between)}${comments.at(-1)?.startsWith('//') ? layout.newline : ''}${tail}`;
  }, layout.text);
}

/**
 * Joins the text before and after a removed property. Removes the line if it is now empty, or else the extra
 * spaces.
 */
function closeGap(head: string, tail: string): string {
  const line = head.slice(0, head.length - spacesBefore(head, head.length).length);
  const rest = tail.replace(/^[ \t]+/, '');
  const [lineEnd] = /^\r?\n/.exec(rest) ?? [];
  if (line.endsWith('\n')) return lineEnd === undefined ? head + rest : line + rest.slice(lineEnd.length);
  if (lineEnd !== undefined) return line + rest;
  return rest.startsWith('}') ? line + tail : head + rest;
}

function insert(offset: number, content: string): Edit {
  return { offset, length: 0, content };
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function nameOf(member: Node): unknown {
  return member.children?.[0]?.value;
}

function valueOf(member: Node): Node {
  return member.children?.[1] ?? member;
}

/**
 * Returns the offset of the comma after a property, or undefined. Only white space and comments may precede
 * the comma.
 */
function commaAfter(text: string, end: number): number | undefined {
  const scanner = jsoncParser().createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}

/** Returns the comments in the text of a JSON value, in order. Pure. */
export function commentsIn(text: string): readonly string[] {
  const comments: string[] = [];
  const onComment = (offset: number, length: number): void =>
    void comments.push(text.slice(offset, offset + length).trimEnd());
  jsoncParser().visit(maskByteOrderMark(text), { onComment }, jsoncOptions);
  return comments;
}

function objectIn(text: string): JsonObject {
  const read = parseJsonWithComments(text.trim() === '' ? '{}' : text);
  if (read.ok && isJsonObject(read.value)) return read.value;
  const why = read.ok ? '' : ` (line ${read.line}, column ${read.column}: ${read.message})`;
  throw new AgentError(
    'usage.bad-settings',
    `The file is not a JSON object${why}, so no setting can be written to it.`,
    {
      hint: 'Fix it first; comments and trailing commas are allowed.',
    },
  );
}

/**
 * Throws if the path leads through a value that is not an object, because setting the path would
 * overwrite that value.
 */
function mustLeadThere(values: JsonObject, path: readonly string[]): void {
  const outer = path.slice(0, -1).map((_, index) => path.slice(0, index + 1));
  const inTheWay = outer.find((part) => {
    const value = valueAt(values, part);
    return value !== undefined && !isJsonObject(value);
  });
  if (inTheWay === undefined) return;
  const key = keyOf(inTheWay);
  throw new AgentError('usage.bad-input', `"${key}" holds a single value, so no key can be set under it.`, {
    hint: `Set the entire value: \`skilled config set ${key} '{…}'\``,
  });
}

/** Returns the edited text. Throws if the text does not parse to `expected`. */
function verified(text: string, expected: JsonObject): string {
  const read = parseJsonWithComments(text);
  if (read.ok && isDeepStrictEqual(read.value, expected)) return text;
  throw new AgentError(
    'internal.bug',
    'The setting could not be changed without affecting other parts of the file.',
    {
      hint: 'Edit the file by hand, and please file a bug report that includes its contents.',
    },
  );
}

/** Formats a value as JSON. Each property is on its own line, and short arrays are on one line. */
function print(layout: JsonLayout, value: Json, indent: string): string {
  const { newline, unit } = layout;
  const deeper = `${indent}${unit}`;
  const block = (open: string, parts: readonly string[], close: string): string =>
    `${open}${newline}${deeper}${parts.join(`,${newline}${deeper}`)}${newline}${indent}${close}`;
  if (Array.isArray(value)) {
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    const parts = value.map((item: Json) => print(layout, item, deeper));
    return line.length <= 80 ? line : block('[', parts, ']');
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}: ${print(layout, inner, deeper)}`,
  );
  return block('{', members, '}');
}

/** Returns the indentation for the properties of an object, even if it has none. */
function indentIn({ text, unit }: JsonLayout, object: Node): string {
  return memberIndent(text, object) ?? `${lineIndent(text, object.offset)}${unit}`;
}

/** Returns the indentation of the first property that starts a line. */
function memberIndent(text: string, { children = [] }: Node): string | undefined {
  const first = children.find(({ offset }) => text[offset - spacesBefore(text, offset).length - 1] === '\n');
  return first && spacesBefore(text, first.offset);
}

/** Returns the indentation of the line that contains an offset. */
function lineIndent(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

function spacesBefore(text: string, offset: number, spaces = ' \t'): string {
  let start = offset;
  while (start > 0 && spaces.includes(text.charAt(start - 1))) start--;
  return text.slice(start, offset);
}
