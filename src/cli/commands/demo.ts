import { foldRun } from '../../views/run-tree.ts';
import type { RunTree } from '../../views/run-node.ts';
import type { Command, Invocation } from '../command.ts';
import { mustBeFolder } from '../must-be-folder.ts';
import { pasteable } from '../output/pasteable.ts';
import { printWhole } from '../output/print-whole.ts';
import { oneLine } from '../output/text.ts';
import { drawTree } from '../output/tree.ts';
import { shellWord } from '../shell-word.ts';
import { wholeNumber } from '../whole-number.ts';
import { readRecording } from './demo/read-recording.ts';
import { replay } from './demo/replay.ts';
import { headOf } from './trace/head.ts';
import { mustBeOneView, printView } from './trace/print-view.ts';

const usualSpeed = 4;

/** `skilled demo`: shows a recorded run as it was seen, from the log that comes with the package. */
export const demo: Command = {
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
