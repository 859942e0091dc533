import { optional } from '../../../core/collections.ts';
import { findComment, findLine, findStray } from './find-lines.ts';
import { createFindEnd } from './heredoc.ts';
import { isBlank, isComment, isDeclaration } from './line-kind.ts';
import type { Declares, Literal, Place, Plan, PlanStep } from '../plan.ts';
import { readBody } from './read-body.ts';
import { readDeclaration } from './read-declaration.ts';
import { byPlace, errorAt, type SopIssue } from '../sop-issue.ts';
import { splitLines } from './split-lines.ts';

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

function noDeclaration(place: Place): SopIssue {
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
