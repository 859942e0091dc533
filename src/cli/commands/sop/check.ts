import { AgentError, counted, type Skill } from '../../../core/index.ts';
import { checkSop } from '../../../engines/sop/check/check-sop.ts';
import type { ResolvedStep } from '../../../engines/sop/check/resolve-step.ts';
import {
  isBasicCommand,
  type CommandIndex,
  type SopCommand,
  type SopIssue,
} from '../../../engines/sop/index.ts';
import { signatureOf } from '../../../engines/sop/session/skill-commands.ts';
import {
  fitRows,
  oneLine,
  openAgent,
  paint,
  pasteable,
  printJson,
  statusText,
  type Invocation,
  type Terminal,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { mustName, readScript, type ScriptFile } from './script.ts';

/** Prints all issues in plans without running them. Exits with 3 if any plan cannot run. */
export async function checkScripts({ flags, args, terminal }: Invocation): Promise<number> {
  const scripts: ScriptFile[] = [];
  for (const file of mustBeReadable(args)) scripts.push(await readScript(file, flags.cwd));
  await using agent = await openAgent(flags);
  const files = scripts.map((script) => checkScript(agent, script, true));
  const ok = files.every(({ isSound }) => isSound);
  if (flags.json) {
    printJson(terminal, {
      ok,
      files: files.map(({ file, steps, issues }) => ({ file, steps: steps.length, issues })),
    });
    return ok ? 0 : 3;
  }
  for (const file of files) {
    const label = file.isSound ? paint('valid  ', 'green', terminal) : paint('invalid', 'red', terminal);
    terminal.out(`${label}  ${oneLine(file.file)}  ${counted(file.steps.length, 'step')}\n`);
    for (const line of issueLines(file, terminal)) terminal.out(fitRows(`  ${line}\n`, terminal));
  }
  if (!flags.quiet) terminal.err(`${summary(files)}\n`);
  return ok ? 0 : 3;
}

function mustBeReadable(args: readonly string[]): readonly string[] {
  mustName(args, 'check');
  if (args.filter((arg) => arg === '-').length < 2) return args;
  throw new AgentError('usage.bad-input', 'stdin can only be read once.', { hint: 'Leave out one -.' });
}

function summary(files: readonly CheckedFile[]): string {
  const valid = files.filter(({ isSound }) => isSound).length;
  const warnings = files.flatMap(({ issues }) => issues.filter(({ level }) => level === 'warning')).length;
  const more = warnings === 0 ? '' : `, ${counted(warnings, 'warning')}`;
  return `${valid} valid, ${files.length - valid} invalid${more}.`;
}

/** A script and its issues. */
export interface CheckedFile {
  readonly file: string;
  readonly steps: readonly ResolvedStep[];
  readonly issues: readonly SopIssue[];
  /** Whether the script can run. */
  readonly isSound: boolean;
}

/** Checks a script against the skills of an agent. */
export function checkScript(
  agent: RecursiveSkilledAgent,
  { file, text, issue }: ScriptFile,
  hasInput: boolean,
): CheckedFile {
  if (issue !== undefined) return { file, steps: [], issues: [issue], isSound: false };
  const { steps, issues, plan } = checkSop(text, agentCommands(agent), { hasInput });
  const skillAt = skillsBy(agent, steps);
  return {
    file,
    steps,
    issues: issues.map((one) => explain(one, skillAt(one))),
    isSound: plan !== undefined,
  };
}

/**
 * Adds details to an issue. An existing but unavailable skill is not reported as unknown. For all other
 * unknown names, suggests `skilled list`.
 */
function explain(issue: SopIssue, skill: Skill | undefined): SopIssue {
  const { code, details } = issue;
  if (code !== 'sop.unknown-command') return issue;
  if (skill === undefined)
    return details?.['known'] === undefined ? issue : { ...issue, hint: 'List the skills: `skilled list`' };
  return {
    ...issue,
    message: `"${skill.name}" cannot be used here: ${statusText(skill)}.`,
    hint: `See what it needs: \`skilled show ${skill.name}\``,
  };
}

/** Returns a function that finds the skill of the command at an issue's position. */
function skillsBy(
  { skills }: RecursiveSkilledAgent,
  steps: readonly ResolvedStep[],
): (issue: SopIssue) => Skill | undefined {
  const commands = new Map(
    steps.map(({ command, commandPosition: { line, column } }) => [`${line}:${column}`, command]),
  );
  return ({ line, column }) => skills.get(commands.get(`${line}:${column}`) ?? '');
}

/**
 * Returns an agent's skills as commands for checking a plan that a user wrote. The commands do nothing when
 * they run.
 */
function agentCommands({ skills }: RecursiveSkilledAgent): CommandIndex {
  return {
    find(name): SopCommand | undefined {
      // In a running plan, the name of a basic command never refers to a skill.
      if (isBasicCommand(name)) return undefined;
      const skill = skills.get(name); // A shadowed skill can be found only by its qualified name.
      const isUsable = skill?.status === 'ready' || skill?.status === 'shadowed';
      return isUsable ? { ...signatureOf(skill), run: () => undefined } : undefined;
    },
    names: () =>
      skills
        .list()
        .filter(({ status }) => status === 'ready')
        .map(({ name }) => name),
  };
}

/** Prints a script's issues to stderr. Prints only errors with `--quiet`. */
export function sayIssues({ file, issues }: FileIssues, { flags, terminal }: Invocation): void {
  const said = issues.filter(({ level }) => level === 'error' || !flags.quiet);
  for (const line of issueLines({ file, issues: said }, terminal)) terminal.err(`${line}\n`);
}

/** A file and the issues found in it, each with its position. */
interface FileIssues {
  readonly file: string;
  readonly issues: readonly Omit<SopIssue, 'code'>[];
}

/**
 * Formats a script's issues, one per line: file, line, column, level, message, hint. Editors can parse this
 * format.
 */
function issueLines({ file, issues }: FileIssues, terminal: Terminal): readonly string[] {
  return issues.map(({ line, column, level, message, hint = '' }) => {
    const label = paint(level, level === 'error' ? 'red' : 'yellow', terminal);
    return `${oneLine(file)}:${line}:${column}: ${label}: ${pasteable(oneLine(`${message} ${hint}`), terminal)}`;
  });
}
