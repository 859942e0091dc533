import { optional } from '../../src/core/collections.ts';
import type { PlanArgument, Declares, Plan, PlanStep } from '../../src/engines/sop/plan.ts';
import type { SopIssue } from '../../src/engines/sop/issue.ts';

/** A step as a person would note it down, without its places. */
export interface StepShape {
  readonly name: string;
  readonly command: string;
  readonly arguments: readonly ArgumentShape[];
  /** References are noted without the dollar sign. */
  readonly each?: string;
  readonly when?: string;
  readonly whenNot?: string;
  readonly comment?: string;
}

/** A text as it is, a reference as `{$}`, and a named one with its key. */
export type ArgumentShape =
  string | { readonly $: string } | { readonly key: string; readonly value: string | { readonly $: string } };

/** All that a plan says. */
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

/** `2:7 sop.open-string` for each. */
export function positionsOf(issues: readonly SopIssue[]): readonly string[] {
  return issues.map(({ line, column, code }) => `${line}:${column} ${code}`);
}

/** Says which commands take which names. */
export function declaring(names: Readonly<Record<string, readonly string[]>>): Declares {
  return (command, key) => Object.hasOwn(names, command) && (names[command] ?? []).includes(key);
}
