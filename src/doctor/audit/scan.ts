import { lineAt, toLf } from '../../core/index.ts';
import { damagePatterns, downloadPatterns, encodedPatterns } from './code-patterns.ts';
import { compareFindings, showText, type AuditDiagnostic, type AuditPattern } from './diagnostic.ts';
import { hiddenTextPatterns, orderPatterns } from './prompt-patterns.ts';
import { secretPatterns } from './secret-patterns.ts';

/** Findings of one file beyond these are left out: whoever sees twenty needs no more. */
const mostFindings = 20;
/** Findings of one pattern in one file. */
const mostAlike = 5;
/** Places that one pattern looks at closely in one file. */
const mostPlaces = 1_000;

/** What the patterns find in a text, the gravest first. Pure; its cost is linear in the length of the text. */
export function scanText(written: string, file: string): readonly AuditDiagnostic[] {
  const text = toLf(written);
  const joined = text.replace(/\\\n/g, '  '); // one command, however many lines it is written on
  const isProse = /\.(?:md|mdx|markdown|txt|rst|adoc|html?)$/i.test(file);
  const places = new Map<RegExp, readonly Place[]>(); // patterns of several grades share what they look for
  const found = new Map<string, AuditDiagnostic>();
  for (const pattern of patterns) {
    if (pattern.only === (isProse ? 'code' : 'prose')) continue;
    const here = places.get(pattern.find) ?? placesIn(joined, pattern.find);
    places.set(pattern.find, here);
    for (const place of here.filter((one) => isMeant(pattern, one)).slice(0, mostAlike)) {
      const line = lineAt(text, place.index);
      const key = `${pattern.id} ${line}`;
      if (!found.has(key)) found.set(key, findingAt(place, line, pattern, file, isProse));
    }
  }
  return [...found.values()].sort(compareFindings).slice(0, mostFindings);
}

function placesIn(text: string, find: RegExp): readonly Place[] {
  const places: Place[] = [];
  for (const match of text.matchAll(find)) {
    places.push(placeOf(text, match.index, match[0]));
    if (places.length >= mostPlaces) break;
  }
  return places;
}

function isMeant({ within, line, near, unless }: AuditPattern, place: Place): boolean {
  if (within?.test(place.found) === false || line?.test(place.lines) === false) return false;
  return unless?.test(place.lines) !== true && near?.test(place.around) !== false;
}

function findingAt(
  place: Place,
  line: number,
  pattern: AuditPattern,
  file: string,
  isProse: boolean,
): AuditDiagnostic {
  const { id, what, hint } = pattern;
  const severity = isProse && isExample(place) ? 'low' : pattern.severity;
  return { id, severity, file, line, what, text: showText(place.shown), hint };
}

// What a text speaks of that warns of attacks, or teaches how to find them.
const warns =
  /❌|🚫|⛔|\b(?:dangerous|malicious\w*|malware|attack(?:s|er|ers)?|injections?|exploit(?:s|ation)?|vulnerab\w*|unsafe|insecure|red flags?|suspicious|blocklist|denylist|detect(?:s|ed|ion|ing)?|refuse[sd]?|reject(?:s|ed)?|forbidden|prohibited|threats?|jailbreak\w*|phishing|adversar\w*|scans? for|anti-?patterns?|what not to|pentest\w*|red[- ]team\w*|ctf|exfiltration|evil)\b/i;
// What leads to words that somebody else might say.
const tellsOf =
  /\b(?:instructions?|attempts?|requests?|messages?|phrases?|emails?|asks?|asking|tries|trying|says?|saying|like)\s+(?:\w+\s+){0,3}$/i;
const forbids = /\b(?:never|don['’]t|do not|avoid|must not)\b[^.\n]{0,60}$/i;
const quotes = /["“'‘`«]\s*$/;
// A quote that is the whole value of a field, or something to run, is no mention.
const meansIt =
  /(?:^\s*[\w-]+:\s*|\b(?:run|running|execute|type|paste|enter|use|then|with|first)\b[^"“'‘`«]{0,30})["“'‘`«]\s*$/i;

/** Whether prose names something bad as an example: it warns of it, forbids it, or only quotes it. A guess, for the severity; what runs is none. */
function isExample({ before, lines, found, above, isRun }: Place): boolean {
  if (isRun) return false;
  if (warns.test(above) || warns.test(lines.replace(found, ''))) return true;
  if (forbids.test(before) || tellsOf.test(before)) return true;
  return quotes.test(before) && !meansIt.test(before);
}

/** Where a pattern fits, with the text around it; every part is bounded, however long a line is. */
interface Place {
  readonly index: number;
  /** What fits. */
  readonly found: string;
  /** What fits, with a little before it, for people. */
  readonly shown: string;
  /** What stands before it on its line. */
  readonly before: string;
  /** The lines it stands on. */
  readonly lines: string;
  /** Those, and a few lines before and behind. */
  readonly around: string;
  /** The nearest heading, and the few lines directly above. */
  readonly above: string;
  /** Whether it is dynamic context: a command that runs before a model reads the text. */
  readonly isRun: boolean;
}

/** Letters of a line that are looked at before and behind what fits. */
const reach = 500;
const nearLines = 6;
/** Letters before what fits that people are shown. */
const lead = 40;
/** Letters in which a heading is looked for. */
const headingReach = 2_000;

/** The place of something found in a text at an index. */
function placeOf(text: string, index: number, found: string): Place {
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

/** Behind a `` !` `` that is still open, or in a block whose fence is marked with `!`. */
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

/** Everything that is looked for. */
export const patterns: readonly AuditPattern[] = [
  ...downloadPatterns,
  ...encodedPatterns,
  ...secretPatterns,
  ...orderPatterns,
  ...damagePatterns,
  ...hiddenTextPatterns,
];
