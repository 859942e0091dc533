import type { RenderContext } from '../../../core/index.ts';
import type { ArgumentValues } from './arguments.ts';

/** A placeholder and its value. */
export interface Filled {
  /** The placeholder as written, without preceding backslashes. */
  readonly placeholder: string;
  readonly value: string;
  /** The offset from the start of the text, in UTF-16 units. */
  readonly at: number;
  /** Whether the placeholder refers to an argument rather than to a folder or the session. */
  readonly isArgument: boolean;
  /** The environment variable that holds the same value for commands. */
  readonly variable: string;
}

/** The values that replace placeholders. */
export interface PlaceholderValues {
  readonly values: ArgumentValues;
  readonly context: RenderContext;
}

/** Who reads the rendered text: a person, or a shell, which has its own variables. */
type RenderTarget = 'person' | 'shell';

/**
 * Splits text at its placeholders in one pass. Inserted values are never scanned again. Backslashes that
 * escape a placeholder are removed from the text between placeholders.
 */
export function splitAtPlaceholders(
  text: string,
  meanings: PlaceholderValues,
  reader: RenderTarget,
): readonly (string | Filled)[] {
  const pieces: (string | Filled)[] = [];
  let done = 0;
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', Math.max(done, at + 1))) {
    const found = placeholderAt(text, at, meanings, reader);
    if (found === undefined) continue;
    const backslashes = countBackslashes(text, done, at);
    const literal = '\\'.repeat(Math.floor(backslashes / 2));
    const placeholder = text.slice(at, found.end);
    const { value, isArgument, variable } = found;
    const stays = backslashes % 2 === 1 || value === undefined;
    pieces.push(text.slice(done, at - backslashes) + literal);
    pieces.push(stays ? placeholder : { placeholder, value, at, isArgument, variable });
    done = found.end;
  }
  return [...pieces, text.slice(done)];
}

/** Text that looks like a placeholder. It is left unchanged if it has no value. */
interface Found {
  readonly end: number;
  readonly value: string | undefined;
  readonly isArgument: boolean;
  readonly variable: string;
}

const index = /(?:ARGUMENTS\[(?<bracketed>\d+)\]|(?<bare>\d+))/y;
const braced = /\{(?<name>[^{}\n]+)\}/y;
const whole = 'ARGUMENTS';

function placeholderAt(
  text: string,
  at: number,
  meanings: PlaceholderValues,
  reader: RenderTarget,
): Found | undefined {
  const { values } = meanings;
  const start = at + 1;
  if (text.charAt(start) === '{') return bracedAt(text, start, meanings, reader);
  const name = nameAt(text, start, values, reader);
  if (name !== undefined && name !== whole && !/^\d+$/.test(name))
    return named(name, start + name.length, values);
  index.lastIndex = start;
  const { bracketed, bare } = index.exec(text)?.groups ?? {};
  const position = bracketed ?? bare;
  if (position !== undefined) {
    const value = values.positions[Number(position)];
    return { end: index.lastIndex, value, isArgument: true, variable: `SKILLED_ARG_${Number(position)}` };
  }
  if (name !== whole) return undefined;
  return { end: start + whole.length, value: values.whole, isArgument: true, variable: 'SKILLED_ARGUMENTS' };
}

function named(name: string, end: number, { names }: ArgumentValues): Found {
  return { end, value: names.get(name), isArgument: true, variable: variableFor(name) };
}

function bracedAt(
  text: string,
  at: number,
  { values, context }: PlaceholderValues,
  reader: RenderTarget,
): Found | undefined {
  braced.lastIndex = at;
  const name = braced.exec(text)?.groups?.['name'];
  if (name === undefined) return undefined;
  const end = at + name.length + 2;
  const [, variable] = /^(?:SKILLED|CLAUDE|AGENTICK)_(SESSION_ID|SKILL_DIR|PROJECT_DIR)$/.exec(name) ?? [];
  if (variable !== undefined) {
    const value = variableIn(context, variable);
    return { end, value, isArgument: false, variable: `SKILLED_${variable}` };
  }
  return isName(name, values, reader) ? named(name, end, values) : undefined;
}

function variableIn({ session, skillDir, projectDir }: RenderContext, name: string): string | undefined {
  if (name === 'SESSION_ID') return session;
  return name === 'SKILL_DIR' ? skillDir : projectDir;
}

const segment = /[\p{L}\p{M}\p{N}_]+/uy;

/**
 * Returns the longest name that begins at the given offset. Hyphens are part of the name only if the
 * hyphenated name is known.
 */
function nameAt(
  text: string,
  start: number,
  values: ArgumentValues,
  reader: RenderTarget,
): string | undefined {
  let known: string | undefined;
  let from = start;
  for (;;) {
    segment.lastIndex = from;
    if (!segment.test(text)) return known;
    const { lastIndex: end } = segment;
    if (end - start > values.longestName) return known;
    const name = text.slice(start, end);
    if (name === whole || isName(name, values, reader)) known = name;
    if (text.charAt(end) !== '-') return known;
    from = end + 1;
  }
}

/** Whether a name refers to an argument. In a command, an undeclared name in capitals is a shell variable. */
function isName(name: string, { names, declared }: ArgumentValues, reader: RenderTarget): boolean {
  if (declared.has(name)) return true;
  return names.has(name) && !(reader === 'shell' && /^[A-Z_][A-Z0-9_]*$/.test(name));
}

/** Returns the environment variable that carries a named argument. */
export function variableFor(name: string): string {
  return `SKILLED_ARG_${name.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}`;
}

/** Counts the backslashes directly before an offset. */
function countBackslashes(text: string, from: number, end: number): number {
  let start = end;
  while (start > from && text.charAt(start - 1) === '\\') start--;
  return end - start;
}
