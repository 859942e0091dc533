import type { Json } from '../../src/core/json.ts';
import { isVerdict } from '../../src/engines/sop/command.ts';
import { resultOf, type RandomPlan, type RandomStep } from './runnable-plan.ts';

/** The outcome of a step, and the step that caused it. */
export interface Became {
  readonly status: 'success' | 'fail' | 'undefined' | 'canceled';
  readonly value?: Json;
  readonly origin?: string;
}

/**
 * The simplest interpreter of random plans. Repeatedly evaluates, one by one, the steps whose inputs are ready.
 */
export function levelByLevel({ steps }: RandomPlan): Readonly<Record<string, Became>> {
  const values = new Map<number, Became>();
  while (values.size < steps.length) {
    const level = [...steps.entries()].filter(([index, step]) => !values.has(index) && isReady(step, values));
    for (const [index, step] of level) values.set(index, become(step, values));
  }
  return Object.fromEntries(steps.map(({ name }, index) => [name, values.get(index)!]));
}

type Values = ReadonlyMap<number, Became>;

function isReady({ needs, list, guard }: RandomStep, values: Values): boolean {
  return [...needs, list, guard?.of].every((index) => index === undefined || values.has(index));
}

function become(step: RandomStep, values: Values): Became {
  const { name, guard, list, needs } = step;
  if (guard !== undefined && isNothing(values.get(guard.of)!) !== guard.isNegated)
    return { status: 'canceled', origin: name };
  const all = [...(list === undefined ? [] : [list]), ...needs].map((index) => values.get(index)!);
  const bad = all.filter(({ status }) => status !== 'success');
  if (bad.length > 0) {
    const status = bad.every((one) => one.status === 'canceled') ? 'canceled' : 'undefined';
    return { status, origin: bad[0]!.origin! };
  }
  const given = needs.map((index) => values.get(index)!.value!);
  if (list === undefined) return execute(step, [name, ...given]);
  const items = values.get(list)!.value!;
  if (!Array.isArray(items)) return { status: 'fail', origin: name };
  const results = (items as Json[]).map((item) => execute(step, [item, name, ...given]));
  for (const status of ['fail', 'undefined'] as const)
    if (results.some((result) => result.status === status)) return { status, origin: name };
  return { status: 'success', value: results.map(({ value }) => value ?? null) };
}

function isNothing({ status, value }: Became): boolean {
  return status !== 'success' || value === 0 || (Array.isArray(value) && value.length === 0);
}

function execute({ name, command }: RandomStep, given: readonly Json[]): Became {
  const text = given.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(' ');
  try {
    const result = resultOf(command, text);
    if (result === undefined) return { status: 'undefined', origin: name };
    return isVerdict(result) ? { status: 'canceled', origin: name } : { status: 'success', value: result };
  } catch {
    return { status: 'fail', origin: name }; // the only way in which these commands fail
  }
}
