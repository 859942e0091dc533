import { lineAt, toLf } from '../../core/index.ts';
import { damagePatterns, downloadPatterns, encodedPatterns } from './code-patterns.ts';
import { compareDiagnostics, showText, type AuditDiagnostic, type AuditPattern } from './diagnostic.ts';
import { hiddenTextPatterns, orderPatterns } from './prompt-patterns.ts';
import { secretPatterns } from './secret-patterns.ts';

/** The maximum number of diagnostics per file. A longer list would not help readers. */
const maxDiagnostics = 20;
/** The maximum number of diagnostics per pattern and file. */
const maxAlike = 5;
/** The maximum number of matches per pattern and file that are examined in detail. */
const maxMatches = 1_000;

/**
 * Returns the diagnostics for all pattern matches in a text, most severe first. Pure. Runs in linear time.
 */
export function scanText(written: string, file: string): readonly AuditDiagnostic[] {
  const text = toLf(written);
  // Join continued lines, so that each command is on a single line.
  const joined = text.replace(/\\\n/g, '  ');
  const isProse = /\.(?:md|mdx|markdown|txt|rst|adoc|html?)$/i.test(file);
  // Cached because several patterns can use the same expression.
  const matches = new Map<RegExp, readonly Match[]>();
  const found = new Map<string, AuditDiagnostic>();
  for (const pattern of patterns) {
    if (pattern.only === (isProse ? 'code' : 'prose')) continue;
    const here = matches.get(pattern.find) ?? findMatches(joined, pattern.find);
    matches.set(pattern.find, here);
    for (const match of here.filter((one) => isMeant(pattern, one)).slice(0, maxAlike)) {
      const line = lineAt(text, match.index);
      const key = `${pattern.id} ${line}`;
      if (!found.has(key)) found.set(key, createDiagnostic(match, line, pattern, file, isProse));
    }
  }
  return [...found.values()].sort(compareDiagnostics).slice(0, maxDiagnostics);
}

function findMatches(text: string, find: RegExp): readonly Match[] {
  const matches: Match[] = [];
  for (const match of text.matchAll(find)) {
    matches.push(matchAt(text, match.index, match[0]));
    if (matches.length >= maxMatches) break;
  }
  return matches;
}

function isMeant({ within, line, near, unless }: AuditPattern, match: Match): boolean {
  if (within?.test(match.found) === false || line?.test(match.lines) === false) return false;
  return unless?.test(match.lines) !== true && near?.test(match.around) !== false;
}

function createDiagnostic(
  match: Match,
  line: number,
  pattern: AuditPattern,
  file: string,
  isProse: boolean,
): AuditDiagnostic {
  const { id, what, hint } = pattern;
  const severity = isProse && isExample(match) ? 'low' : pattern.severity;
  return { id, severity, file, line, what, text: showText(match.shown), hint };
}

// Text that warns about attacks or teaches how to detect them.
const warns =
  /❌|🚫|⛔|\b(?:dangerous|malicious\w*|malware|attack(?:s|er|ers)?|injections?|exploit(?:s|ation)?|vulnerab\w*|unsafe|insecure|red flags?|suspicious|blocklist|denylist|detect(?:s|ed|ion|ing)?|refuse[sd]?|reject(?:s|ed)?|forbidden|prohibited|threats?|jailbreak\w*|phishing|adversar\w*|scans? for|anti-?patterns?|what not to|pentest\w*|red[- ]team\w*|ctf|exfiltration|evil)\b/i;
// Text that introduces a quotation of someone else's words.
const introducesSpeech =
  /\b(?:instructions?|attempts?|requests?|messages?|phrases?|emails?|asks?|asking|tries|trying|says?|saying|like)\s+(?:\w+\s+){0,3}$/i;
const forbids = /\b(?:never|don['’]t|do not|avoid|must not)\b[^.\n]{0,60}$/i;
const quotes = /["“'‘`«]\s*$/;
// Matches the text before a quotation that is the complete value of a field or a command to run.
const meansIt =
  /(?:^\s*[\w-]+:\s*|\b(?:run|running|execute|type|paste|enter|use|then|with|first)\b[^"“'‘`«]{0,30})["“'‘`«]\s*$/i;

/**
 * Whether prose mentions a dangerous phrase only as an example, for instance in a warning, a prohibition or a
 * quotation. This heuristic lowers the severity. Dynamic context is never considered an example.
 */
function isExample({ before, lines, found, above, isRun }: Match): boolean {
  if (isRun) return false;
  if (warns.test(above) || warns.test(lines.replace(found, ''))) return true;
  if (forbids.test(before) || introducesSpeech.test(before)) return true;
  return quotes.test(before) && !meansIt.test(before);
}

/** A match of a pattern with the text around it. The length of each text is limited. */
interface Match {
  readonly index: number;
  /** The matched text. */
  readonly found: string;
  /** The matched text and a few characters before it, for display. */
  readonly shown: string;
  /** The text before the match on the same line. */
  readonly before: string;
  /** The lines that contain the match. */
  readonly lines: string;
  /** The lines that contain the match, with a few lines before and after them. */
  readonly around: string;
  /** The nearest heading above the match and the few lines directly above it. */
  readonly above: string;
  /** Whether the match is dynamic context: a command that runs before the model receives the text. */
  readonly isRun: boolean;
}

/** The maximum number of characters to examine on the same line before and after a match. */
const reach = 500;
const nearLines = 6;
/** The number of characters to show before a match. */
const lead = 40;
/** The maximum number of characters before the line of a match to search for a heading. */
const headingReach = 2_000;

/** Creates a match from the matched text and its index. */
function matchAt(text: string, index: number, found: string): Match {
  const end = index + found.length;
  const from = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - reach);
  const to = Math.min(endOfLine(text, end), end + reach);
  const above = text.slice(Math.max(0, from - headingReach), from);
  return {
    index,
    found,
    shown: text.slice(Math.max(from, index - lead), end),
    before: text.slice(from, index),
    lines: text.slice(from, to),
    around: `${lastLines(above, nearLines)}${text.slice(from, to)}${firstLines(text.slice(to, to + headingReach), nearLines)}`,
    above: leadingTo(above),
    isRun: isDynamic(above, text.slice(from, index)),
  };
}

/**
 * Whether a position is inside inline code that starts with `` !` `` or inside a code block that is marked
 * with `!`.
 */
function isDynamic(above: string, before: string): boolean {
  const fence = above.split('\n').findLast((line) => /^\s*(?:`{3}|~{3})/.test(line));
  return fence?.includes('!') === true || /(?<![\w`])!`[^`]*$/.test(before);
}

function endOfLine(text: string, index: number): number {
  const end = text.indexOf('\n', index);
  return end < 0 ? text.length : end;
}

function lastLines(text: string, count: number): string {
  return text
    .split('\n')
    .slice(-count - 1)
    .join('\n');
}

function firstLines(text: string, count: number): string {
  return text.split('\n', count + 1).join('\n');
}

function leadingTo(above: string): string {
  const heading = above.split('\n').findLast((line) => /^#{1,6} /.test(line)) ?? '';
  return `${heading}\n${lastLines(above, 3)}`;
}

/** All audit patterns. */
export const patterns: readonly AuditPattern[] = [
  ...downloadPatterns,
  ...encodedPatterns,
  ...secretPatterns,
  ...orderPatterns,
  ...damagePatterns,
  ...hiddenTextPatterns,
];
