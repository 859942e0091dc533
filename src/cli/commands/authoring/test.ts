import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative, resolve } from 'node:path';
import { readSettings, settingsSources } from '../../../config/read/settings.ts';
import { AgentError, exitCodeOf, optional, reasonOf, type Skill } from '../../../core/index.ts';
import type { CaseFault, Eval, TrialGround } from '../../../evals/eval.ts';
import { buildExampleCase } from '../../../evals/example.ts';
import { findTrials, placeOfTrials, type ReadTrials } from '../../../evals/find-evals.ts';
import { buildJunit } from '../../../evals/junit.ts';
import { runTrials } from '../../../evals/run-eval.ts';
import {
  chosenModels,
  modelFlags,
  modelFlagsHelp,
  oneLine,
  openAgent,
  pasteable,
  printJson,
  shellWord,
  textFlag,
  type CliCommand,
  type CommonFlags,
  type Invocation,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { placeOf, prepareStore } from '../../runs/run-store.ts';
import { faultLines, resultLines, summaryLine, testDocument } from './test-report.ts';

/** `skilled test`: runs the cases that lie beside skills; exit 3 when one fails or a file of them is wrong. */
export const test: CliCommand = {
  summary: 'Run the cases that lie beside skills, in tests/*.yaml.',
  usage: `Usage: skilled test [skill...] [--filter <text>] [flags]
       skilled test --example <skill>

Without a name, the cases of every skill of the project run. Each case has an agent, a
workspace, a store and a database of its own: nothing of the project is changed. What needs
an approval that neither the case nor the skill's trust gives makes the case fail.

  skilled test --example opening-hours > skills/opening-hours/tests/cases.yaml
  skilled test opening-hours --bail

  --filter <text>       only cases in whose name, or whose skill's, this text stands
  --bail                begin no other case once one has failed
  --keep                keep the runs in the project's store, for skilled trace
  --record              ask the configured models, and write the recordings anew
  --junit <file>        also write the results as JUnit XML
  --example             print a first case for a skill
  --yes                 allow once whatever is asked about
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
  mostWords: Infinity,
  async run(invocation) {
    const { flags, own, words, terminal } = invocation;
    await using agent = await openAgent(flags);
    if (own['example'] === true) return showExample(agent, invocation);
    const { trials, faults } = collectTrials(agent, words, textFlag(own, 'filter'));
    if (own['keep'] === true && trials.length > 0) await prepareStore(invocation);
    using interrupt = onInterrupt();
    const isPlain = !flags.json;
    if (isPlain) terminal.out(faultLines(faults, invocation));
    const results = await runTrials(trials, trialGround(invocation, interrupt.signal), {
      lanes: availableParallelism(),
      bail: own['bail'] === true,
      onResult: (result) => {
        if (isPlain) terminal.out(resultLines(result, invocation));
      },
    });
    const junit = textFlag(own, 'junit');
    if (junit !== undefined) writeReport(resolve(flags.cwd, junit), buildJunit(results, faults));
    const isFound = trials.length > 0 || faults.length > 0;
    if (!isPlain) printJson(terminal, testDocument(results, faults, invocation));
    else if (!flags.quiet)
      terminal.err(isFound ? summaryLine(results, faults, trials.length) : noTrials(agent, invocation));
    if (interrupt.signal.aborted) return exitCodeOf('usage.cancelled');
    return faults.length === 0 && results.every(({ ok }) => ok) ? 0 : 3;
  },
};

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    throw new AgentError('usage.bad-input', `The report cannot be written: ${reasonOf(thrown)}.`, {
      hint: 'Check --junit.',
      cause: thrown,
    });
  }
}

/** What is said where nothing is to be run, with the next step. */
function noTrials(agent: RecursiveSkilledAgent, { words, own, flags, terminal }: Invocation): string {
  const filter = textFlag(own, 'filter');
  if (filter !== undefined) return `There is no case with "${oneLine(filter)}" in its name.\n`;
  const [skill] = skillsToTest(agent, words);
  if (skill === undefined || skill.dir === '')
    return 'There are no skills with files here, so there are no cases.\n';
  const file = relative(flags.cwd, placeOfTrials(skill)) || placeOfTrials(skill);
  const example = `\`skilled test --example ${shellWord(skill.name)}\`\n`;
  return pasteable(`There are no cases yet. Write a first one into ${oneLine(file)}: ${example}`, terminal);
}

/** The cases of these skills, or of all that the project has, with this text in the name of the case or the skill. */
function collectTrials(agent: RecursiveSkilledAgent, names: readonly string[], filter = ''): ReadTrials {
  const trials: Eval[] = [];
  const faults: CaseFault[] = [];
  for (const skill of skillsToTest(agent, names)) {
    const found = findTrials(skill);
    const reached = [skill.name, ...skill.aliases].find((word) => agent.skills.get(word) === skill);
    trials.push(...found.trials.map((trial) => ({ ...trial, skill: reached ?? skill.name })));
    faults.push(...found.faults);
  }
  const isMeant = ({ skill, name }: Eval): boolean => `${skill} ${name}`.includes(filter);
  return { trials: trials.filter(isMeant), faults };
}

/** The named skills, from wherever they come, else those of the project and of named folders. */
function skillsToTest(agent: RecursiveSkilledAgent, names: readonly string[]): readonly Skill[] {
  if (names.length > 0)
    return [...new Set(names.map((name) => agent.skills.resolve(name.replace(/^\//, ''))))];
  const isOwn = ({ source, dir }: Skill): boolean =>
    dir !== '' && (source === 'project' || source === 'explicit');
  return agent.skills.list().filter((skill) => isOwn(skill) && skill.status !== 'shadowed');
}

/** Prints a first case for the skill that is named, and where it belongs. */
function showExample(agent: RecursiveSkilledAgent, { words, flags, terminal }: Invocation): number {
  const [name, ...more] = words;
  if (name === undefined || more.length > 0)
    throw new AgentError('usage.bad-input', '--example needs the name of one skill.', {
      hint: 'Write `skilled test --example <skill>`.',
    });
  const skill = agent.skills.resolve(name.replace(/^\//, ''));
  const text = buildExampleCase(skill);
  const file = placeOfTrials(skill);
  if (flags.json) {
    printJson(terminal, { ok: true, skill: skill.name, file, text });
    return 0;
  }
  terminal.out(text);
  if (!flags.quiet && skill.dir !== '') terminal.err(`It belongs into ${oneLine(file)}\n`);
  return 0;
}

/** What the cases of a command stand on: the roots and settings of its flags, as for any other command. */
function trialGround(invocation: Invocation, signal: AbortSignal): TrialGround {
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
    ...optional('store', own['keep'] === true ? placeOf(flags).where : undefined),
    ...optional('records', own['record'] === true ? chosenModels(invocation) : undefined),
    signal,
  };
}

function decisionOf({ yes, safe }: CommonFlags): TrialGround['decides'] {
  if (yes) return 'allow';
  return safe ? 'deny' : undefined;
}
