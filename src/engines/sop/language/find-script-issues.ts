import { didYouMean, optional, type GivenText, type Issue } from '../../../core/index.ts';
import { basicCommands, type Declares, type PlanStep, type SopIssue } from '../index.ts';
import { parseSop } from './parse-sop.ts';

/** The skills that a descriptor allows, or what else its script may call. */
export interface AllowedNames {
  has(command: string): boolean;
  readonly names: readonly string[];
  /** What they are. Default `skills`. */
  readonly what?: 'skills' | 'tools';
}

/** What can be told of the script in a descriptor when it is loaded: its syntax, and skills that it must not call. */
export function findScriptIssues({ text, line }: GivenText, allowed?: AllowedNames): readonly Issue[] {
  const before = line - 1;
  const syntax = findSyntaxIssues(text).map((issue) => badSyntax(issue, before));
  if (allowed === undefined) return syntax;
  const strangers = parseSop(text)
    .plan.steps.filter(({ command }) => !basicNames.has(command) && !allowed.has(command))
    .map((step) => unknownSkill(step, allowed, before));
  return [...syntax, ...strangers].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
}

function badSyntax({ level, message, hint, line, column }: SopIssue, before: number): Issue {
  return {
    level,
    code: 'script.syntax',
    message: `Column ${column}: ${message}`,
    line: before + line,
    ...optional('hint', hint),
  };
}

function unknownSkill(
  { command, commandPlace }: PlanStep,
  { names, what = 'skills' }: AllowedNames,
  before: number,
): Issue {
  return {
    level: 'warning',
    code: 'script.unknown-skill',
    message: `The script calls "${command}", which is not among the allowed ${what}.`,
    line: before + commandPlace.line,
    hint: didYouMean(command, names) ?? `Allow the ${what.slice(0, -1)}, or call another one.`,
  };
}

const basicNames: ReadonlySet<string> = new Set(basicCommands.map(({ name }) => name));

/** Which arguments have names is not known yet, so only what is wrong either way counts. */
function findSyntaxIssues(script: string): readonly SopIssue[] {
  const issuesWith = (declares: Declares): readonly SopIssue[] => parseSop(script, declares).issues;
  const keyOf = ({ code, line }: SopIssue): string => `${code}:${line}`;
  const withNames = new Set(issuesWith(() => true).map(keyOf));
  return issuesWith(() => false).filter((issue) => withNames.has(keyOf(issue)));
}
