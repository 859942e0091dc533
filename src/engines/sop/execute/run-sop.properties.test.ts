import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { levelByLevel, type Became } from '../../../../test/sop/level-by-level.ts';
import {
  askingPlans,
  commandsFor,
  plainPlans,
  randomPlans,
  type RandomPlan,
} from '../../../../test/sop/runnable-plan.ts';
import { createVirtualClock } from '../../../../test/sop/virtual-clock.ts';
import { openLoops } from '../../../../test/stress/stress.ts';
import type { SopEnd, SopEvent, SopOptions, SopState } from '../plan-run.ts';
import { createSop } from './run-sop.ts';

const { createLoop } = openLoops(import.meta);
const limits = { commands: Infinity, failures: Infinity };

check('a step starts after all that it needs has ended', randomPlans(40), async (plan, concurrency) => {
  const { events } = await run(plan, { concurrency });
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === 'step.started')
      for (const need of needsOf(plan, event.variable))
        assert.ok(ended.has(need), `${event.variable} needs ${need}`);
    if (event.type === 'step.ended' && event.index === undefined) ended.add(event.variable);
  }
});

check('with enough places a plan takes as long as its longest chain', plainPlans(80), async (plan) => {
  const { took } = await run(plan, { concurrency: Infinity });
  assert.equal(took, criticalPath(plan));
});

check(
  'with fewer, no more run at once and it takes no longer than greedy work must',
  plainPlans(60),
  async (plan, concurrency) => {
    const { took, most } = await run(plan, { concurrency });
    assert.ok(most <= concurrency, `${most} at once`);
    const work = plan.steps.reduce((sum, { takes }) => sum + takes, 0);
    assert.ok(took <= work / concurrency + criticalPath(plan), `${took} ms`);
  },
);

check('values are those of the plainest interpreter', randomPlans(40), async (plan, concurrency) => {
  const { end } = await run(plan, { concurrency });
  assert.deepEqual(becameOf(end), levelByLevel(plan));
});

check('the same plan runs the same way', randomPlans(30), async (plan, concurrency) => {
  assert.deepEqual((await run(plan, { concurrency })).events, (await run(plan, { concurrency })).events);
});

check(
  'taken up after any event, a plan comes to the same values and repeats nothing that had ended',
  randomPlans(12),
  async (plan, concurrency) => {
    const whole = await run(plan, { concurrency });
    for (const state of whole.states) {
      const resumed = await run(plan, { concurrency, resumeFrom: roundTrip(state) });
      assert.deepEqual(resumed.end.variables, whole.end.variables);
      const done = new Set(state.records.map(({ variable, index }) => nameOf(variable, index)));
      assert.deepEqual(
        resumed.ran.filter((execution) => done.has(execution)),
        [],
      );
      assert.equal(new Set([...done, ...resumed.ran]).size, done.size + resumed.ran.length);
    }
  },
);

check('called off after any event and taken up again, too', randomPlans(10), async (plan, concurrency) => {
  const whole = await run(plan, { concurrency });
  for (const [index] of whole.events.entries()) {
    const half = await run(plan, { concurrency }, { cancelAt: index });
    const resumed = await run(plan, { concurrency, resumeFrom: roundTrip(half.end.state) });
    assert.deepEqual(resumed.end.variables, whole.end.variables);
    const done = new Set(half.end.state.records.map(({ variable, index }) => nameOf(variable, index)));
    assert.deepEqual(
      resumed.ran.filter((execution) => done.has(execution)),
      [],
    );
  }
});

check(
  'with every question answered later, one by one, it comes to the same values and repeats nothing',
  askingPlans(15),
  async (plan, concurrency) => {
    const whole = await run(plan, { concurrency });
    const ran: string[] = [];
    let last = await run(plan, { concurrency }, { isAsking: true });
    for (ran.push(...last.ran); last.end.status === 'waiting'; ran.push(...last.ran)) {
      const [question] = Object.keys(last.end.questions ?? {});
      const resumeFrom = roundTrip(last.end.state);
      last = await run(plan, { concurrency, resumeFrom, answers: { [question!]: '' } }, { isAsking: true });
    }
    assert.deepEqual(last.end.variables, whole.end.variables);
    const done = recordedIn(whole.end);
    assert.deepEqual(recordedIn(last.end), done);
    assert.deepEqual(ran.filter((execution) => done.includes(execution)).toSorted(), done);
  },
);

interface Ran {
  readonly end: SopEnd;
  readonly events: readonly SopEvent[];
  /** The state after each event, from which a run could continue. */
  readonly states: readonly SopState[];
  /** The executions in the order of their start. */
  readonly ran: readonly string[];
  /** The maximum number of parallel executions. */
  readonly most: number;
  /** The duration in milliseconds. */
  readonly took: number;
}

async function run(
  plan: RandomPlan,
  options: SopOptions,
  { cancelAt, isAsking = false }: { readonly cancelAt?: number; readonly isAsking?: boolean } = {},
): Promise<Ran> {
  const clock = createVirtualClock();
  const events: SopEvent[] = [];
  const states: SopState[] = [];
  const ran: string[] = [];
  let [open, most] = [0, 0];
  const commands = commandsFor(plan, clock, (execution) => ran.push(execution), isAsking).map((command) => ({
    ...command,
    run: async (call: Parameters<typeof command.run>[0]) => {
      most = Math.max(most, (open += 1));
      try {
        return await command.run(call);
      } finally {
        open -= 1;
      }
    },
  }));
  const onEvent = (event: SopEvent): void => {
    events.push(event);
    states.push(sop.state);
    if (events.length - 1 === cancelAt) sop.cancel();
  };
  const sop = createSop(commands, { limits, clock, ...options, onEvent });
  const end = await clock.drive(sop.run(plan.script));
  return { end, events, states, ran, most, took: clock.now() };
}

function check(
  what: string,
  plans: fc.Arbitrary<RandomPlan>,
  holds: (plan: RandomPlan, concurrency: number) => Promise<void>,
): void {
  const loop = createLoop({ small: 30, full: 1_000 });
  test(what, async () => {
    await fc.assert(fc.asyncProperty(plans, fc.integer({ min: 1, max: 6 }), holds), loop.runs());
  });
}

function needsOf({ steps }: RandomPlan, variable: string): readonly string[] {
  const { needs, list, guard } = steps.find(({ name }) => name === variable)!;
  return [...needs, list, guard?.of].flatMap((index) => (index === undefined ? [] : [steps[index]!.name]));
}

/** Returns the duration of the longest chain of steps, in milliseconds. */
function criticalPath({ steps }: RandomPlan): number {
  const ends: number[] = [];
  for (const { takes, needs } of steps) ends.push(takes + Math.max(0, ...needs.map((index) => ends[index]!)));
  return Math.max(...ends);
}

function becameOf({ variables }: SopEnd): Readonly<Record<string, Became>> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      value.status === 'success' ? value : { status: value.status, origin: value.origin },
    ]),
  );
}

/**
 * Returns the executions that are never repeated, sorted. Executions without a result and canceled ones leave
 * no record.
 */
function recordedIn({ state }: SopEnd): readonly string[] {
  return state.records.map(({ variable, index }) => nameOf(variable, index)).toSorted();
}

function nameOf(variable: string, index: number | undefined): string {
  return index === undefined ? variable : `${variable}.${index}`;
}

function roundTrip(state: SopState): SopState {
  return JSON.parse(JSON.stringify(state)) as SopState;
}
