import { AgentError, optional } from '../../../core/index.ts';
import {
  chosenModels,
  modelFlags,
  modelFlagsHelp,
  mustStream,
  openAgent,
  type CliCommand,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { findRun, runWord } from '../../runs/run-id.ts';
import { mustExist } from '../../runs/run-store.ts';
import { knowsSkill, unknownSkill } from '../../runs/preconditions.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { printOutcome } from '../../runs/print-outcome.ts';

/** `skilled rerun`: a new run with the request of an earlier one. */
export const rerun: CliCommand = {
  summary: 'Run anew what an earlier run did, all of it or from one call on.',
  usage: `Usage: skilled rerun <run> [--from <frame>] [flags]

It is a new run with the same skill, input, session and limits. "last" is the newest run.

  skilled rerun r_5f0c --from summary

  --from <frame>        reuse what had ended before this call began; a frame's id, its
                        beginning, or the name of a skill that was called once
  --stream              with --json: every event as a line of JSON, as it happens
${modelFlagsHelp}`,
  options: { from: { type: 'string' }, stream: { type: 'boolean' }, ...modelFlags },
  mostWords: 1,
  async run(invocation) {
    const { flags, own, words } = invocation;
    const word = runWord(words);
    mustStream(invocation);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store: await mustExist(flags, word),
      retentionDays: 0,
    });
    const earlier = await findRun(agent, word);
    const from = typeof own['from'] === 'string' ? await frameOf(agent, earlier.id, own['from']) : undefined;
    if (!knowsSkill(agent, earlier)) throw unknownSkill(earlier, 'rerun');
    using interrupt = onInterrupt();
    const run = agent.runs.rerun(earlier.id, { signal: interrupt.signal, ...optional('from', from) });
    return await printOutcome({ agent, invocation, interrupt, run });
  },
};

/** The one frame that a word stands for; throws `usage.not-found` with those that there are. */
async function frameOf(agent: RecursiveSkilledAgent, runId: string, word: string): Promise<string> {
  const events = await agent.runs.events(runId);
  const frames = events.filter((event) => event.type === 'frame.started');
  const byId = frames.filter(({ frameId }) => frameId.startsWith(word));
  const found = byId.length > 0 ? byId : frames.filter(({ skill }) => skill === word);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first.frameId;
  const fault = first === undefined ? `has no frame ${word}` : `has several frames ${word}`;
  const listed = (first === undefined ? frames : found).slice(0, 10);
  throw new AgentError('usage.not-found', `Run ${runId} ${fault}.`, {
    hint: `Name one of ${listed.map(({ frameId, skill }) => `${frameId} (${skill})`).join(', ')}.`,
  });
}
