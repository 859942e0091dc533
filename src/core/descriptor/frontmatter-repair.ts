import type { Issue } from '../issue.ts';
import { unsafeKeys, type Json } from '../json.ts';
import { repaired, repeatedKey, skippedPart, tooLarge } from './frontmatter-issues.ts';
import { fieldKey, isConflictMarker } from './frontmatter-split.ts';
import { parseYaml, tooManyKeys, type FrontmatterLimits, type YamlFault, type YamlMapping } from './yaml.ts';

/** One frontmatter field: the key as written and its one-based line number. */
export interface HeadField {
  readonly key: string;
  readonly value: Json;
  /** Whether the key has no written value. `null` and `~` are written values. */
  readonly isBlank: boolean;
  readonly line: number;
}

interface Chunk {
  readonly key: string;
  readonly line: number;
  readonly lines: string[];
}

/**
 * Reads invalid YAML frontmatter field by field. Keeps fields that parse on their own and treats the rest as
 * text. Returns undefined if a limit is exceeded.
 */
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
    const lines = key === mergeKey ? [] : withoutMerges(chunk, issues);
    const plain = parseYaml(lines.join('\n'), limits);
    const quoted = plain.ok ? plain : parseYaml(quoteValues(lines), limits);
    keyCount += plain.ok ? plain.keyCount : 1;
    const limit =
      passedLimit(plain) ??
      passedLimit(quoted) ??
      (keyCount > limits.frontmatterKeys ? tooManyKeys(limits) : undefined);
    if (limit !== undefined) {
      issues.push(tooLarge(limit, line));
      return undefined;
    }
    if (key === mergeKey) issues.push(skippedPart({ what: 'merge', key, line: 1 }, line));
    else if (unsafeKeys.has(key)) issues.push(skippedPart({ what: 'unsafe', key, line: 1 }, line));
    else if (fields.has(key)) issues.push(repeatedKey(key, line));
    else {
      const value = valueOf(chunk, plain, quoted, issues);
      fields.set(key, { key, value, isBlank: plain.ok && plain.isBlank(key), line });
    }
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
  if (isNested && quoted.ok) issues.push(...quoted.skipped.map((part) => skippedPart(part, chunk.line)));
  return isNested ? nested : plainText(chunk);
}

function chunksOf(head: string, headLine: number, issues: Issue[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  const lines = head.split('\n');
  const margin = /^[ \t]*/.exec(lines.find((line) => fieldKey(line.trim()) !== undefined) ?? '')?.[0] ?? '';
  for (const [index, raw] of lines.entries()) {
    const line = headLine + index;
    const isTabbed = raw.startsWith(margin) && margin.includes('\t') && chunks.length === 0;
    const inner = raw.startsWith(margin) ? raw.slice(margin.length) : raw;
    const outer = withoutTab(inner, chunks.at(-1));
    if (outer !== inner || (isTabbed && fieldKey(inner) !== undefined))
      issues.push(tabBefore(fieldKey(outer), line));
    const text = cleaned(outer, line, issues);
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
          'A merge conflict marker was ignored.',
          'Resolve the conflict.',
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
          'A line before the first field was ignored.',
          'Remove the line, or give it a key.',
        ),
      );
    }
  }
  return chunks;
}

/** Removes a tab before a key that cannot be nested, because the field above already has a value. */
function withoutTab(line: string, above: Chunk | undefined): string {
  const [indent, key] = /^(?= *\t)[ \t]+([a-z][\w-]*(?=:(?:\s|$)))/.exec(line) ?? [];
  if (indent === undefined || key === undefined || above === undefined) return line;
  const value = (above.lines[0] ?? '').slice(above.key.length + 1).trim();
  const isWhole = value !== '' && !/^[|>#]|^[[{"'](?!.*[\]}"']$)/.test(value);
  return isWhole ? line.slice(indent.length - key.length) : line;
}

function tabBefore(key: string | undefined, line: number): Issue {
  const message = `The tab before "${key ?? ''}" was ignored.`;
  return repaired('frontmatter.tabs', line, message, 'Remove the tab.');
}

// eslint-disable-next-line no-control-regex -- YAML rejects text with control characters
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/g;

/** Removes characters that YAML forbids from a line: control characters and tabs used for indentation. */
function cleaned(raw: string, line: number, issues: Issue[]): string {
  const visible = raw.replace(unprintable, '').toWellFormed();
  if (visible !== raw) {
    issues.push(repaired('frontmatter.control', line, 'A control character was ignored.', 'Remove it.'));
  }
  const indent = /^[ \t]*/.exec(visible)?.[0] ?? '';
  if (!indent.includes('\t') || indent === visible) return visible;
  issues.push(
    repaired(
      'frontmatter.tabs',
      line,
      'A tab at the start of a line was read as two spaces.',
      'Indent with spaces.',
    ),
  );
  return indent.replaceAll('\t', '  ') + visible.slice(indent.length);
}

const mergeKey = '<<';

/** Removes nested lines such as `<<: *base`, which the parser rejects because it does not support anchors. */
function withoutMerges({ line, lines }: Chunk, issues: Issue[]): readonly string[] {
  if (hasBlockScalar(lines)) return lines;
  return lines.map((text, index) => {
    if (!/^[ \t]+<<[ \t]*:[ \t]*(?:\*\S+|\[[ \t]*\*[^\]]*\])[ \t]*(?:#.*)?$/.test(text)) return text;
    issues.push(skippedPart({ what: 'merge', key: mergeKey, line: index + 1 }, line));
    return '';
  });
}

/** Puts quotes around the values in a map or list that need them. Leaves block scalars unchanged. */
function quoteValues(lines: readonly string[]): string {
  const hasBlock = hasBlockScalar(lines);
  return lines.map((line) => (hasBlock ? line : quoteValue(line))).join('\n');
}

function hasBlockScalar(lines: readonly string[]): boolean {
  return lines.some((line) => /[|>][+\-\d]*$/.test(line.trimEnd()));
}

function quoteValue(line: string): string {
  const start = /^[ \t]*(?:- +)?/.exec(line)?.[0].length ?? 0;
  const hasKey = fieldKey(line.slice(start)) !== undefined;
  const from = hasKey ? line.indexOf(':', start) + 1 : start;
  const value = line.slice(from).trim();
  if (from === 0 || /^["'[{#]/.test(value) || !/^[&*!%@`?,\]}]|:(?:\s|$)/.test(value)) return line;
  return `${line.slice(0, from)} ${JSON.stringify(value)}`;
}

/**
 * Returns a value as a YAML parser would read it: continuation lines are joined by spaces and one pair of
 * outer quotes is removed.
 */
function plainText(chunk: Chunk): string {
  const [first = '', ...rest] = chunk.lines;
  const value = first.slice(first.indexOf(':') + 1).trim();
  const opening = /^[|>][+\-\d]*$/.test(value) ? '' : value;
  const lines = rest.filter((line) => !line.startsWith('#')).map((line) => line.trim());
  const text = [opening, ...lines].filter(Boolean).join(' ');
  return /^(?:"[^"]*"|'[^']*')$/.test(text) ? text.slice(1, -1) : text;
}
