import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { readSettings, settingsSources } from '../../../config/read/settings.ts';
import { AgentError, exitCodeOf, optional, reasonOf, type Issue, type Skill } from '../../../core/index.ts';
import type { EvalFault, Eval, EvalContext } from '../../../evals/eval.ts';
import { buildExampleEval } from '../../../evals/example.ts';
import { findEvals, evalFileFor, type FoundEvals } from '../../../evals/find-evals.ts';
import { buildJunit } from '../../../evals/junit.ts';
import { runEvals } from '../../../evals/run-eval.ts';
import {
  chosenModels,
  fitRows,
  modelFlags,
  modelFlagsHelp,
  oneLine,
  openAgent,
  pasteable,
  printIssues,
  printJson,
  shellWord,
  textFlag,
  type CliCommand,
  type CommonFlags,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { storeLocation, prepareStore } from '../../runs/run-store.ts';
import { faultLines, resultLines, summaryLine, testDocument } from './test-report.ts';

/** `skilled test`: runs the tests of skills. Exits with 3 if a test fails or a test file has errors. */
export const test: CliCommand = {
  summary: 'Run skill tests from the tests/*.yaml files next to each skill.',
  usage: `Usage: skilled test [skill...] [--filter <text>] [flags]
       skilled test --example <skill>

Without a name, runs the tests of every skill of the project. Each test has its own agent,
workspace, store and database, so nothing in the project changes. A test fails if something
needs an approval that neither the test nor trust in the skill gives.

  skilled test --example opening-hours > skills/opening-hours/tests/cases.yaml
  skilled test opening-hours --bail

  --filter <text>       only tests whose name or skill name contains this text
  --bail                start no more tests after the first failure
  --keep                keep the runs in the project's store, for skilled trace
  --record              call the configured models and write new recordings
  --junit <file>        also write the results as JUnit XML
  --example             print a first test for a skill
  --yes                 allow once whatever needs approval
${modelFlagsHelp}`,
  options: {
    filter: { type: 'string' },
    bail: { type: 'boolean' },
    keep: { type: 'boolean' },
    record: { type: 'boolean' },
    junit: { type: 'string' },
    example: { type: 'boolean' },
    ...modelFlags,
  },
  maxArgs: Infinity,
  async run(invocation) {
    const { flags, own, args, terminal } = invocation;
    await using agent = await openAgent(flags);
    if (own['example'] === true) return showExample(agent, invocation);
    const { evals, faults, warnings } = collectEvals(agent, args, textFlag(own, 'filter'));
    printIssues(warnings, invocation);
    if (own['keep'] === true && evals.length > 0) await prepareStore(invocation);
    using interrupt = onInterrupt();
    const isPlain = !flags.json;
    if (isPlain) terminal.out(fitRows(faultLines(faults, invocation), terminal));
    const results = await runEvals(evals, createEvalContext(invocation, interrupt.signal), {
      lanes: availableParallelism(),
      bail: own['bail'] === true,
      onResult: (result) => {
        if (isPlain) terminal.out(fitRows(resultLines(result, invocation), terminal));
      },
    });
    const junit = textFlag(own, 'junit');
    if (junit !== undefined) writeReport(resolve(flags.cwd, junit), buildJunit(results, faults));
    const isFound = evals.length > 0 || faults.length > 0;
    if (!isPlain) printJson(terminal, testDocument(results, faults, invocation));
    else if (!flags.quiet)
      terminal.err(isFound ? summaryLine(results, faults, evals.length) : noEvalsMessage(agent, invocation));
    if (interrupt.signal.aborted) return exitCodeOf('usage.cancelled');
    return faults.length === 0 && results.every(({ ok }) => ok) ? 0 : 3;
  },
};

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    throw new AgentError('usage.bad-input', `Cannot write the report: ${reasonOf(thrown)}.`, {
      hint: 'Check the --junit path.',
      cause: thrown,
    });
  }
}

/** Explains why no tests were run and suggests the next step. */
function noEvalsMessage(agent: RecursiveSkilledAgent, { args, own, flags, terminal }: Invocation): string {
  const filter = textFlag(own, 'filter');
  if (filter !== undefined) return `No test has "${oneLine(filter)}" in its name.\n`;
  const [skill] = skillsToTest(agent, args);
  if (skill === undefined || skill.dir === '') return 'No skills here have files, so there are no tests.\n';
  const file = relative(flags.cwd, evalFileFor(skill)) || evalFileFor(skill);
  const example = `\`skilled test --example ${shellWord(skill.name)}\`\n`;
  return pasteable(`No tests yet. Write a first one to ${oneLine(file)}: ${example}`, terminal);
}

/**
 * Returns the tests of the named skills or, without names, of all skills in the project. With a filter, the
 * name of the test or skill must contain the filter text.
 */
function collectEvals(agent: RecursiveSkilledAgent, names: readonly string[], filter = ''): FoundEvals {
  const evals: Eval[] = [];
  const faults: EvalFault[] = [];
  const warnings: Issue[] = [];
  for (const skill of skillsToTest(agent, names)) {
    const found = findEvals(skill);
    const reached = [skill.name, ...skill.aliases].find((candidate) => agent.skills.get(candidate) === skill);
    evals.push(...found.evals.map((evaluation) => ({ ...evaluation, skill: reached ?? skill.name })));
    faults.push(...found.faults);
    warnings.push(...found.warnings);
  }
  const isMeant = ({ skill, name }: Eval): boolean => `${skill} ${name}`.includes(filter);
  return { evals: evals.filter(isMeant), faults, warnings };
}

/** Returns the named skills or, without names, all skills in the project and in `--skills` folders. */
function skillsToTest(agent: RecursiveSkilledAgent, names: readonly string[]): readonly Skill[] {
  if (names.length > 0)
    return [...new Set(names.map((name) => agent.skills.resolve(name.replace(/^\//, ''))))];
  const isOwn = ({ source, dir }: Skill): boolean =>
    dir !== '' && (source === 'project' || source === 'explicit');
  return agent.skills.list().filter((skill) => isOwn(skill) && skill.status !== 'shadowed');
}

/** Prints an example test for the named skill, and the path of the file to save it in. */
function showExample(agent: RecursiveSkilledAgent, { args, flags, terminal }: Invocation): number {
  const [name, ...more] = args;
  if (name === undefined || more.length > 0)
    throw new AgentError('usage.bad-input', '--example needs exactly one skill name.', {
      hint: 'Run `skilled test --example <skill>`.',
    });
  const skill = agent.skills.resolve(name.replace(/^\//, ''));
  const text = buildExampleEval(skill);
  const file = evalFileFor(skill);
  if (flags.json) {
    printJson(terminal, { ok: true, skill: skill.name, file, text });
    return 0;
  }
  terminal.out(text);
  if (!flags.quiet && skill.dir !== '') terminal.err(`Save it as ${oneLine(file)}\n`);
  return 0;
}

/**
 * Creates the context in which a command runs tests. The roots and settings come from the command's flags, as
 * for any other command.
 */
function createEvalContext(invocation: Invocation, signal: AbortSignal): EvalContext {
  const { flags, own } = invocation;
  const { cwd, safe, skills, only } = flags;
  const { settings } = readSettings(settingsSources(cwd, { isSafe: safe }));
  return {
    folder: cwd,
    roots: {
      ...(safe ? {} : { startDir: cwd }),
      additionalSkillRoots: skills,
      only,
      userRoots: !safe,
    },
    settings,
    ...optional('decides', decisionOf(flags)),
    ...optional('store', own['keep'] === true ? storeLocation(flags).where : undefined),
    ...optional('records', own['record'] === true ? chosenModels(invocation) : undefined),
    signal,
  };
}

function decisionOf({ yes, safe }: CommonFlags): EvalContext['decides'] {
  if (yes) return 'allow';
  return safe ? 'deny' : undefined;
}
