import { didYouMean, optional, type GivenText, type Issue } from '../../../core/index.ts';
import { basicCommands, type Declares, type PlanStep, type SopIssue } from '../index.ts';
import { parseSop } from './parse-sop.ts';

/** The skills or tools that a descriptor allows its script to call. */
export interface AllowedNames {
  has(command: string): boolean;
  readonly names: readonly string[];
  /** Whether the names refer to skills or tools. Default: `skills`. */
  readonly what?: 'skills' | 'tools';
}

/**
 * Finds issues in a descriptor's script that are known when the skill is loaded: syntax errors, and calls to
 * skills that the descriptor does not allow.
 */
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
  { command, commandPosition }: PlanStep,
  { names, what = 'skills' }: AllowedNames,
  before: number,
): Issue {
  return {
    level: 'warning',
    code: 'script.unknown-skill',
    message: `The script calls "${command}", which is not among the allowed ${what}.`,
    line: before + commandPosition.line,
    hint: didYouMean(command, names) ?? `Allow the ${what.slice(0, -1)}, or call a different one.`,
  };
}

const basicNames: ReadonlySet<string> = new Set(basicCommands.map(({ name }) => name));

/**
 * Finds syntax issues. Without the commands, it is not known which arguments are named, so the script is
 * parsed once with named arguments and once without. Only issues that occur both times are returned.
 */
function findSyntaxIssues(script: string): readonly SopIssue[] {
  const issuesWith = (declares: Declares): readonly SopIssue[] => parseSop(script, declares).issues;
  const keyOf = ({ code, line }: SopIssue): string => `${code}:${line}`;
  const withNames = new Set(issuesWith(() => true).map(keyOf));
  return issuesWith(() => false).filter((issue) => withNames.has(keyOf(issue)));
}
