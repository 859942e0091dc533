import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { isJsonObject, optional, type ErrorData, type Issue, type JsonObject } from '../../core/index.ts';
import { describeIssue } from '../../doctor/report.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { pasteable, shellWord } from './command-text.ts';
import { oneLine } from './text.ts';

/** A failure for stderr: what happened, and below it what more there is to say of it, and the next step. */
export function errorText({ message, hint = '' }: ErrorData, terminal: Terminal): string {
  const [first = '', ...more] = message.trim().split('\n').map(oneLine);
  const below = [...more, pasteable(oneLine(hint), terminal)].filter((line) => line !== '');
  return [`error: ${first}`, ...below.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
}

/**
 * Adds the next command to the hint of an error, which the library cannot know; with `--safe`, also why so few skills
 * are there. What to add follows from the code and the details. Pure.
 */
export function withHint(error: ErrorData, isSafe = false): ErrorData {
  const { code, hint = '' } = error;
  const details = isJsonObject(error.details) ? error.details : {};
  const { skill, limit } = details;
  if (code === 'usage.bad-input' && typeof skill === 'string')
    return { ...error, hint: `${hint} \`skilled show ${shellWord(skill)}\` tells what it takes.`.trim() };
  if (details['planLimit'] === 'commands')
    return { ...error, hint: 'Run it with --max-commands <number>, or make the plan or its lists shorter.' };
  if (code.startsWith('limit.') && typeof limit === 'string')
    return { ...error, hint: `${hint} \`skilled config explain limits.${limit}\` tells how.` };
  if (code.startsWith('model.')) return { ...error, ...optional('hint', modelHint(error, details)) };
  if (code === 'skill.not-found' && Array.isArray(details['near']) && details['file'] === undefined)
    return { ...error, hint: notFoundHint(hint, details['near'].length > 0, isSafe) };
  return error;
}

/** How to see whether a model answers, unless the hint already leads further. */
function modelHint(
  { code, hint }: ErrorData,
  { offline, configured, near, key }: JsonObject,
): string | undefined {
  if (offline === true)
    return 'Leave out --offline, or see what else says so: `skilled config explain offline`';
  const isComplete = configured === false || key !== undefined || (Array.isArray(near) && near.length > 0);
  if (hint === undefined || isComplete) return hint;
  if (code === 'model.not-found')
    return `${hint} To try one: \`skilled models --check --model <provider>/<model>\``;
  const isChecked = code === 'model.denied' || code === 'model.unavailable';
  return isChecked ? `${hint} To try it: \`skilled models --check\`` : hint;
}

function notFoundHint(hint: string, hasNear: boolean, isSafe: boolean): string {
  const all = isSafe
    ? 'With --safe only bundled skills and the folders of --skills <dir> are there.'
    : '`skilled list` shows all skills.';
  return hasNear ? `${hint} ${all}` : all;
}

/** Says on stderr what is wrong with settings, a line for each finding; nothing with `--quiet`. */
export function sayFindings(
  issues: readonly Issue[],
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): void {
  if (flags.quiet) return;
  for (const issue of issues) terminal.err(`${pasteable(oneLine(describeIssue(issue)), terminal)}\n`);
}

/** Says on stderr which rules that deny or ask mean nothing that is registered: misspelt, they protect from nothing. */
export function sayUnmatchedRules(
  agent: Pick<RecursiveSkilledAgent, 'skills'>,
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
): void {
  const unmatched = agent.skills.diagnostics().filter(({ code }) => code === 'rule.unmatched');
  sayFindings(unmatched, invocation);
}

/** Names on the lists of a descriptor that lead to no skill. Only all skills together tell, so they are among the diagnostics and not among its own findings. */
export function listFindings(diagnostics: readonly Issue[], file: string): readonly Issue[] {
  return diagnostics.filter((issue) => issue.code === 'list.unknown-skill' && issue.file === file);
}
