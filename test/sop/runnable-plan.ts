import fc from 'fast-check';
import { hashOf } from '../../src/core/json/normalize.ts';
import { cancelStep, waitFor, type SopCommand } from '../../src/engines/sop/command.ts';
import type { Clock } from '../../src/engines/sop/plan-run.ts';
import { textOf } from '../support/text-of.ts';

/** A step of a random plan. It refers to others by position. */
export interface RandomStep {
  readonly name: string;
  readonly command: keyof typeof results;
  /** The duration in milliseconds. */
  readonly takes: number;
  /** The steps whose values are its arguments, after its own name. */
  readonly needs: readonly number[];
  readonly list?: number;
  readonly guard?: { readonly of: number; readonly isNegated: boolean };
}

/** Steps that depend only on earlier ones, and the script that declares them in any order. */
export interface RandomPlan {
  readonly steps: readonly RandomStep[];
  readonly script: string;
}

const results = {
  hash: (input: string) => hashOf(input).slice(0, 6),
  ask: (input: string) => hashOf(input).slice(0, 5),
  pair: (input: string) => [`${hashOf(input).slice(0, 3)}x`, 'y'],
  none: () => [],
  zero: () => 0,
  nothing: () => undefined,
  leave: () => cancelStep('left out'),
  fail: () => {
    throw new Error('broken');
  },
};

/** Returns the result of a command. It depends only on the command's name and its text. */
export function resultOf(
  command: RandomStep['command'],
  input: string,
): ReturnType<(typeof results)[RandomStep['command']]> {
  return results[command](input);
}

/**
 * Returns the commands of random plans. Each takes as long as its step, and `ask` needs an answer if `isAsking`
 * is set.
 */
export function commandsFor(
  { steps }: RandomPlan,
  clock: Clock,
  onRun: (execution: string) => void = () => {},
  isAsking = false,
): readonly SopCommand[] {
  const takes = new Map(steps.map((step) => [step.name, step.takes]));
  return (Object.keys(results) as RandomStep['command'][]).map((name) => ({
    name,
    async run({ variable, index, input, answer, signal }) {
      if (name === 'ask' && isAsking && answer === undefined) return waitFor(textOf(input));
      onRun(index === undefined ? variable : `${variable}.${index}`);
      await clock.wait(takes.get(variable) ?? 0, signal);
      return resultOf(name, textOf(input));
    },
  }));
}

/** Returns plans with every kind of step. */
export function randomPlans(most: number): fc.Arbitrary<RandomPlan> {
  return plansOf(
    most,
    fc.constantFrom(
      'hash',
      'hash',
      'hash',
      'ask',
      'ask',
      'pair',
      'pair',
      'none',
      'zero',
      'nothing',
      'leave',
      'fail',
    ),
    true,
  );
}

/** Returns plans in which many steps depend on answers. */
export function askingPlans(most: number): fc.Arbitrary<RandomPlan> {
  return plansOf(most, fc.constantFrom('hash', 'ask', 'ask', 'pair', 'zero'), true);
}

/** Returns plans in which every step succeeds and none is skipped. */
export function plainPlans(most: number): fc.Arbitrary<RandomPlan> {
  return plansOf(most, fc.constant('hash'), false);
}

function plansOf(
  most: number,
  command: fc.Arbitrary<RandomStep['command']>,
  isFull: boolean,
): fc.Arbitrary<RandomPlan> {
  const earlier = fc.nat(1_000_000);
  const drawn = fc.record({
    command,
    takes: fc.integer({ min: 1, max: 100 }),
    needs: fc.array(earlier, { maxLength: 3 }),
    list: isFull ? seldom(earlier) : fc.constant(null),
    guard: isFull ? seldom(fc.record({ of: earlier, isNegated: fc.boolean() })) : fc.constant(null),
    line: fc.nat(1_000_000),
  });
  return fc.array(drawn, { minLength: 1, maxLength: most, size: 'max' }).map((all) => {
    const lists = all.map(({ command: of }, index) => (of === 'pair' || of === 'none' ? index : 0));
    const steps = all.map(({ command: of, takes, needs, list, guard }, index): RandomStep => {
      const at = (number: number): number => number % index;
      return {
        name: `s${index}`,
        command: of,
        takes,
        needs: index === 0 ? [] : needs.map(at),
        ...(list === null || index === 0 ? {} : { list: lists[at(list)]! }),
        ...(guard === null || index === 0 ? {} : { guard: { ...guard, of: at(guard.of) } }),
      };
    });
    const lines = all.map(({ line }, index) => ({ line, text: lineOf(steps[index]!) }));
    const script = lines.toSorted((one, other) => one.line - other.line).map(({ text }) => text);
    return { steps, script: script.join('\n') };
  });
}

function seldom<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}

function lineOf({ name, command, needs, list, guard }: RandomStep): string {
  return [
    `@${name}`,
    ...(list === undefined ? [] : ['each', `$s${list}`]),
    command,
    name,
    ...needs.map((index) => `$s${index}`),
    ...(guard === undefined ? [] : ['when', ...(guard.isNegated ? ['not'] : []), `$s${guard.of}`]),
  ].join(' ');
}
