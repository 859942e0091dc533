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

/** `skilled demo`: shows a recorded run as it was seen, from the log that comes with the package. */
export const demo: CliCommand = {
  summary: 'Watch a recorded run: no key, no network, nothing is written.',
  usage: `Usage: skilled demo [--speed <number>] [--trace | --why | --timeline | --events] [--json]

An orchestrator takes in a bicycle: it calls a table, a code skill, agent skills and a
subagent, asks a person twice and needs one approval. The skills really ran when it was
recorded; what the models say in it was written for it.

  skilled demo
  skilled demo --timeline

  --speed <number>  how many times as fast as it was; 4 unless given, 1 as it was,
                    0 at once. Where no tree can be drawn it is always at once
  --trace           its tree, as "skilled trace" draws it
  --why             what was decided in it, and why
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
    'This is a recording: no model is asked, nothing runs and nothing is written.',
    'The skills in it really ran; what its models say was written for it.',
    `$ skilled run ${shellWord(oneLine(prompt))}`,
  ];
}

/** What `skilled run` prints at the end, and where to look next. */
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
  'That was the recording. `skilled demo --trace` looks closer; so do --timeline, --why and --events.',
  'Make a skill of your own: `skilled new skill <name>`',
];

function say({ flags, terminal }: Invocation, lines: readonly string[]): void {
  if (!flags.quiet) terminal.err(lines.map((line) => `${line}\n`).join(''));
}

/** The log that comes with the package, made by scripts/make-demo-log.js; its events are believed as they are. */
export function readRecording(): readonly RunEvent[] {
  const file = join(ownPackage().root, 'assets', 'demo.jsonl');
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as RunEvent);
  } catch (thrown) {
    throw new AgentError('usage.not-found', `The recording cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'It comes with the package: install skilled again.',
      cause: thrown,
    });
  }
}

/** Shows a log as `skilled run` showed its run, so many times as fast; returns at once where there is nothing to watch. */
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
    const said = wordsAt(event, fold.tree, terminal);
    if (said.length > 0) terminal.err(said.map((line) => `${line}\n`).join(''));
    fold.add(event);
    view.see(event, fold.tree);
  }
}

/** What stood on the terminal between trees: questions when the run waits for them, and what was typed. */
function wordsAt(event: RunEvent, { questions }: RunTree, terminal: Terminal): readonly string[] {
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
