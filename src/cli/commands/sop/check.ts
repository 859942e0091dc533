import { AgentError, type Skill } from '../../../core/index.ts';
import { count } from '../../../doctor/report.ts';
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

/** All that is wrong with plans, which do not run; exit 3 when one of them could not. */
export async function checkScripts({ flags, words, terminal }: Invocation): Promise<number> {
  const scripts: ScriptFile[] = [];
  for (const file of mustBeReadable(words)) scripts.push(await readScript(file, flags.cwd));
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
    const word = file.isSound ? paint('valid  ', 'green', terminal) : paint('invalid', 'red', terminal);
    terminal.out(`${word}  ${oneLine(file.file)}  ${count(file.steps.length, 'step')}\n`);
    for (const line of issueLines(file, terminal)) terminal.out(`  ${line}\n`);
  }
  if (!flags.quiet) terminal.err(`${summary(files)}\n`);
  return ok ? 0 : 3;
}

function mustBeReadable(words: readonly string[]): readonly string[] {
  mustName(words, 'check');
  if (words.filter((word) => word === '-').length < 2) return words;
  throw new AgentError('usage.bad-input', 'stdin can be read once.', { hint: 'Leave out one -.' });
}

function summary(files: readonly CheckedFile[]): string {
  const valid = files.filter(({ isSound }) => isSound).length;
  const warnings = files.flatMap(({ issues }) => issues.filter(({ level }) => level === 'warning')).length;
  const more = warnings === 0 ? '' : `, ${count(warnings, 'warning')}`;
  return `${valid} valid, ${files.length - valid} invalid${more}.`;
}

/** A script and all that is to be said of it. */
export interface CheckedFile {
  readonly file: string;
  readonly steps: readonly ResolvedStep[];
  readonly issues: readonly SopIssue[];
  /** Whether it can run. */
  readonly isSound: boolean;
}

/** Holds a script against the skills of an agent. */
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

/** A skill that is there and lacks something is not unknown, and whoever seeks another can have them listed. */
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

/** Finds the skill that the command at a place names. */
function skillsBy(
  { skills }: RecursiveSkilledAgent,
  steps: readonly ResolvedStep[],
): (place: SopIssue) => Skill | undefined {
  const commands = new Map(
    steps.map(({ command, commandPlace: { line, column } }) => [`${line}:${column}`, command]),
  );
  return ({ line, column }) => skills.get(commands.get(`${line}:${column}`) ?? '');
}

/** The skills of an agent that can be called, as the commands of a plan that a person wrote; for looking only, none of them runs. */
function agentCommands({ skills }: RecursiveSkilledAgent): CommandIndex {
  return {
    find(name): SopCommand | undefined {
      if (isBasicCommand(name)) return undefined; // as when it runs
      const skill = skills.get(name); // one that is shadowed is found by its qualified name alone
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

/** Says on stderr what was found in a script; with `--quiet` only what keeps it from running. */
export function sayIssues({ file, issues }: Findings, { flags, terminal }: Invocation): void {
  const said = issues.filter(({ level }) => level === 'error' || !flags.quiet);
  for (const line of issueLines({ file, issues: said }, terminal)) terminal.err(`${line}\n`);
}

/** What is to be said of places in a file. */
interface Findings {
  readonly file: string;
  readonly issues: readonly Omit<SopIssue, 'code'>[];
}

/** The findings of a script, each on a line that editors can follow: file, line, column, level, what, and what to do. */
function issueLines({ file, issues }: Findings, terminal: Terminal): readonly string[] {
  return issues.map(({ line, column, level, message, hint = '' }) => {
    const word = paint(level, level === 'error' ? 'red' : 'yellow', terminal);
    return `${oneLine(file)}:${line}:${column}: ${word}: ${pasteable(oneLine(`${message} ${hint}`), terminal)}`;
  });
}
