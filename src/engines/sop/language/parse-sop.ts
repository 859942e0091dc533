import { optional } from '../../../core/index.ts';
import {
  byPlace,
  errorAt,
  warningAt,
  type Declares,
  type Literal,
  type Plan,
  type PlanStep,
  type ScriptPosition,
  type SopIssue,
} from '../index.ts';
import {
  createFindEnd,
  findComment,
  findLine,
  findStray,
  isBlank,
  isComment,
  isDeclaration,
  placeOfLine,
  splitLines,
  tagOf,
  type FindEnd,
  type Opener,
} from './lines.ts';
import { readDeclaration } from './read-declaration.ts';

/** What a script says, as far as it can be read. */
export interface ParsedSop {
  /** Without the steps that have no name or no command. */
  readonly plan: Plan;
  /** In the order of their places. */
  readonly issues: readonly SopIssue[];
}

/** Reads a script; never throws, in time that grows with its length and no faster. */
export function parseSop(script: string, declares: Declares = () => false): ParsedSop {
  const refusal = refuse(script);
  if (refusal !== undefined) return { plan: { steps: [] }, issues: [refusal] };

  const lines = splitLines(script);
  const findEnd = createFindEnd(lines);
  const issues: SopIssue[] = [];
  const steps: PlanStep[] = [];

  let start = findLine(lines, 0, isDeclaration);
  let comment = findComment(lines, start);
  for (const place of findStray(lines, 0, comment, isBlankOrComment)) issues.push(noDeclaration(place));

  while (start < lines.length) {
    const { step, opener, inlineComment } = readDeclaration(lines, start, declares, issues);
    const body = readBody(lines, start + 1, opener, findEnd, issues);
    if (step.name !== '' && step.command !== '') {
      const above = lines.slice(comment, start);
      steps.push(complete(step, body.texts, readComment([...above, inlineComment])));
    }
    comment = body.end;
    start = findLine(lines, comment, isDeclaration);
  }
  return { plan: { steps }, issues: issues.sort(byPlace) };
}

function complete(step: PlanStep, texts: readonly Literal[], comment: string | undefined): PlanStep {
  if (texts.length === 0 && comment === undefined) return step;
  return { ...step, arguments: [...step.arguments, ...texts], ...optional('comment', comment) };
}

const longest = 1_000_000;

function refuse(script: unknown): SopIssue | undefined {
  const start = { line: 1, column: 1 };
  if (typeof script !== 'string')
    return errorAt(start, 'sop.not-text', 'The script is not text.', 'Give a string.');
  if (script.length <= longest) return undefined;
  return errorAt(
    start,
    'sop.too-long',
    `The script has ${script.length} characters; ${longest} are allowed.`,
    'Divide it, or keep long texts elsewhere and have a command read them.',
  );
}

function noDeclaration(place: ScriptPosition): SopIssue {
  return errorAt(
    place,
    'sop.no-declaration',
    'This belongs to no step.',
    'Begin a step with it, as in "@name command", or a comment, as in "# …".',
  );
}

function isBlankOrComment(line: string): boolean {
  return isBlank(line) || isComment(line);
}

/** The lines without their `#`; nothing where they say nothing. */
function readComment(lines: readonly string[]): string | undefined {
  const text = lines
    .map((line) => line.trim().slice(1).trim())
    .join('\n')
    .trim();
  return text === '' ? undefined : text;
}

/** What a step has behind its first line. */
interface Body {
  /** Each is one more argument. */
  readonly texts: readonly Literal[];
  /** The line behind it, counted from 0: the next step or its comment. */
  readonly end: number;
}

/** Reads all up to the next step; `opener` is that of the first line. */
function readBody(
  lines: readonly string[],
  from: number,
  opener: Opener | undefined,
  findEnd: FindEnd,
  issues: SopIssue[],
): Body {
  const { texts, next, open } = readHeredocs(lines, from, opener, findEnd);
  const end = findComment(lines, findLine(lines, next, isDeclaration));
  if (open !== undefined) {
    issues.push(openHeredoc(open));
    const text = readText(lines, next, end, issues) ?? { kind: 'text', text: '', place: open.place };
    return { texts: [...texts, text], end };
  }
  if (texts.length === 0) {
    const text = readText(lines, next, end, issues);
    return { texts: text === undefined ? [] : [text], end };
  }
  for (const place of findStray(lines, next, end, isBlank)) issues.push(afterHeredoc(place));
  return { texts, end };
}

function openHeredoc({ tag, place }: Opener): SopIssue {
  return errorAt(
    place,
    'sop.open-heredoc',
    `The text that --begin-${tag}-- begins has no end.`,
    `Write --end-${tag}-- on a line of its own behind it.`,
  );
}

function afterHeredoc(place: ScriptPosition): SopIssue {
  return errorAt(
    place,
    'sop.after-heredoc',
    'This belongs to no step: only another text between tags may follow one.',
    'Move it between the tags, or begin a step with it: "@name command".',
  );
}

/** The texts between tags that follow the first line of a step. */
interface Heredocs {
  readonly texts: readonly Literal[];
  /** The line behind them, counted from 0. */
  readonly next: number;
  /** The one that has no end, behind those that have. */
  readonly open?: Opener;
}

/** Reads them one after another; `opener` is that of the first line. */
function readHeredocs(
  lines: readonly string[],
  from: number,
  opener: Opener | undefined,
  findEnd: FindEnd,
): Heredocs {
  const texts: Literal[] = [];
  let next = from;
  for (let open = opener ?? openerAt(lines, next); open !== undefined; open = openerAt(lines, next)) {
    const start = open.place.line; // the line behind it, since these are counted from 0 here
    const end = findEnd(open.tag, start);
    if (end === undefined) return { texts, next, open };
    texts.push({ kind: 'text', text: lines.slice(start, end).join('\n'), place: open.place });
    next = end + 1;
  }
  return { texts, next };
}

/** The opener that is the first thing to follow. */
function openerAt(lines: readonly string[], from: number): Opener | undefined {
  const index = findLine(lines, from, (line) => !isBlank(line));
  const tag = tagOf((lines[index] ?? '').trim(), 'begin');
  return tag === undefined ? undefined : { tag, place: placeOfLine(lines, index) };
}

/** The lines from one to another as a text without blank lines at its ends; none where all are blank. */
function readText(
  lines: readonly string[],
  from: number,
  to: number,
  issues: SopIssue[],
): Literal | undefined {
  let [start, end] = [from, to];
  while (start < end && isBlank(lines[start] ?? '')) start++;
  while (start < end && isBlank(lines[end - 1] ?? '')) end--;
  if (start === end) return undefined;

  const taken = lines.slice(start, end);
  const place = placeOfLine(lines, start);
  if (taken.every((line) => isBlank(line) || isComment(line))) {
    issues.push(
      warningAt(
        place,
        'sop.comment-in-text',
        'The comment is an argument of the step above it.',
        'Put it directly above a step, or behind one on its line.',
      ),
    );
  }
  return { kind: 'text', text: taken.join('\n'), place };
}
