import type { Issue } from '../issue.ts';
import { unsafeKeys, type Json } from '../json.ts';
import {
  fieldKey,
  isConflictMarker,
  repaired,
  repeatedKey,
  skippedPart,
  tooLarge,
} from './frontmatter-split.ts';
import { parseYaml, tooManyKeys, type FrontmatterLimits, type YamlFault, type YamlMapping } from './yaml.ts';

/** One field of a head: its key as written and the one-based line it stands on. */
export interface HeadField {
  readonly key: string;
  readonly value: Json;
  readonly line: number;
}

interface Chunk {
  readonly key: string;
  readonly line: number;
  readonly lines: string[];
}

/** Reads frontmatter that is no YAML field by field: what parses alone is kept, the rest is text; undefined past a limit. */
export function repairFields(
  head: string,
  headLine: number,
  limits: FrontmatterLimits,
  issues: Issue[],
): readonly HeadField[] | undefined {
  const fields = new Map<string, HeadField>();
  let keyCount = 0;
  for (const chunk of chunksOf(head, headLine, issues)) {
    const { key, line } = chunk;
    const plain = parseYaml(chunk.lines.join('\n'), limits);
    const quoted = plain.ok ? plain : parseYaml(quoteValues(chunk.lines), limits);
    keyCount += plain.ok ? plain.keyCount : 1;
    const limit =
      passedLimit(plain) ??
      passedLimit(quoted) ??
      (keyCount > limits.frontmatterKeys ? tooManyKeys(limits) : undefined);
    if (limit !== undefined) {
      issues.push(tooLarge(limit, line));
      return undefined;
    }
    if (unsafeKeys.has(key)) issues.push(skippedPart({ what: 'unsafe', key, line: 1 }, line));
    else if (fields.has(key)) issues.push(repeatedKey(key, line));
    else fields.set(key, { key, value: valueOf(chunk, plain, quoted, issues), line });
  }
  return [...fields.values()];
}

function passedLimit(parsed: YamlMapping | YamlFault): string | undefined {
  return !parsed.ok && parsed.why === 'limit' ? parsed.message : undefined;
}

function valueOf(
  chunk: Chunk,
  plain: YamlMapping | YamlFault,
  quoted: YamlMapping | YamlFault,
  issues: Issue[],
): Json {
  const { key } = chunk;
  if (plain.ok && Object.hasOwn(plain.value, key)) {
    issues.push(...plain.skipped.map((skipped) => skippedPart(skipped, chunk.line)));
    return plain.value[key] ?? null;
  }
  const nested = quoted.ok && Object.hasOwn(quoted.value, key) ? quoted.value[key] : undefined;
  const isNested = typeof nested === 'object' && nested !== null;
  const reason = plain.ok ? '' : ` (${plain.message})`;
  const message = `"${key}" is not valid YAML${reason} and was read ${isNested ? 'with its values in quotes' : 'as plain text'}.`;
  const line = chunk.line + (plain.ok ? 0 : plain.line - 1);
  issues.push(repaired('frontmatter.repaired', line, message, `Put the value of "${key}" in quotes.`));
  return isNested ? nested : plainText(chunk);
}

function chunksOf(head: string, headLine: number, issues: Issue[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const lines = head.split('\n');
  const margin = /^[ \t]*/.exec(lines.find((line) => fieldKey(line.trim()) !== undefined) ?? '')?.[0] ?? '';
  for (const [index, raw] of lines.entries()) {
    const line = headLine + index;
    const text = cleaned(raw.startsWith(margin) ? raw.slice(margin.length) : raw, line, issues);
    if (/^(?:---|\.\.\.)(?:\s|$)/.test(text)) {
      issues.push(skippedPart({ what: 'document', key: 'a second document', line: 1 }, line));
      break;
    }
    const key = fieldKey(text);
    const current = chunks.at(-1);
    if (isConflictMarker(text)) {
      issues.push(
        repaired(
          'frontmatter.conflict',
          line,
          'A merge conflict marker was left out.',
          'Settle the conflict.',
        ),
      );
      current?.lines.push('');
    } else if (key !== undefined) chunks.push({ key, line, lines: [text] });
    else if (current !== undefined) current.lines.push(text);
    else if (text.trim() !== '' && !text.startsWith('#')) {
      issues.push(
        repaired(
          'frontmatter.ignored',
          line,
          'A line before the first field was left out.',
          'Remove it, or give it a key.',
        ),
      );
    }
  }
  return chunks;
}

// eslint-disable-next-line no-control-regex -- control characters are what makes YAML refuse the text
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/g;

/** A line without what no YAML may hold: control characters, and tabs as indentation. */
function cleaned(raw: string, line: number, issues: Issue[]): string {
  const visible = raw.replace(unprintable, '').toWellFormed();
  if (visible !== raw) {
    issues.push(repaired('frontmatter.control', line, 'A control character was left out.', 'Remove it.'));
  }
  const indent = /^[ \t]*/.exec(visible)?.[0] ?? '';
  if (!indent.includes('\t') || indent === visible) return visible;
  issues.push(
    repaired(
      'frontmatter.tabs',
      line,
      'A tab at the start of a line was read as two blanks.',
      'Indent with blanks.',
    ),
  );
  return indent.replaceAll('\t', '  ') + visible.slice(indent.length);
}

/** The lines of a map or list with quotes around the values that need them; text blocks are left alone. */
function quoteValues(lines: readonly string[]): string {
  const hasBlock = lines.some((line) => /[|>][+\-\d]*$/.test(line.trimEnd()));
  return lines.map((line) => (hasBlock ? line : quoteValue(line))).join('\n');
}

function quoteValue(line: string): string {
  const start = /^[ \t]*(?:- +)?/.exec(line)?.[0].length ?? 0;
  const hasKey = fieldKey(line.slice(start)) !== undefined;
  const from = hasKey ? line.indexOf(':', start) + 1 : start;
  const value = line.slice(from).trim();
  if (from === 0 || /^["'[{#]/.test(value) || !/^[&*!%@`?,\]}]|:(?:\s|$)/.test(value)) return line;
  return `${line.slice(0, from)} ${JSON.stringify(value)}`;
}

/** The value as a reader sees it: continuation lines joined by blanks, one pair of outer quotes removed. */
function plainText(chunk: Chunk): string {
  const [first = '', ...rest] = chunk.lines;
  const value = first.slice(first.indexOf(':') + 1).trim();
  const opening = /^[|>][+\-\d]*$/.test(value) ? '' : value;
  const lines = rest.filter((line) => !line.startsWith('#')).map((line) => line.trim());
  const text = [opening, ...lines].filter(Boolean).join(' ');
  return /^(?:"[^"]*"|'[^']*')$/.test(text) ? text.slice(1, -1) : text;
}
