import { optional } from '../../../core/index.ts';
import {
  byPosition,
  errorAt,
  warningAt,
  type Declares,
  type PlanLiteral,
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
  lineStart,
  splitLines,
  tagOf,
  visibleStart,
  type FindEnd,
  type Opener,
} from './lines.ts';
import { readDeclaration } from './read-declaration.ts';

/** A parsed script. If it has syntax errors, the plan is incomplete. */
export interface ParsedSop {
  /** The plan, without steps that lack a name or a command. */
  readonly plan: Plan;
  /** The issues, sorted by position. */
  readonly issues: readonly SopIssue[];
}

/** Parses a script in linear time; never throws. */
export function parseSop(script: string, declares: Declares = () => false): ParsedSop {
  const refusal = refuse(script);
  if (refusal !== undefined) return { plan: { steps: [] }, issues: [refusal] };

  const lines = splitLines(script);
  const findEnd = createFindEnd(lines);
  const issues: SopIssue[] = [];
  const steps: PlanStep[] = [];

  let start = findLine(lines, 0, isDeclaration);
  let comment = findComment(lines, start);
  for (const position of findStray(lines, 0, comment, isBlankOrComment)) issues.push(noDeclaration(position));

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
  return { plan: { steps }, issues: issues.sort(byPosition) };
}

function complete(step: PlanStep, texts: readonly PlanLiteral[], comment: string | undefined): PlanStep {
  if (texts.length === 0 && comment === undefined) return step;
  return { ...step, arguments: [...step.arguments, ...texts], ...optional('comment', comment) };
}

const longest = 1_000_000;

function refuse(script: unknown): SopIssue | undefined {
  const start = { line: 1, column: 1 };
  if (typeof script !== 'string')
    return errorAt(start, 'sop.not-text', 'The script is not text.', 'Pass a string.');
  if (script.length <= longest) return undefined;
  return errorAt(
    start,
    'sop.too-long',
    `The script has ${script.length} characters; the maximum is ${longest}.`,
    'Split the script, or move long text into files that a command can read.',
  );
}

function noDeclaration(position: ScriptPosition): SopIssue {
  return errorAt(
    position,
    'sop.no-declaration',
    'This line does not belong to a step.',
    'Start a step, for example "@name command", or a comment, for example "# text".',
  );
}

function isBlankOrComment(line: string): boolean {
  return isBlank(line) || isComment(line);
}

/** Returns the text of comment lines without their `#`, or undefined if it is empty. */
function readComment(lines: readonly string[]): string | undefined {
  const text = lines
    .map((line) => line.slice(visibleStart(line) + 1).trim())
    .join('\n')
    .trim();
  return text === '' ? undefined : text;
}

/** The lines of a step after its first line. */
interface Body {
  /** The blocks of text. Each is an additional argument. */
  readonly texts: readonly PlanLiteral[];
  /** The zero-based line after the body. The next step, or its comment, starts there. */
  readonly end: number;
}

/** Reads the body of a step. `opener` is set if the step's first line starts a block. */
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
    const text = readText(lines, next, end, issues) ?? { kind: 'text', text: '', position: open.position };
    return { texts: [...texts, text], end };
  }
  if (texts.length === 0) {
    const text = readText(lines, next, end, issues);
    return { texts: text === undefined ? [] : [text], end };
  }
  for (const position of findStray(lines, next, end, isBlank)) issues.push(afterHeredoc(position));
  return { texts, end };
}

function openHeredoc({ tag, position }: Opener): SopIssue {
  return errorAt(
    position,
    'sop.open-heredoc',
    `The text after --begin-${tag}-- is never closed.`,
    `Write --end-${tag}-- on its own line after the text.`,
  );
}

function afterHeredoc(position: ScriptPosition): SopIssue {
  return errorAt(
    position,
    'sop.after-heredoc',
    'This line does not belong to a step: a block between tags can be followed only by another block.',
    'Move the line between the tags, or start a step, for example "@name command".',
  );
}

/** The blocks of text after the first line of a step. */
interface Heredocs {
  readonly texts: readonly PlanLiteral[];
  /** The zero-based line after the last complete block. */
  readonly next: number;
  /** The opener of the last block, if its end tag is missing. */
  readonly open?: Opener;
}

/** Reads the blocks of text in order. `opener` is set if the step's first line starts the first block. */
function readHeredocs(
  lines: readonly string[],
  from: number,
  opener: Opener | undefined,
  findEnd: FindEnd,
): Heredocs {
  const texts: PlanLiteral[] = [];
  let next = from;
  for (let open = opener ?? openerAt(lines, next); open !== undefined; open = openerAt(lines, next)) {
    // The one-based number of the opener's line is the zero-based number of the next line.
    const start = open.position.line;
    const end = findEnd(open.tag, start);
    if (end === undefined) return { texts, next, open };
    texts.push({ kind: 'text', text: lines.slice(start, end).join('\n'), position: open.position });
    next = end + 1;
  }
  return { texts, next };
}

/**
 * Returns the opener in the next line that is not blank. Returns undefined if that line contains no opener.
 */
function openerAt(lines: readonly string[], from: number): Opener | undefined {
  const index = findLine(lines, from, (line) => !isBlank(line));
  const tag = tagOf((lines[index] ?? '').trim(), 'begin');
  return tag === undefined ? undefined : { tag, position: lineStart(lines, index) };
}

/**
 * Joins lines into a string without blank lines at the start and the end. Returns undefined if all lines are
 * blank.
 */
function readText(
  lines: readonly string[],
  from: number,
  to: number,
  issues: SopIssue[],
): PlanLiteral | undefined {
  let [start, end] = [from, to];
  while (start < end && isBlank(lines[start] ?? '')) start++;
  while (start < end && isBlank(lines[end - 1] ?? '')) end--;
  if (start === end) return undefined;

  const taken = lines.slice(start, end);
  const position = lineStart(lines, start);
  if (taken.every((line) => isBlank(line) || isComment(line))) {
    issues.push(
      warningAt(
        position,
        'sop.comment-in-text',
        'This line is passed to the step above it as text.',
        'Put the comment directly above a step, or after a step on the same line.',
      ),
    );
  }
  return { kind: 'text', text: taken.join('\n'), position };
}
