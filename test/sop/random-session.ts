import assert from 'node:assert/strict';
import { hashOf } from '../../src/core/json/normalize.ts';
import type { Json } from '../../src/core/json.ts';
import type { Message } from '../../src/core/model.ts';

/**
 * A careless planner's plans for two prompts, and the behaviour of its skills. Everything is derived from one
 * seed.
 */
export interface RandomSession {
  readonly concurrency: number;
  readonly limits: { readonly commands: number; readonly failures: number };
  /** Returns the next plan in a conversation. */
  planFor(messages: readonly Message[]): string;
  /** Whether a skill fails after this effect. */
  fails(what: string): boolean;
  /** Whether a person denies this effect. */
  isDenied(what: string): boolean;
  /** Returns a delay in iterations of the event loop. */
  delayOf(what: string): number;
  /** Returns how often this effect may happen: as often as one plan contains it. */
  mostTimes(what: string): number;
}

/** Returns a number below `sides`. `next` returns a number that it never returned before. */
type Dice = ((sides: number) => number) & { next(): number };

/** A line of a plan, whose name can change. Others refer to it by its id. */
interface Line {
  readonly id: number;
  readonly name: string;
  readonly command: string;
  /** Distinguishes its effects from those of other lines. A twin has the same mark. */
  readonly mark: string;
  readonly list?: number;
  readonly needs: readonly number[];
  readonly guard?: { readonly of: number; readonly isNegated: boolean };
}

const attempts = 9; // three plans, five repairs and one more

/** Creates the session of a seed. */
export function randomSession(seed: number): RandomSession {
  const dice = diceOf(seed);
  const plans: (readonly Line[])[] = [firstPlan(dice)];
  while (plans.length < 2 * attempts) plans.push(changed(dice, plans.at(-1) ?? []));
  const scripts = plans.map((plan) => (dice(9) === 0 ? '@a nonsense\n@b assign $c' : printed(dice, plan)));
  const chance = (what: string, kind: string): number => diceOf([seed, kind, what])(12);
  return {
    concurrency: 1 + dice(8),
    limits: dice(5) > 0 ? { commands: 100, failures: 10 } : { commands: 3 + dice(9), failures: dice(4) },
    planFor(messages) {
      const at = messages.findIndex(({ text }) => text.startsWith('Second.'));
      const turns = messages.slice(Math.max(at, 0)).filter(({ role }) => role === 'assistant').length;
      return scripts[(at < 0 ? 0 : attempts) + turns] ?? '';
    },
    fails: (what) => chance(what, 'fails') < 4,
    isDenied: (what) => chance(what, 'denied') < 3,
    delayOf: (what) => chance(what, 'delay'),
    mostTimes(what) {
      const own = what.match(/L\d+/g)?.at(-1) ?? '';
      return Math.max(...plans.map((plan) => plan.filter(({ mark }) => mark === own).length));
    },
  };
}

function firstPlan(dice: Dice): readonly Line[] {
  const lines: Line[] = [];
  const size = 3 + dice(5);
  while (lines.length < size) lines.push(newLine(dice, lines));
  return lines;
}

function newLine(dice: Dice, before: readonly Line[]): Line {
  const id = dice.next();
  const name = `v${id}`;
  if (before.length === 0) return { id, name, command: 'list', mark: 'abc', needs: [] };
  const some = (): number => pick(dice, before).id;
  const twin = pick(dice, before);
  if (twin.command === 'work' && twin.list === undefined && dice(3) === 0) return { ...twin, id, name };
  const command = pick(dice, [
    ...['work', 'work', 'work', 'guarded', 'alone', 'alone', 'asks', 'leaves', 'assign', 'cannot_complete'],
  ]);
  const lists = before.filter((line) => line.command === 'list');
  const isEach = lists.length > 0 && command !== 'cannot_complete' && dice(4) === 0;
  return {
    id,
    name,
    command,
    mark: `L${id}`,
    ...(isEach ? { list: pick(dice, lists).id } : {}),
    needs: dice(3) === 0 ? [] : [some()],
    ...(dice(4) === 0 || command === 'cannot_complete'
      ? { guard: { of: some(), isNegated: dice(2) === 0 } }
      : {}),
  };
}

/** Returns the next plan, which keeps most lines, renames, removes and reorders some, and adds others. */
function changed(dice: Dice, before: readonly Line[]): readonly Line[] {
  const remaining = before.filter(({ command }) => command === 'list' || dice(8) > 0);
  const lines = remaining.map((line): Line => {
    if (line.command === 'list') return dice(2) === 0 ? line : { ...line, mark: pick(dice, lists) };
    return dice(6) === 0 ? { ...line, name: `v${dice.next()}` } : line;
  });
  const gone = new Set(before.map(({ id }) => id));
  for (const { id } of lines) gone.delete(id);
  const whole = lines.map(({ needs, guard, ...line }): Line => ({
    ...line,
    needs: needs.filter((id) => !gone.has(id)),
    ...(guard === undefined || gone.has(guard.of) ? {} : { guard }),
  }));
  const swapped = withSwappedNames(dice, whole);
  return dice(2) === 0 ? [...swapped, newLine(dice, swapped)] : swapped;
}

const lists = ['abc', 'cab', 'ba', 'abcd', 'c', ''];

/** Swaps names, so that they refer to other lines. */
function withSwappedNames(dice: Dice, lines: readonly Line[]): readonly Line[] {
  const [one, other] = [pick(dice, lines), pick(dice, lines)];
  if (dice(3) > 0 || !isWritten(one) || !isWritten(other)) return lines;
  const nameOf = new Map([
    [one.id, other.name],
    [other.id, one.name],
  ]);
  return lines.map((line) => ({ ...line, name: nameOf.get(line.id) ?? line.name }));
}

/** Whether the effects of a line are known before anything runs. */
function isWritten({ needs, list }: Line): boolean {
  return needs.length === 0 && list === undefined;
}

function printed(dice: Dice, lines: readonly Line[]): string {
  const nameOf = new Map(lines.map(({ id, name }) => [id, name]));
  const at = (id: number): string => `$${nameOf.get(id) ?? ''}`;
  const written = lines.map(({ name, command, mark, list, needs, guard }) =>
    [
      `@${name}`,
      ...(list === undefined ? [] : ['each', at(list)]),
      command,
      ...(list === undefined ? [] : ['$item']),
      ...needs.map(at),
      mark === '' ? '""' : mark,
      ...(guard === undefined ? [] : ['when', ...(guard.isNegated ? ['not'] : []), at(guard.of)]),
    ].join(' '),
  );
  const needed = [1, 2, 3].map(() => pick(dice, lines)).map(({ id }) => at(id));
  const answer = `@answer final_answer ${needed.join(' ')}`;
  return [...written, answer].toSorted(() => dice(3) - 1).join('\n');
}

function diceOf(seed: Json): Dice {
  let [throws, last] = [0, 0];
  const dice = (sides: number): number =>
    Number.parseInt(hashOf([seed, (throws += 1)]).slice(0, 8), 16) % sides;
  return Object.assign(dice, { next: () => (last += 1) });
}

function pick<Item>(dice: Dice, items: readonly Item[]): Item {
  const item = items[dice(items.length)];
  assert.ok(item !== undefined);
  return item;
}
