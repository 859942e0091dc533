import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { AgentError, exitCodeOf, reasonOf } from '../../core/error.ts';
import { buildJunit } from '../../evals/junit.ts';
import { runTrials } from '../../evals/run-eval.ts';
import type { Command } from '../command.ts';
import { modelFlags, modelFlagsHelp } from '../model-flags.ts';
import { openAgent } from '../open-agent.ts';
import { printJson } from '../output/json.ts';
import { prepareStore } from '../run-store.ts';
import { onInterrupt } from '../running/interrupt.ts';
import { textFlag } from '../text-flag.ts';
import { collectTrials } from './test/collect-trials.ts';
import { noTrials } from './test/no-trials.ts';
import { faultLines, resultLines, summaryLine } from './test/result-lines.ts';
import { showExample } from './test/show-example.ts';
import { testDocument } from './test/test-document.ts';
import { trialGround } from './test/trial-ground.ts';

/** `skilled test`: runs the cases that lie beside skills; exit 3 when one fails or a file of them is wrong. */
export const test: Command = {
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
