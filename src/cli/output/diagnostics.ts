import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { isJsonObject, optional, type ErrorData, type Issue, type JsonObject } from '../../core/index.ts';
import { describeIssue } from '../../doctor/report.ts';
import type { Invocation } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { pasteable, pasteableLines, shellWord } from './command-text.ts';
import { oneLine, wrapWords } from './text.ts';

/** Formats an error for stderr: the message, its other lines, and the hint about the next step. */
export function errorText({ message, hint = '' }: ErrorData, terminal: Terminal): string {
  const [first = '', ...more] = message.trim().split('\n').map(oneLine);
  const columns = terminal.live?.screen().columns;
  if (columns !== undefined) {
    const look = { width: columns - 1, indent: '  ' };
    const head = wrapWords(`error: ${first}`, look.width, look.indent);
    const below = [...more, oneLine(hint)].filter((line) => line !== '');
    const lines = [...head, ...below.flatMap((line) => pasteableLines(line, terminal, look))];
    return lines.map((line) => `${line}\n`).join('');
  }
  const below = [...more, pasteable(oneLine(hint), terminal)].filter((line) => line !== '');
  return [`error: ${first}`, ...below.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
}

/**
 * Adds the command for the next step to an error's hint, because the library does not know the commands of
 * the CLI. With `--safe`, also explains why few skills are available. Uses only the error's code and details.
 * Pure.
 */
export function withHint(error: ErrorData, isSafe = false): ErrorData {
  const { code, hint = '' } = error;
  const details = isJsonObject(error.details) ? error.details : {};
  const { skill, limit } = details;
  if (code === 'usage.bad-input' && typeof skill === 'string')
    return { ...error, hint: `${hint} \`skilled show ${shellWord(skill)}\` shows its input.`.trim() };
  if (details['planLimit'] === 'commands')
    return { ...error, hint: 'Run the plan with --max-commands <number>, or shorten the plan or its lists.' };
  if (code.startsWith('limit.') && typeof limit === 'string')
    return { ...error, hint: `${hint} \`skilled config explain limits.${limit}\` shows how.` };
  if (code.startsWith('model.')) return { ...error, ...optional('hint', modelHint(error, details)) };
  if (code === 'skill.not-found' && Array.isArray(details['near']) && details['file'] === undefined)
    return { ...error, hint: notFoundHint(hint, details['near'].length > 0, isSafe) };
  return error;
}

/** Returns a hint that includes how to check a model, unless the hint already names a next step. */
function modelHint(
  { code, hint }: ErrorData,
  { offline, configured, near, key }: JsonObject,
): string | undefined {
  if (offline === true)
    return 'Leave out --offline, or see which setting causes it: `skilled config explain offline`';
  const isComplete = configured === false || key !== undefined || (Array.isArray(near) && near.length > 0);
  if (hint === undefined || isComplete) return hint;
  if (code === 'model.not-found')
    return `${hint} To try one: \`skilled models --check --model <provider>/<model>\``;
  const isChecked = code === 'model.denied' || code === 'model.unavailable';
  return isChecked ? `${hint} To try it: \`skilled models --check\`` : hint;
}

function notFoundHint(hint: string, hasNear: boolean, isSafe: boolean): string {
  const all = isSafe
    ? 'With --safe, only bundled skills and skills from --skills <dir> folders are used.'
    : '`skilled list` shows all skills.';
  return hasNear ? `${hint} ${all}` : all;
}

/** Prints issues in settings to stderr, one per line. Prints nothing with `--quiet`. */
export function printIssues(
  issues: readonly Issue[],
  { flags, terminal }: Pick<Invocation, 'flags' | 'terminal'>,
): void {
  if (flags.quiet) return;
  for (const issue of issues) terminal.err(`${pasteable(oneLine(describeIssue(issue)), terminal)}\n`);
}

/**
 * Warns on stderr about deny and ask rules that match nothing, because a misspelt rule protects nothing, and
 * about deprecated setting names.
 */
export function sayRuleIssues(
  agent: Pick<RecursiveSkilledAgent, 'skills'>,
  invocation: Pick<Invocation, 'flags' | 'terminal'>,
): void {
  const ofRules = ['rule.unmatched', 'settings.renamed'];
  printIssues(
    agent.skills.diagnostics().filter(({ code }) => ofRules.includes(code)),
    invocation,
  );
}

/**
 * Returns the issues about names in a descriptor's lists that match no skill or tool. Finding them requires
 * all skills, so they are among the agent's diagnostics, not the descriptor's own issues.
 */
export function unknownSkillIssues(diagnostics: readonly Issue[], file: string): readonly Issue[] {
  return diagnostics.filter(({ code, file: of }) => unknownNames.has(code) && of === file);
}

const unknownNames: ReadonlySet<string> = new Set([
  'list.unknown-skill',
  'list.unknown-tool',
  'list.unavailable-tool',
]);
