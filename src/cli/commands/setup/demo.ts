import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownPackage } from '../../../config/program.ts';
import { AgentError, pause, reasonOf, type Approval, type Json, type RunEvent } from '../../../core/index.ts';
import { createRunFold, foldRun, type RunTree } from '../../../views/index.ts';
import {
  drawTree,
  headOf,
  mustBeFolder,
  mustBeOneView,
  oneLine,
  pasteable,
  printView,
  printWhole,
  shellWord,
  wholeNumber,
  type CliCommand,
  type Invocation,
  type Terminal,
} from '../../command-kit.ts';
import { questionLines } from '../../runs/questions.ts';
import { createRunView } from '../../runs/run-view.ts';

const usualSpeed = 4;

/** `skilled demo`: replays a recorded run from the log included in the package. */
export const demo: CliCommand = {
  summary: 'Watch a recorded run. It needs no key or network and writes nothing.',
  usage: `Usage: skilled demo [--speed <number>] [--trace | --why | --timeline | --events] [--json]

An orchestrator takes in a bicycle for repair: it calls a table, a code skill, agent
skills and a subagent, asks two questions and needs one approval. The skills really ran
during the recording; the output of the models was written for it.

  skilled demo
  skilled demo --timeline

  --speed <number>  playback speed; default 4, 1 is the original speed, 0 is instant.
                    Always instant if no tree can be drawn
  --trace           the tree, as "skilled trace" draws it
  --why             the decisions, and why
  --timeline        where the time went, call by call
  --events          every event as a line of JSON`,
  options: {
    speed: { type: 'string' },
    trace: { type: 'boolean' },
    why: { type: 'boolean' },
    timeline: { type: 'boolean' },
    events: { type: 'boolean' },
  },
  async run(invocation) {
    const { flags, own } = invocation;
    const speed = wholeNumber(own, 'speed') ?? usualSpeed;
    mustBeOneView(own, views);
    mustBeFolder(flags.cwd, '--cwd');
    const events = readRecording();
    const tree = foldRun(events);
    if (!flags.json) say(invocation, beginning(tree));
    if (flags.json || views.some((view) => own[view] === true)) printView(events, 'done', invocation);
    else {
      await replay(events, invocation, speed);
      conclude(tree, invocation);
    }
    return 0;
  },
};

const views = ['trace', 'why', 'timeline', 'events'] as const;

function beginning({ prompt = '' }: RunTree): readonly string[] {
  return [
    'This is a recording: no model is called, nothing runs and nothing is written.',
    'The skills in it really ran; the output of the models was written for it.',
    `$ skilled run ${shellWord(oneLine(prompt))}`,
  ];
}

/** Prints the same final output as `skilled run`, and suggests commands to try next. */
function conclude(tree: RunTree, invocation: Invocation): void {
  const { terminal } = invocation;
  const now = tree.updatedAt;
  say(invocation, drawTree(tree, { now, width: terminal.live?.screen().columns, terminal }));
  printWhole(tree.output?.text ?? '', terminal);
  say(invocation, [
    headOf(tree, 'done', now, terminal),
    ...lookCloser.map((line) => pasteable(line, terminal)),
  ]);
}

const lookCloser = [
  'End of the recording. For details, run `skilled demo --trace`, or use --timeline, --why or --events.',
  'Create your own skill: `skilled new skill <name>`',
];

function say({ flags, terminal }: Invocation, lines: readonly string[]): void {
  if (!flags.quiet) terminal.err(lines.map((line) => `${line}\n`).join(''));
}

/** Reads the package's recorded log, created by scripts/make-demo-log.js. Does not validate the events. */
export function readRecording(): readonly RunEvent[] {
  const file = join(ownPackage().root, 'assets', 'demo.jsonl');
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as RunEvent);
  } catch (thrown) {
    throw new AgentError('usage.not-found', `Cannot read the recording: ${reasonOf(thrown)}.`, {
      hint: 'The recording is part of the package. Reinstall skilled.',
      cause: thrown,
    });
  }
}

/**
 * Replays a log in the live view of `skilled run`, at `speed` times the original speed. Returns immediately
 * at speed 0, with `--quiet`, or without a live view.
 */
async function replay(events: readonly RunEvent[], invocation: Invocation, speed: number): Promise<void> {
  const { flags, terminal } = invocation;
  if (speed === 0 || flags.quiet || terminal.live === undefined) return;
  const begun = Date.now();
  const recorded = events[0]?.at ?? begun;
  const now = (): number => recorded + (Date.now() - begun) * speed;
  using view = createRunView(invocation, now);
  const fold = createRunFold();
  for (const event of events) {
    const early = (event.at - now()) / speed;
    if (early > 0) await pause(early);
    const said = describeEvent(event, fold.tree, terminal);
    if (said.length > 0) terminal.err(said.map((line) => `${line}\n`).join(''));
    fold.add(event);
    view.see(event, fold.tree);
  }
}

/**
 * Returns the lines to print for an event: the questions that the run is waiting on, or the answer to one of
 * them.
 */
function describeEvent(event: RunEvent, { questions }: RunTree, terminal: Terminal): readonly string[] {
  switch (event.type) {
    case 'run.waiting':
      return questions.flatMap((question) => questionLines(question, terminal));
    case 'input.resolved':
      return [`> ${answerText(event.answer)}`];
    case 'approval.resolved':
      return [`> ${decisionText(event.answer)}`];
    default:
      return [];
  }
}

function answerText(answer: Json): string {
  return oneLine(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

function decisionText(answer: Approval): string {
  return 'deny' in answer ? `n: ${oneLine(answer.deny)}` : 'y';
}
