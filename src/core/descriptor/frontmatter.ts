import type { Issue } from '../issue.ts';
import type { Json } from '../json.ts';
import { normaliseKey } from '../names.ts';
import { toLf } from '../text.ts';
import { repaired, repeatedKey, skippedPart, tooLarge } from './frontmatter-issues.ts';
import { repairFields, type HeadField } from './frontmatter-repair.ts';
import { splitFrontmatter } from './frontmatter-split.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import { defaultFrontmatterLimits, parseYaml, type FrontmatterLimits } from './yaml.ts';

/** The parsed frontmatter of a descriptor, and the line where its body begins. */
export interface Frontmatter {
  readonly present: boolean;
  /** The values by normalised key. An explicit null is treated as absent. */
  readonly fields: ReadonlyMap<string, Json>;
  /** The keys as the author wrote them. */
  readonly keys: readonly string[];
  /** Whether a limit was exceeded. If so, none of the file's content may be used. */
  readonly refused: boolean;
  readonly bodyStart: number;
  /** The offset where the body ends. */
  readonly bodyEnd: number;
  /** The one-based line number where the body starts. */
  readonly bodyLine: number;
  readonly issues: readonly Issue[];
  /**
   * Whether a key is written without any value. `null` and `~` are values, although their fields are treated
   * as absent.
   */
  isBlank(key: string): boolean;
  /** Returns the one-based line number of a key. */
  lineOf(key: string): number | undefined;
}

/** Parses a descriptor's frontmatter leniently. Never throws; every repair is reported. */
export function parseFrontmatter(
  text: string,
  limits: FrontmatterLimits = defaultFrontmatterLimits,
): Frontmatter {
  const split = splitFrontmatter(text);
  const issues: Issue[] = [...split.issues];
  const looked = split.head === undefined ? text : text.slice(0, split.bodyStart);
  if (looked.includes('\r'))
    issues.push({ level: 'info', code: 'text.crlf', message: 'The file uses CRLF line endings.' });
  const read = readFields(split.head ?? '', split.headLine, limits, issues);
  const fields = new Map<string, Json>();
  const first = new Map<string, HeadField>();
  const emptyKeys = new Set<string>();
  for (const field of read ?? []) {
    const key = normaliseKey(field.key);
    if (field.isBlank) emptyKeys.add(key);
    if (first.has(key)) issues.push(repeatedKey(field.key, field.line));
    else first.set(key, field);
    if (field.value !== null && !fields.has(key)) fields.set(key, field.value);
  }
  return {
    present: split.head !== undefined,
    fields,
    keys: (read ?? []).map((field) => field.key),
    refused: read === undefined,
    bodyStart: split.bodyStart,
    bodyEnd: split.bodyEnd,
    bodyLine: split.bodyLine,
    issues,
    isBlank: (key) => !fields.has(normaliseKey(key)) && emptyKeys.has(normaliseKey(key)),
    lineOf: (key) => first.get(normaliseKey(key))?.line,
  };
}

function readFields(
  head: string,
  headLine: number,
  limits: FrontmatterLimits,
  issues: Issue[],
): readonly HeadField[] | undefined {
  if (head.length > limits.frontmatterBytes || Buffer.byteLength(head) > limits.frontmatterBytes) {
    issues.push(tooLarge(`it is longer than ${limits.frontmatterBytes} bytes`, headLine));
    return undefined;
  }
  const source = toLf(head);
  const parsed = parsePlainYaml(source, limits) ?? parseYaml(source, limits);
  if (parsed.ok) {
    issues.push(...parsed.skipped.map((skipped) => skippedPart(skipped, headLine)));
    return Object.entries(parsed.value).map(([key, value]) => {
      const line = headLine + (parsed.lineOf(key) ?? 1) - 1;
      return { key, value, isBlank: parsed.isBlank(key), line };
    });
  }
  const line = headLine + parsed.line - 1;
  if (parsed.why === 'limit') {
    issues.push(tooLarge(parsed.message, line));
    return undefined;
  }
  const repairs: Issue[] = [];
  const fields = repairFields(source, headLine, limits, repairs);
  if (repairs.length === 0) {
    const message = `The frontmatter is not valid YAML (${parsed.message}) and was read field by field.`;
    repairs.push(
      repaired('frontmatter.repaired', line, message, 'Check the frontmatter with a YAML parser.'),
    );
  }
  issues.push(...firstOf(repairs));
  return fields;
}

const maxRepairs = 50;

/**
 * Returns the first repairs and a summary of the rest, so that a badly broken file does not flood a listing.
 */
function firstOf(repairs: readonly Issue[]): readonly Issue[] {
  if (repairs.length <= maxRepairs) return repairs;
  const dropped = repairs.slice(maxRepairs);
  const message = `The frontmatter needed ${dropped.length} more repairs.`;
  const rest = repaired(
    'frontmatter.repaired',
    dropped[0]?.line ?? 1,
    message,
    'Check the frontmatter with a YAML parser.',
  );
  return [...repairs.slice(0, maxRepairs), rest, ...dropped.filter((issue) => issue.level === 'error')];
}
