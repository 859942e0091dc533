import type { Given } from '../../core/headed-values.ts';
import type { Issue } from '../../core/issue.ts';
import { didYouMean } from '../../core/names.ts';
import { basicCommands } from './basic-commands.ts';
import { parseSop } from './parse-sop.ts';
import type { Declares } from './plan.ts';
import type { SopIssue } from './sop-issue.ts';

/** The skills that a descriptor allows. */
export interface AllowedNames {
  has(command: string): boolean;
  readonly names: readonly string[];
}

/** What can be told of the script in a descriptor when it is loaded: its syntax, and skills that it must not call. */
export function findScriptIssues(script: Given, allowed?: AllowedNames): readonly Issue[] {
  const syntax = findSyntaxIssues(script.text).map(({ level, message, hint, line, column }) => ({
    ...{ level, code: 'script.syntax' as const, message: `Column ${column}: ${message}` },
    ...(hint === undefined ? {} : { hint }),
    line: script.line + line - 1,
  }));
  if (allowed === undefined) return syntax;
  const strangers = parseSop(script.text).plan.steps.filter(
    ({ command }) => !basicNames.has(command) && !allowed.has(command),
  );
  const unknown = strangers.map(({ command, commandPlace }) => ({
    ...{ level: 'warning' as const, code: 'script.unknown-skill' as const },
    message: `The script calls "${command}", which is not among the allowed skills.`,
    hint: didYouMean(command, allowed.names) ?? 'Allow the skill, or call another one.',
    line: script.line + commandPlace.line - 1,
  }));
  return [...syntax, ...unknown].sort((one, other) => one.line - other.line);
}

const basicNames: ReadonlySet<string> = new Set(basicCommands.map(({ name }) => name));

/** Which arguments have names is not known yet, so only what is wrong either way counts. */
function findSyntaxIssues(script: string): readonly SopIssue[] {
  const issuesWith = (declares: Declares): readonly SopIssue[] => parseSop(script, declares).issues;
  const keyOf = ({ code, line }: SopIssue): string => `${code}:${line}`;
  const withNames = new Set(issuesWith(() => true).map(keyOf));
  return issuesWith(() => false).filter((issue) => withNames.has(keyOf(issue)));
}
