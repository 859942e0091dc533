import { checkSop } from '../src/engines/sop/check/check-sop.ts';
import type { SopCommand } from '../src/engines/sop/command.ts';
import { parseSop } from '../src/engines/sop/language/parse-sop.ts';
import { runSop } from '../src/engines/sop/execute/run-sop.ts';
import { createVirtualClock } from '../test/sop/virtual-clock.ts';
import { createRandom, type Random } from '../test/support/random.ts';
import { alternate, type Row, type Timing } from './measure.ts';

const graphs = 200;
const manySteps = 10_000;

/**
 * Compares the duration of plans with that of their longest chain of steps, both with this engine and when
 * plans run level by level. Also measures many steps whose commands answer immediately.
 */
export async function sop(): Promise<readonly Row[]> {
  const random = createRandom(7);
  const all = Array.from({ length: graphs }, () => randomGraph(20 + random.below(181), random));
  return [
    ...(await makespans(all, Infinity, 'as many places as steps')),
    ...(await makespans(all, 8, '8 places')),
    await manyStepsRow(randomGraph(manySteps, random)),
  ];
}

interface Step {
  readonly takes: number;
  readonly needs: readonly number[];
}

/**
 * Generates steps, each with up to three dependencies on earlier steps. Durations range from 10 ms to 10 s,
 * and half of them are below 300 ms.
 */
function randomGraph(count: number, random: Random): readonly Step[] {
  return Array.from({ length: count }, (_, index) => {
    const needs = Array.from({ length: Math.min(index, random.below(4)) }, () => random.below(index));
    return { takes: Math.round(10 * 10 ** (random.below(3_000) / 1_000)), needs: [...new Set(needs)] };
  });
}

async function makespans(
  all: readonly (readonly Step[])[],
  slots: number,
  what: string,
): Promise<readonly Row[]> {
  const ours: number[] = [];
  const levels: number[] = [];
  for (const steps of all) {
    const least = Math.max(longestChain(steps), workOf(steps) / slots);
    ours.push((await ownMakespan(steps, slots)) / least);
    levels.push(levelMakespan(steps, slots) / least);
  }
  const aim = slots === Infinity ? { target: '≤ 1.05 ×', met: Math.max(...ours) <= 1.05 } : {};
  const against = slots === Infinity ? 'the longest chain' : 'the longest chain, or all work shared evenly';
  return [
    {
      id: 'E2',
      what: `plans of 20 to 200 steps, ${what}: time against ${against}`,
      figure: spread(ours),
      ...aim,
    },
    { id: 'E2', what: 'the same level by level', figure: spread(levels) },
  ];
}

async function ownMakespan(steps: readonly Step[], concurrency: number): Promise<number> {
  const clock = createVirtualClock();
  const work: SopCommand = {
    name: 'work',
    async run({ arguments: [ms], signal }) {
      await clock.wait(Number(ms), signal);
      return 'done';
    },
  };
  const limits = { commands: Infinity };
  const { status } = await clock.drive(runSop(scriptOf(steps), [work], { concurrency, clock, limits }));
  if (status !== 'done') throw new Error(`A plan ended: ${status}.`);
  return clock.now();
}

/** Returns the duration of a plan in which each level starts only when the previous level has ended. */
function levelMakespan(steps: readonly Step[], slots: number): number {
  const depths: number[] = [];
  for (const { needs } of steps) depths.push(1 + Math.max(-1, ...needs.map((need) => depths[need] ?? 0)));
  const levels = Map.groupBy(steps, (_, index) => depths[index] ?? 0);
  return [...levels.values()].reduce((time, level) => time + greedyMakespan(level, slots), 0);
}

function greedyMakespan(steps: readonly Step[], slots: number): number {
  const ends = new Array<number>(Math.min(slots, steps.length)).fill(0);
  for (const { takes } of steps) {
    const first = ends.indexOf(Math.min(...ends));
    ends[first] = (ends[first] ?? 0) + takes;
  }
  return Math.max(...ends);
}

function longestChain(steps: readonly Step[]): number {
  const ends: number[] = [];
  for (const { takes, needs } of steps)
    ends.push(takes + Math.max(0, ...needs.map((need) => ends[need] ?? 0)));
  return Math.max(...ends);
}

function workOf(steps: readonly Step[]): number {
  return steps.reduce((sum, { takes }) => sum + takes, 0);
}

async function manyStepsRow(steps: readonly Step[]): Promise<Row> {
  const script = scriptOf(steps);
  const work: SopCommand = { name: 'work', run: () => 'done' };
  const limits = { commands: Infinity };
  const times = await alternate(7, {
    parse: () => parseSop(script),
    check: () => checkSop(script, [work]),
    run: () => runSop(script, [work], { limits }),
  });
  const shown = ({ median, min }: Timing): string => `${median.toFixed(0)} ms (min ${min.toFixed(0)})`;
  return {
    id: 'E2',
    what: `${manySteps.toLocaleString('en')} steps: read; read and checked; read, checked and run`,
    figure: `${shown(times.parse)}; ${shown(times.check)}; ${shown(times.run)}`,
  };
}

function scriptOf(steps: readonly Step[]): string {
  return steps
    .map(({ takes, needs }, index) =>
      [`@s${index} work ${takes}`, ...needs.map((need) => `$s${need}`)].join(' '),
    )
    .join('\n');
}

function spread(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(2);
  return `median ${at(0.5)} ×, worst ${at(1)} ×`;
}
