import { optional } from '../../src/core/collections.ts';
import type { SopIssue } from '../../src/engines/sop/issue.ts';
import type { Declares, Plan, PlanArgument, PlanStep } from '../../src/engines/sop/plan.ts';

/** A step without its source positions. */
export interface StepShape {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly ArgumentShape[];
  /** A reference, without the dollar sign. */
  readonly each?: string;
  readonly when?: string;
  readonly whenNot?: string;
  readonly comment?: string;
}

/** Text as a string, a reference as `{ $ }`, and a named argument with its key. */
export type ArgumentShape =
  string | { readonly $: string } | { readonly key: string; readonly value: string | { readonly $: string } };

/** Returns the complete content of a plan, without positions. */
export function shapeOf({ steps }: Plan): readonly StepShape[] {
  return steps.map(shapeOfStep);
}

function shapeOfStep({ name, command, arguments: given, each, when, comment }: PlanStep): StepShape {
  return {
    name,
    command,
    arguments: given.map(shapeOfArgument),
    ...optional('each', each?.path),
    ...(when === undefined ? {} : { [when.isNegated ? 'whenNot' : 'when']: when.of.path }),
    ...optional('comment', comment),
  };
}

function shapeOfArgument(argument: PlanArgument): ArgumentShape {
  const value = argument.kind === 'text' ? argument.text : { $: argument.path };
  return argument.key === undefined ? value : { key: argument.key, value };
}

/** Returns one string such as `2:7 sop.open-string` for each issue. */
export function positionsOf(issues: readonly SopIssue[]): readonly string[] {
  return issues.map(({ line, column, code }) => `${line}:${column} ${code}`);
}

/** Declares the argument names that each command accepts. */
export function declaring(names: Readonly<Record<string, readonly string[]>>): Declares {
  return (command, key) => Object.hasOwn(names, command) && (names[command] ?? []).includes(key);
}
