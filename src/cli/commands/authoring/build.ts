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
  userOf,
  withHint,
  type CliCommand,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { exitCodeFor } from '../../runs/print-outcome.ts';
import { waitingLines } from '../../runs/questions.ts';
import { shortId } from '../../runs/run-id.ts';
import { storeLocation, prepareStore } from '../../runs/run-store.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { watchRun, type RunOutcome } from '../../runs/watch-run.ts';

/**
 * `skilled build`: generates skills' files, such as code from specs, one skill at a time. Returns the exit
 * code of the first failure.
 */
export const build: CliCommand = {
  summary: 'Generate code for skills that have specs.',
  usage: `Usage: skilled build [skill...] [--force] [flags]

Generates only what is out of date. Without a name, builds every skill that has specs.
If generation fails, the old code stays. Limits apply to each skill.

  skilled build csv-stats --force

  --force               generate everything again, including what is up to date, failed
                        before or was edited by hand
${roleFlagsHelp}
${limitFlagsHelp}
${modelFlagsHelp}`,
  options: { force: { type: 'boolean' }, ...roleFlags, ...limitFlags, ...modelFlags },
  maxArgs: Infinity,
  async run(invocation) {
    const { flags, args, terminal } = invocation;
    const limits = limitsOf(invocation.own);
    const { where: store, retentionDays } = storeLocation(flags);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store,
      ...optional('retentionDays', retentionDays),
    });
    const skills = skillsToBuild(agent, args);
    if (skills.length > 0) await prepareStore(invocation);
    const results: RunResult[] = [];
    for (const skill of skills) {
      const { result, isInterrupted } = await buildSkill(agent, invocation, { skill, limits });
      results.push(result);
      if (!isInterrupted) continue;
      await agent.shutdown({ drainMs: 0 }); // Exit without waiting for the agent's other work.
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

/** Builds one skill in its own run and prints the outcome: one line to stdout, the rest to stderr. */
async function buildSkill(
  agent: RecursiveSkilledAgent,
  invocation: Invocation,
  { skill, limits }: { readonly skill: Skill; readonly limits: Partial<RunLimits> },
): Promise<RunOutcome> {
  const { flags, own, terminal } = invocation;
  const { name, aliases } = skill;
  const called = [name, ...aliases].find((candidate) => agent.skills.get(candidate) === skill) ?? name;
  const user = userOf(invocation);
  const input = own['force'] === true ? { force: true } : {};
  using interrupt = onInterrupt();
  const { signal } = interrupt;
  const run = agent.run({
    skill: called,
    mode: 'build',
    input,
    limits,
    signal,
    ...optional('user', user),
  });
  const isPlain = !flags.json && !flags.quiet && terminal.live === undefined;
  const hear = (event: RunEvent): void => {
    if (isPlain && event.type === 'note.added')
      terminal.err(`${pasteable(oneLine(`${name}: ${event.message}`), terminal)}\n`);
  };
  const outcome = await watchRun({ agent, invocation, interrupt, run, hear });
  if (flags.json) return outcome;
  terminal.out(`${lineOf(name, outcome.result)}\n`);
  for (const line of flags.quiet ? [] : linesBelow(outcome, invocation)) terminal.err(`${line}\n`);
  return outcome;
}

function lineOf(name: string, { ok, status, text, error }: RunResult): string {
  if (ok) return oneLine(text.startsWith(name) ? text : `${name}: ${text}`);
  return oneLine(`${name}: ${error === undefined ? status : `${status}: ${error.message}`}`);
}

/** Returns the lines to print below a skill's outcome: hints about the next step, if any. */
function linesBelow({ result, tree }: RunOutcome, invocation: Invocation): readonly string[] {
  const { error, runId, status } = result;
  if (error === undefined) return status === 'waiting' ? waitingLines(runId, tree.questions, invocation) : [];
  const hint = error.hint === undefined ? [] : [`  ${pasteable(oneLine(error.hint), invocation.terminal)}`];
  const trace = `  What happened: \`skilled trace ${shortId(runId)}\``;
  return tree.runId === '' ? hint : [...hint, pasteable(trace, invocation.terminal)];
}

/** Returns a message saying that there is nothing to build and how to create a skill that can be built. */
function nothingToBuild({ families }: RecursiveSkilledAgent): string {
  const able = families.find(
    ({ generation, authoring }) => generation?.build !== undefined && authoring?.template !== undefined,
  );
  const none = 'Nothing to build: no skill here has specs, such as specs/index.md.';
  if (able === undefined) return `${none}\n`;
  return `${none}\n  Create one: \`skilled new ${able.id} <name>\`\n`;
}

/**
 * Returns the named skills or, without names, all generated skills. Throws if a name matches no skill, or if
 * the skill's family generates no code.
 */
function skillsToBuild(agent: RecursiveSkilledAgent, names: readonly string[]): readonly Skill[] {
  if (names.length > 0) return [...new Set(names.map((name) => named(agent, name)))];
  return agent.skills.list().filter((skill) => skill.status === 'ready' && isGenerated(agent, skill));
}

function named(agent: RecursiveSkilledAgent, name: string): Skill {
  const skill = agent.skills.resolve(name.replace(/^\//, ''));
  const family = familyOf(agent.families, skill);
  if (family?.generation?.build !== undefined) return skill;
  const label = family?.label ?? skill.family;
  throw new AgentError('usage.bad-input', `"${skill.name}" (${label}) has nothing to build.`, {
    hint: 'Run this skill as it is, or build another skill.',
  });
}

/** Whether a skill's code is generated. False if the code is handwritten or does not exist yet. */
function isGenerated(agent: RecursiveSkilledAgent, skill: Skill): boolean {
  if (familyOf(agent.families, skill)?.generation?.build === undefined) return false;
  const status = agent.inspect(skill)?.status ?? 'own';
  return status !== 'own' && status !== 'missing';
}
