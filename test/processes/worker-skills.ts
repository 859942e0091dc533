import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineSkill, type DefinedSkill } from '../../src/core/define-skill.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { Output } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';

/** The number of effects in a run of `twenty`. */
export const twentySteps = 20;

/** Returns the skills of every process in these tests. Their effects outlive them as lines in a file. */
export function workerSkills(effects: string): readonly DefinedSkill[] {
  return [...twentyOf(effects), lanesOf(effects), hangOf(effects), branchesOf(effects), countOf(effects)];
}

/** Records an effect, so that no crash can undo it. */
export function perform(effects: string, step: string, idempotencyKey: string): void {
  const file = openSync(effects, 'a');
  try {
    writeSync(file, `${step} ${idempotencyKey} ${process.pid}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * A skill with twenty effects and values: in a row, in parallel, in two nested calls and in a leaf; with a note
 * and memory.
 */
function twentyOf(effects: string): readonly DefinedSkill[] {
  const act = (scope: Scope, name: string, value: number): Promise<number> =>
    scope.step(name, async (key) => {
      await delay(2);
      perform(effects, name, key);
      await delay(2);
      return value + 1;
    });
  const inRow = async (scope: Scope, names: readonly string[], start: number): Promise<number> => {
    let value = start;
    for (const name of names) value = await act(scope, name, value);
    return value;
  };
  const run = async (_input: Json, scope: Scope): Promise<Output> => {
    const before = (await scope.memory.get('count')) ?? 0;
    scope.memory.set('count', Number(before) + 1);
    const first = await inRow(scope, ['s1', 's2', 's3'], 0);
    scope.note('Half of it comes now.', { first });
    const parallel = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'].map((name) => act(scope, name, first));
    const [middle, leaf, ...values] = await Promise.all([
      scope.call('middle', first),
      scope.call('leaf', first),
      ...parallel,
    ]);
    const at = await scope.now();
    const again = Number.isInteger(at) ? first : -1;
    const last = await inRow(scope, ['e1', 'e2', 'e3', 'e4'], again);
    return done({ before, middle: valueOf(middle), leaf: valueOf(leaf), values, last });
  };
  return [
    defineSkill({ name: 'twenty', description: 'Has twenty effects.', run }),
    defineSkill<number>({
      name: 'middle',
      description: 'Is in between.',
      async run(input, scope) {
        const value = await inRow(scope, ['m1', 'm2'], input);
        return done([value, valueOf(await scope.call('deepest', value))]);
      },
    }),
    defineSkill<number>({
      name: 'deepest',
      description: 'Is at the end.',
      run: async (input, scope) => done(await inRow(scope, ['d1', 'd2', 'd3'], input)),
    }),
    defineSkill<number>({
      name: 'leaf',
      description: 'Calls nobody.',
      allowedSkills: [],
      async run(input, scope) {
        scope.memory.set('seen', input);
        return done(await inRow(scope, ['l1', 'l2'], input));
      },
    }),
  ];
}

/**
 * A skill with many short effects in parallel lanes. The value of each step names the process that performed
 * it.
 */
function lanesOf(effects: string): DefinedSkill {
  return defineSkill<{ readonly lanes: number; readonly steps: number; readonly stepMs: number }>({
    name: 'lanes',
    description: 'Has many short effects.',
    async run({ lanes, steps, stepMs }, scope) {
      const lane = async (laneIndex: number): Promise<number> => {
        let sum = 0;
        for (let index = 0; index < steps; index += 1) {
          const { value } = await scope.step(`${laneIndex}.${index}`, async (key): Promise<JsonObject> => {
            await delay(stepMs);
            if (effects !== '') perform(effects, `${laneIndex}.${index}`, key);
            return { value: laneIndex * index, pid: process.pid };
          });
          sum += Number(value);
        }
        return sum;
      };
      return done(await Promise.all(Array.from({ length: lanes }, (_, laneIndex) => lane(laneIndex))));
    },
  });
}

/** Returns the value of `lanes`. */
export function lanesValue(lanes: number, steps: number): readonly number[] {
  return Array.from({ length: lanes }, (_, laneIndex) => (laneIndex * steps * (steps - 1)) / 2);
}

/** A skill with a nested call whose effect never ends by itself, and does or does not react to an abort. */
function hangOf(effects: string): DefinedSkill {
  return defineSkill<{ readonly listens: boolean; readonly inner?: boolean }>({
    name: 'hang',
    description: 'Does not end.',
    async run({ listens, inner = false }, scope) {
      if (!inner) return scope.call('hang', { listens, inner: true });
      await scope.step('hang', async (key) => {
        perform(effects, 'begun', key);
        if (!listens) return new Promise<never>(() => undefined);
        await delay(600_000, undefined, { signal: scope.signal });
        return 'slept';
      });
      await scope.step('after', (key) => {
        perform(effects, 'after', key);
        return true;
      });
      return done('woke');
    },
  });
}

/**
 * A skill with three branches. One asks a person, and the others have effects. The last effect may end only
 * after the answer was used.
 */
function branchesOf(effects: string): DefinedSkill {
  return defineSkill<{ readonly isPatient: boolean }>({
    name: 'branches',
    description: 'Has three branches.',
    async run({ isPatient }, scope) {
      const ask = async (): Promise<Json> => {
        const colour = await scope.ask('Which colour?');
        return scope.step('paint', (key) => {
          perform(effects, 'paint', key);
          return `${JSON.stringify(colour)} paint`;
        });
      };
      const quick = scope.step('quick', (key) => {
        perform(effects, 'quick', key);
        return 'quick done';
      });
      const slow = scope.step('slow', async (key) => {
        perform(effects, 'slow', key);
        do await delay(20);
        while (isPatient && !readFileSync(effects, 'utf8').includes('paint'));
        return 'slow done';
      });
      return done(await Promise.all([ask(), quick, slow]));
    },
  });
}

/** A skill that slowly increments a number in the session's memory. */
function countOf(effects: string): DefinedSkill {
  return defineSkill({
    name: 'count',
    description: 'Counts.',
    allowedSkills: [],
    async run(_input, scope) {
      const next = Number((await scope.memory.get('count')) ?? 0) + 1;
      if (effects !== '') perform(effects, 'begin', String(next));
      await delay(3);
      if (effects !== '') perform(effects, 'end', String(next));
      scope.memory.set('count', next);
      return done(next);
    },
  });
}

function done(value: Json): Output {
  return { status: 'done', text: JSON.stringify(value), value };
}

function valueOf(output: Output): Json {
  return output.status === 'done' ? (output.value ?? null) : output.text;
}
