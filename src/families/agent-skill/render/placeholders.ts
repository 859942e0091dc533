import type { OtherProgram, RenderContext } from '../../../core/index.ts';
import type { ArgumentValues } from './arguments.ts';
import type { PositionRule } from './positions.ts';

/** A placeholder and its value. */
export interface Filled {
  /** The placeholder as written, without preceding backslashes. */
  readonly placeholder: string;
  readonly value: string;
  /** The offset from the start of the text, in UTF-16 units. */
  readonly at: number;
  /** Whether the placeholder refers to an argument rather than to a folder or the session. */
  readonly isArgument: boolean;
  /** Whether the placeholder may be ordinary text. If so, the rendered text also contains all arguments. */
  readonly isGuess?: boolean;
  /** The environment variable that contains the same value when a command runs. */
  readonly variable: string;
}

/** The values that replace placeholders. */
export interface PlaceholderValues {
  readonly values: ArgumentValues;
  readonly context: RenderContext;
  readonly rule: PositionRule;
}

/** The reader of the rendered text: a person, or a shell, which also expands its own variables. */
type RenderTarget = 'person' | 'shell';

/**
 * Splits a part of a body at its placeholders in one pass. Inserted values are never scanned again.
 * Backslashes that escape a placeholder are removed from the text between placeholders.
 */
export function splitAtPlaceholders(
  body: string,
  { start, end }: { readonly start: number; readonly end: number },
  meanings: PlaceholderValues,
  reader: RenderTarget,
): readonly (string | Filled)[] {
  const text = body.slice(start, end);
  const pieces: (string | Filled)[] = [];
  let done = 0;
  for (let at = nextSign(text, 0); at >= 0; at = nextSign(text, Math.max(done, at + 1))) {
    const found = placeholderAt(text, at, { ...meanings, reader, start });
    if (found === undefined) continue;
    const backslashes = countBackslashes(text, done, at);
    const literal = '\\'.repeat(Math.floor(backslashes / 2));
    const placeholder = text.slice(at, found.end);
    const { value, isArgument, isGuess = false, variable } = found;
    const stays = backslashes % 2 === 1 || value === undefined;
    pieces.push(text.slice(done, at - backslashes) + literal);
    pieces.push(stays ? placeholder : { placeholder, value, at: start + at, isArgument, isGuess, variable });
    done = found.end;
  }
  return [...pieces, text.slice(done)];
}

/** Returns the offset of the next text that can begin a placeholder, or -1 if there is none. */
function nextSign(text: string, from: number): number {
  sign.lastIndex = from;
  return sign.exec(text)?.index ?? -1;
}

const skillFolder = '{baseDir}';
const sign = /\$|(?<!\$)\{baseDir\}/g;

const folderVariables = ['SESSION_ID', 'SKILL_DIR', 'PROJECT_DIR', 'PLUGIN_ROOT'];
const prefixes: Readonly<Record<string, readonly OtherProgram[]>> = {
  SKILLED: [],
  CLAUDE: ['Claude Code'],
  AGENTICK: ['Agentick'],
};
const folderVariable = new RegExp(`^(?:${Object.keys(prefixes).join('|')})_(${folderVariables.join('|')})$`);

/** The placeholders for folders and the session, each with the other programs that support it. */
export const placeholders: readonly {
  readonly text: string;
  readonly programs: readonly OtherProgram[];
}[] = [
  ...Object.entries(prefixes).flatMap(([prefix, programs]) =>
    folderVariables.map((name) => ({ text: `\${${prefix}_${name}}`, programs })),
  ),
  { text: skillFolder, programs: ['OpenClaw', 'pi'] },
];

/** Text that looks like a placeholder. It is left unchanged if it has no value. */
interface Found {
  readonly end: number;
  readonly value: string | undefined;
  readonly isArgument: boolean;
  readonly isGuess?: boolean;
  readonly variable: string;
}

/** The values and options for reading the placeholders in a part of a body. */
interface Reading extends PlaceholderValues {
  readonly reader: RenderTarget;
  /** The part's offset in the body. */
  readonly start: number;
}

const index = /(?:ARGUMENTS\[(?<bracketed>\d+)\]|(?<bare>\d+))/y;
const braced = /\{(?<name>[^{}\n]+)\}/y;
const whole = 'ARGUMENTS';

function placeholderAt(text: string, at: number, reading: Reading): Found | undefined {
  const { values, reader, rule } = reading;
  const start = at + 1;
  if (text.charAt(at) === '{') return folderAt(at, reading.context);
  if (text.charAt(start) === '{') return bracedAt(text, start, reading);
  const name = nameAt(text, start, values, reader);
  if (name !== undefined && name !== whole && !/^\d+$/.test(name))
    return named(name, start + name.length, values);
  index.lastIndex = start;
  const { bracketed, bare } = index.exec(text)?.groups ?? {};
  const end = index.lastIndex;
  if (bracketed !== undefined) return positioned(Number(bracketed), end, values);
  if (bare !== undefined) {
    const isArgument = rule.isArgument(reading.start + at, reading.start + end, reader === 'shell');
    if (!isArgument) return { end, value: undefined, isArgument, variable: '' };
    return { ...positioned(Number(bare) - rule.first, end, values), isGuess: rule.isGuess };
  }
  if (name !== whole) return undefined;
  return { end: start + whole.length, value: values.whole, isArgument: true, variable: 'SKILLED_ARGUMENTS' };
}

function positioned(position: number, end: number, { positions }: ArgumentValues): Found {
  return { end, value: positions[position], isArgument: true, variable: `SKILLED_ARG_${position}` };
}

function named(name: string, end: number, { names }: ArgumentValues): Found {
  return { end, value: names.get(name), isArgument: true, variable: variableFor(name) };
}

/** Reads `{baseDir}`, the skill's folder in OpenClaw and pi. */
function folderAt(at: number, { skillDir }: RenderContext): Found {
  const end = at + skillFolder.length;
  return { end, value: skillDir, isArgument: false, variable: 'SKILLED_SKILL_DIR' };
}

function bracedAt(text: string, at: number, { values, context, reader }: Reading): Found | undefined {
  braced.lastIndex = at;
  const name = braced.exec(text)?.groups?.['name'];
  if (name === undefined) return undefined;
  const end = at + name.length + 2;
  const [, variable] = folderVariable.exec(name) ?? [];
  if (variable !== undefined) {
    const value = variableIn(context, variable);
    return { end, value, isArgument: false, variable: `SKILLED_${variable}` };
  }
  return isName(name, values, reader) ? named(name, end, values) : undefined;
}

function variableIn(context: RenderContext, name: string): string | undefined {
  if (name === 'SESSION_ID') return context.session;
  if (name === 'PLUGIN_ROOT') return context.pluginDir;
  return name === 'SKILL_DIR' ? context.skillDir : context.projectDir;
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
