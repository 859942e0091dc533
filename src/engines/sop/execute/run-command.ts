import { toPlain } from '../../../core/json/normalize.ts';
import { AgentError } from '../../../core/error.ts';
import { freeze, type Json } from '../../../core/json.ts';
import type { CommandCall, SopResult, SopCommand } from '../command.ts';
import { failureOf } from './failure-of.ts';
import type { StepValue } from '../step-value.ts';
import { isVerdict } from '../verdict.ts';

/** What an execution came to: a value of its variable, or the end of the whole plan. */
export type Outcome = StepValue | { readonly status: 'impossible'; readonly reason: string };

/** Runs a command once; never rejects. A success is a copy that nobody can change, whatever the command does with its own. */
export async function runCommand(command: SopCommand, call: CommandCall): Promise<Outcome> {
  try {
    return outcomeOf(await command.run(call), call);
  } catch (thrown) {
    return { status: 'fail', error: failureOf(thrown), origin: call.variable };
  }
}

function outcomeOf(result: SopResult, { command, variable: origin }: CommandCall): Outcome {
  if (result === undefined) return { status: 'undefined', reason: 'the command gave no result', origin };
  if (!isVerdict(result)) return { status: 'success', value: keptValue(checked(result, command)) };
  switch (result.status) {
    case 'fail':
      return { status: 'fail', error: result.error, origin };
    case 'canceled':
      return { status: 'canceled', reason: result.reason, origin };
    case 'waiting':
      return { status: 'undefined', reason: 'waits for an answer', origin, question: result.question };
    case 'impossible':
      return { status: 'impossible', reason: result.reason };
  }
}

const kept = new WeakSet();

/** A copy, unless it is the value of another variable that is passed on: that may be large. */
function keptValue(result: unknown): Json {
  if (typeof result === 'object' && result !== null && kept.has(result)) return result as Json;
  const value = freeze(toPlain(result));
  if (typeof value === 'object' && value !== null) kept.add(value);
  return value;
}

/** Commands of others are not held to their types. */
function checked(result: unknown, command: string): unknown {
  const isValue = typeof result === 'number' ? Number.isFinite(result) : kinds.has(typeof result);
  if (isValue) return result;
  const what = typeof result === 'number' ? String(result) : `a ${typeof result}`;
  throw new AgentError('skill.failed', `"${command}" gave ${what}, which is no JSON value.`, {
    hint: 'Return text, a number, a boolean, null, a list or an object.',
  });
}

const kinds: ReadonlySet<string> = new Set(['string', 'boolean', 'object']);
