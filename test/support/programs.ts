import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { hashOf } from '../../src/core/json/normalize.ts';
import { defineSkill, type DefinedSkill } from '../../src/core/define-skill.ts';
import { AgentError, isAgentError } from '../../src/core/error.ts';
import type { Json } from '../../src/core/json.ts';
import { collect, type Model } from '../../src/core/model.ts';
import type { ApprovalRequest, Policy } from '../../src/core/policy.ts';
import type { Output } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';

/** An instruction of a random program. A program is plain data, so that it can be the input of a skill. */
export type Instruction =
  | { readonly do: 'sequence'; readonly parts: readonly Instruction[] }
  | { readonly do: 'parallel'; readonly parts: readonly Instruction[] }
  /** The first part to end decides the result; the other parts are abandoned. */
  | { readonly do: 'race'; readonly parts: readonly Instruction[] }
  /** The first part to fail decides the result; the other parts are abandoned. */
  | { readonly do: 'all'; readonly parts: readonly Instruction[] }
  | { readonly do: 'float'; readonly body: Instruction }
  | { readonly do: 'catch'; readonly body: Instruction }
  | { readonly do: 'effect'; readonly key: string }
  | { readonly do: 'call'; readonly skill: SkillName; readonly body: Instruction; readonly key?: string }
  | { readonly do: 'repeat'; readonly times: number; readonly body: Instruction }
  | { readonly do: 'ask'; readonly text: string }
  | { readonly do: 'remember' | 'recall' | 'forget'; readonly key: string }
  /** Reads the clock and a random number, and uses both in the key of a separate step. */
  | { readonly do: 'measure'; readonly key: string }
  | { readonly do: 'model'; readonly text: string }
  | { readonly do: 'fail' | 'unknown' | 'again' | 'note' };

type SkillName = 'program' | 'helper' | 'leaf';

/** Performs the effects of programs. */
export interface World {
  /** Resolves with the result of an effect. May reject. */
  perform(effect: Effect): Promise<Json>;
}

/** An effect that a program requests. */
export interface Effect {
  readonly frameId: string;
  readonly key: string;
  readonly idempotencyKey: string;
}

/** Returns the user's answer to a program's question. */
export function answerTo(text: string): Json {
  return `the answer to ${text}`;
}

/** Returns the user's decision on a call. */
export function decisionOn({
  input,
}: ApprovalRequest): { readonly allow: 'once' } | { readonly deny: string } {
  return drawnFrom(input) % 4 === 0 ? { deny: 'Not this one.' } : { allow: 'once' };
}

/** Asks about some calls of `helper`. Some decisions take a turn of the event loop. */
export const programPolicy: Policy = {
  async decide({ skill, input }) {
    if (drawnFrom(input) % 5 === 0) await turn();
    if (skill !== 'helper' || drawnFrom(input) % 2 !== 0) return { decision: 'allow' };
    return { decision: 'ask', reason: 'It is a helper.', rule: 'Helper' };
  },
};

/** Returns the number of event loop turns that a name takes. */
export function turnsOf(name: string): number {
  const drawn = drawnFrom(name) % 8;
  return drawn < 4 ? 0 : drawn - 3;
}

function drawnFrom(content: Json): number {
  return Number.parseInt(hashOf(content).slice(0, 6), 16);
}

/** Returns the skills that run programs. `leaf` may not call other skills. */
export function programSkills(world: World): readonly DefinedSkill[] {
  const run = async (input: Instruction, scope: Scope): Promise<Output> => {
    const value = await execute(input, { scope, world, input });
    return { status: 'done', text: 'ran', value };
  };
  const description = 'Runs a program.';
  return [
    defineSkill<Instruction>({ name: 'program', description, run }),
    defineSkill<Instruction>({ name: 'helper', description, run }),
    defineSkill<Instruction>({ name: 'leaf', description, allowedSkills: [], run }),
  ];
}

/** Returns a model whose answer depends only on the request. */
export function programModel(): Model {
  return createScriptedModel(({ messages }) => {
    const text = messages.at(-1)?.text ?? '';
    if (!text.startsWith('bad')) return { text: `said ${text}`, pieces: 2 };
    return { error: { code: 'model.unavailable', message: `no ${text}` } };
  });
}

interface Machine {
  readonly scope: Scope;
  readonly world: World;
  readonly input: Instruction;
}

async function execute(instruction: Instruction, machine: Machine): Promise<Json> {
  const { scope, world, input } = machine;
  const each = (parts: readonly Instruction[]): readonly Promise<Json>[] =>
    parts.map((part) => execute(part, machine));
  switch (instruction.do) {
    case 'sequence': {
      const values: Json[] = [];
      for (const part of instruction.parts) values.push(await execute(part, machine));
      return values;
    }
    case 'parallel':
      return (await Promise.allSettled(each(instruction.parts))).map((end): Json =>
        end.status === 'fulfilled' ? end.value : failureOf(end.reason),
      );
    case 'race':
      return Promise.race(each(instruction.parts));
    case 'all':
      return [...(await Promise.all(each(instruction.parts)))];
    case 'float':
      execute(instruction.body, machine).catch(() => undefined);
      return 'floats';
    case 'catch':
      return execute(instruction.body, machine).catch(failureOf);
    case 'effect': {
      const { key } = instruction;
      return scope.step(key, (idempotencyKey) =>
        world.perform({ frameId: scope.run.frameId, key, idempotencyKey }),
      );
    }
    case 'call': {
      const { skill, body, key } = instruction;
      return cameTo(await scope.call(skill, body, key === undefined ? {} : { key }));
    }
    case 'repeat':
      return Promise.all(Array.from({ length: instruction.times }, () => execute(instruction.body, machine)));
    case 'ask':
      return scope.ask(instruction.text);
    case 'remember':
      scope.memory.set(instruction.key, `kept by ${scope.run.depth}`);
      return null;
    case 'forget':
      scope.memory.delete(instruction.key);
      return null;
    case 'recall':
      return [(await scope.memory.get(instruction.key)) ?? 'nothing'];
    case 'measure': {
      const { key } = instruction;
      const measured = `${key} at ${await scope.now()}, ${await scope.random()}`;
      const act = (idempotencyKey: string): Promise<Json> =>
        world.perform({ frameId: scope.run.frameId, key: measured, idempotencyKey });
      return scope.step(measured, act);
    }
    case 'model': {
      const request = { messages: [{ role: 'user', text: instruction.text }] } as const;
      const { text, reason } = await collect(scope.model('any').stream(request, scope.signal));
      return [text, reason];
    }
    case 'note':
      scope.note('noted');
      return null;
    case 'fail':
      throw new AgentError('skill.failed', 'It fails.');
    case 'unknown':
      return cameTo(await scope.call('nobody-knows-it', null));
    case 'again':
      return cameTo(await scope.call(scope.skill.name, input));
  }
}

function cameTo(output: Output): Json {
  return output.status === 'done' ? [output.value ?? null] : { failed: output.error.code };
}

function failureOf(thrown: unknown): Json {
  return { caught: isAgentError(thrown) ? thrown.code : String(thrown) };
}

const tokens = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const names = fc.constantFrom<SkillName[]>('program', 'helper', 'leaf');

const { program } = fc.letrec<{ program: Instruction; leaf: Instruction }>((tie) => ({
  program: fc.oneof(
    { maxDepth: 5, depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.record({ do: fc.constant('sequence'), parts: fc.array(tie('program'), { maxLength: 4 }) }),
    fc.record({ do: fc.constant('parallel'), parts: fc.array(tie('program'), { maxLength: 4 }) }),
    fc.record({ do: fc.constant('call'), skill: names, body: tie('program') }),
    fc.record({ do: fc.constant('call'), skill: names, body: tie('program') }),
    fc.record({ do: fc.constant('repeat'), times: fc.integer({ min: 2, max: 3 }), body: tie('program') }),
    fc.record({ do: fc.constant('catch'), body: tie('program') }),
  ),
  leaf: fc.oneof(
    fc.record({ do: fc.constant('effect'), key: tokens }),
    fc.record({ do: fc.constant('effect'), key: tokens }),
    fc.record({ do: fc.constant('effect'), key: tokens }),
    fc.record({ do: fc.constant('ask'), text: tokens }),
    fc.record({ do: fc.constantFrom('remember', 'recall', 'forget'), key: tokens }),
    fc.record({ do: fc.constant('model'), text: fc.constantFrom('good', 'fine', 'bad') }),
    fc.record({ do: fc.constantFrom('fail', 'unknown', 'again', 'note') }),
  ),
})) as unknown as { program: fc.Arbitrary<Instruction> };

const whole: fc.Arbitrary<Instruction> = fc.record({
  do: fc.constantFrom('sequence', 'parallel'),
  parts: fc.array(program, { minLength: 1, maxLength: 6 }),
});

/** Generates programs whose result does not depend on the order in which their parallel parts advance. */
export const steadyPrograms: fc.Arbitrary<Instruction> = whole.map((one) => steady(one, ''));

/**
 * Generates programs that depend on that order: they use races, unawaited calls, shared memory, time and
 * random numbers.
 */
export const racyPrograms: fc.Arbitrary<Instruction> = fc
  .tuple(whole, fc.infiniteStream(fc.nat({ max: 5 })))
  .map(([one, draws]) => {
    let count = 0;
    return racy(one, () => (count++ < 200 ? Number(draws.next().value) : 0));
  });

/** Gives parallel parts separate memory keys. */
function steady(one: Instruction, prefix: string): Instruction {
  switch (one.do) {
    case 'sequence':
      return { ...one, parts: one.parts.map((part) => steady(part, prefix)) };
    case 'parallel':
      return { ...one, parts: one.parts.map((part, index) => steady(part, `${prefix}${index}.`)) };
    case 'call':
    case 'catch':
      return { ...one, body: steady(one.body, prefix) };
    case 'repeat':
      return { ...one, body: { do: 'catch', body: forgetful(steady(one.body, prefix)) } };
    case 'remember':
    case 'recall':
    case 'forget':
      return { ...one, key: `${prefix}${one.key}` };
    default:
      return one;
  }
}

/** Removes the instructions that use shared memory or that are counted per frame. */
function forgetful(one: Instruction): Instruction {
  if (['remember', 'recall', 'forget', 'model'].includes(one.do)) return { do: 'note' };
  if ('parts' in one) return { ...one, parts: one.parts.map(forgetful) };
  return 'body' in one ? { ...one, body: forgetful(one.body) } : one;
}

/** Makes some instructions depend on the order. */
function racy(one: Instruction, draw: () => number): Instruction {
  if ('parts' in one) {
    const kinds = ['race', 'all', 'parallel'] as const;
    const parts = one.parts.map((part) => racy(part, draw));
    if (one.do === 'sequence' || parts.length === 0) return { do: 'sequence', parts };
    return { do: kinds[draw() % 3] ?? 'race', parts };
  }
  if ('body' in one) {
    const body = racy(one.body, draw);
    return draw() === 0 ? { do: 'float', body: { ...one, body } } : { ...one, body };
  }
  return one.do === 'effect' && draw() < 2 ? { do: 'measure', key: one.key } : one;
}
