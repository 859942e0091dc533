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
import { findRun, readRunArg } from '../../runs/run-id.ts';
import { mustExist } from '../../runs/run-store.ts';
import { knowsSkill, unknownSkill } from '../../runs/preconditions.ts';
import { onInterrupt } from '../../runs/interrupt.ts';
import { printOutcome } from '../../runs/print-outcome.ts';

/** `skilled rerun`: starts a new run that repeats an earlier run's request. */
export const rerun: CliCommand = {
  summary: 'Repeat an earlier run, from the start or from a specific call.',
  usage: `Usage: skilled rerun <run> [--from <frame>] [flags]

Starts a new run with the same skill, input, session and limits. "last" is the newest run.

  skilled rerun r_5f0c --from summary

  --from <frame>        reuse the calls that ended before this call; a frame's id, the
                        start of one, or the name of a skill that was called once
  --stream              with --json: every event as a line of JSON, as it happens
${modelFlagsHelp}`,
  options: { from: { type: 'string' }, stream: { type: 'boolean' }, ...modelFlags },
  maxArgs: 1,
  async run(invocation) {
    const { flags, own, args } = invocation;
    const runArg = readRunArg(args);
    mustStream(invocation);
    await using agent = await openAgent(flags, {
      ...chosenModels(invocation),
      store: await mustExist(flags, runArg),
      retentionDays: 0,
    });
    const earlier = await findRun(agent, runArg);
    const from = typeof own['from'] === 'string' ? await frameOf(agent, earlier.id, own['from']) : undefined;
    if (!knowsSkill(agent, earlier)) throw unknownSkill(earlier, 'rerun');
    using interrupt = onInterrupt();
    const run = agent.runs.rerun(earlier.id, { signal: interrupt.signal, ...optional('from', from) });
    return await printOutcome({ agent, invocation, interrupt, run });
  },
};

/**
 * Finds the frame that an argument identifies by an id prefix or a skill's name. If none or several match,
 * throws `usage.not-found` with a list of frames.
 */
async function frameOf(agent: RecursiveSkilledAgent, runId: string, idOrSkill: string): Promise<string> {
  const events = await agent.runs.events(runId);
  const frames = events.filter((event) => event.type === 'frame.started');
  const byId = frames.filter(({ frameId }) => frameId.startsWith(idOrSkill));
  const found = byId.length > 0 ? byId : frames.filter(({ skill }) => skill === idOrSkill);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first.frameId;
  const fault = first === undefined ? `has no frame ${idOrSkill}` : `has several frames ${idOrSkill}`;
  const listed = (first === undefined ? frames : found).slice(0, 10);
  throw new AgentError('usage.not-found', `Run ${runId} ${fault}.`, {
    hint: `Use one of ${listed.map(({ frameId, skill }) => `${frameId} (${skill})`).join(', ')}.`,
  });
}
