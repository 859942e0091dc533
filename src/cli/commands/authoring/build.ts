import {
  AgentError,
  familyOf,
  optional,
  type RunEvent,
  type RunLimits,
  type RunResult,
  type Skill,
} from '../../../core/index.ts';
import {
  chosenModels,
  limitFlags,
  limitFlagsHelp,
  limitsOf,
  modelFlags,
  modelFlagsHelp,
  oneLine,
  openAgent,
  pasteable,
  printJson,
  roleFlags,
  roleFlagsHelp,
  rolesOf,
  withHint,
  type CliCommand,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { exitCodeFor } from '../../runs/print-outcome.ts';
import { waitingLines } from '../../runs/questions.ts';
import { shortId } from '../../runs/run-id.ts';
import { placeOf, prepareStore } from '../../runs/run-store.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { watchRun, type RunOutcome } from '../../runs/watch-run.ts';

/** `skilled build`: makes what skills are made of, such as code of specs, one skill after the other; the exit code is that of the first failure. */
export const build: CliCommand = {
  summary: 'Make what skills are made of: code of specs.',
  usage: `Usage: skilled build [skill...] [--force] [flags]

Only what is not up to date is made. Without a name, every skill is built that is made
of something. What fails leaves the old code in its place. Limits are those of each skill.

  skilled build csv-stats --force

  --force               make everything again, also what is up to date, failed before or
                        was edited by hand
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: { force: { type: 'boolean' }, ...roleFlags, ...limitFlags, ...modelFlags },
  mostWords: Infinity,
  async run(invocation) {
    const { flags, words, terminal } = invocation;
    const limits = limitsOf(invocation.own);
    const { where: store, retentionDays } = placeOf(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      ...optional('retentionDays', retentionDays),
    });
    const skills = skillsToBuild(agent, words);
    if (skills.length > 0) await prepareStore(invocation);
    const results: RunResult[] = [];
    for (const skill of skills) {
      const { result, isInterrupted } = await buildSkill(agent, invocation, { skill, limits });
      results.push(result);
      if (!isInterrupted) continue;
      await agent.shutdown({ drainMs: 0 }); // nobody waits for what goes on beside it
      break;
    }
    if (flags.json) printJson(terminal, documentOf(results, invocation));
    else if (skills.length === 0 && !flags.quiet) terminal.err(pasteable(nothingToBuild(agent), terminal));
    return results.map(exitCodeFor).find((code) => code !== 0) ?? 0;
  },
};

function documentOf(results: readonly RunResult[], { flags }: Invocation): object {
  const shown = results.map(({ error, ...result }) => ({
    ...result,
    ...optional('error', error && withHint(error, flags.safe)),
  }));
  return { ok: results.every(({ ok }) => ok), results: shown };
}

/** Builds one skill in a run of its own and tells what it came to: a line on stdout, the rest on stderr. */
async function buildSkill(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  { skill, limits }: { readonly skill: Skill; readonly limits: Partial<RunLimits> },
): Promise<RunOutcome> {
  const { flags, own, terminal } = invocation;
  const { name, aliases } = skill;
  const called = [name, ...aliases].find((word) => agent.skills.get(word) === skill) ?? name;
  const roles = rolesOf(invocation);
  const input = own['force'] === true ? { force: true } : {};
  using interrupt = onInterrupt();
  const { signal } = interrupt;
  const run = agent.run({
    skill: called,
    through: 'build',
    input,
    limits,
    signal,
    ...optional('roles', roles),
  });
  const isPlain = !flags.json && !flags.quiet && terminal.live === undefined;
  const hear = (event: RunEvent): void => {
    if (isPlain && event.type === 'note.added')
      terminal.err(`${pasteable(oneLine(`${name}: ${event.message}`), terminal)}\n`);
  };
  const seen = await watchRun({ agent, invocation, interrupt, run, hear });
  if (flags.json) return seen;
  terminal.out(`${lineOf(name, seen.result)}\n`);
  for (const line of flags.quiet ? [] : linesBelow(seen, invocation)) terminal.err(`${line}\n`);
  return seen;
}

function lineOf(name: string, { ok, status, text, error }: RunResult): string {
  if (ok) return oneLine(text.startsWith(name) ? text : `${name}: ${text}`);
  return oneLine(`${name}: ${error === undefined ? status : `${status}: ${error.message}`}`);
}

/** The next step where there is one to take. */
function linesBelow({ result, tree }: RunOutcome, invocation: Invocation): readonly string[] {
  const { error, runId, status } = result;
  if (error === undefined) return status === 'waiting' ? waitingLines(runId, tree.questions, invocation) : [];
  const hint = error.hint === undefined ? [] : [`  ${pasteable(oneLine(error.hint), invocation.terminal)}`];
  const trace = `  What happened: \`skilled trace ${shortId(runId)}\``;
  return tree.runId === '' ? hint : [...hint, pasteable(trace, invocation.terminal)];
}

/** That no skill is made of anything, and how to write one that can be, in lines. */
function nothingToBuild({ families }: RecursiveSkilledAgent): string {
  const able = families.find(
    ({ generation, authoring }) => generation?.build !== undefined && authoring?.template !== undefined,
  );
  const none = 'There is nothing to build: no skill here is made of specs, such as specs/index.md.';
  if (able === undefined) return `${none}\n`;
  return `${none}\n  Write one: \`skilled new ${able.id} <name>\`\n`;
}

/** The skills that are named, or all that are made of something; throws where a name leads to none, or to one that is not made of anything. */
function skillsToBuild(agent: RecursiveSkilledAgent, names: readonly string[]): readonly Skill[] {
  if (names.length > 0) return [...new Set(names.map((name) => named(agent, name)))];
  return agent.skills.list().filter((skill) => skill.status === 'ready' && isMade(agent, skill));
}

function named(agent: RecursiveSkilledAgent, name: string): Skill {
  const skill = agent.skills.resolve(name.replace(/^\//, ''));
  const family = familyOf(agent.families, skill);
  if (family?.generation?.build !== undefined) return skill;
  const label = family?.label ?? skill.family;
  throw new AgentError('usage.bad-input', `"${skill.name}" (${label}) is not built of anything.`, {
    hint: 'Run it as it is, or build another skill.',
  });
}

/** What a person wrote as it is, or has not written yet, is not made of anything. */
function isMade(agent: RecursiveSkilledAgent, skill: Skill): boolean {
  if (familyOf(agent.families, skill)?.generation?.build === undefined) return false;
  const status = agent.inspect(skill)?.status ?? 'own';
  return status !== 'own' && status !== 'missing';
}
