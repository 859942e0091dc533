import type { Json } from '../../../core/json.ts';
import type { Scope } from '../../../core/scope.ts';
import { isBasicCommand } from '../basic-commands.ts';
import type { CheckedPlan, CheckedStep } from '../checked-plan.ts';
import type { SopEvent } from '../sop-event.ts';
import type { StepValue } from '../step-value.ts';

/** Tells whoever watches a run what its plans are and what becomes of their steps. */
export interface PlanNotes {
  /** A plan is about to run; the first one has the number 1. */
  adopt(plan: CheckedPlan, number: number): void;
  onEvent(event: SopEvent): void;
}

/**
 * Notes for the run of a scope. A step that calls a skill is a frame of the run already, so only what no frame shows is
 * said: the plan itself, comments of steps, and steps that are kept, skipped or blocked, or that give a value by themselves.
 */
export function notePlans(scope: Scope): PlanNotes {
  let plan = 0;
  const called = new Set<string>();

  const noteEnd = (event: SopEvent & { readonly type: 'step.ended' }): void => {
    const { variable, index, command, value, isKept } = event;
    if (isKept !== true && called.has(keyOf(event)) && !isBasicCommand(command)) return;
    const sop = { plan, step: variable, ...(index === undefined ? {} : { index }), status: value.status };
    scope.note(`@${variable} ${isKept === true ? 'was done before and is kept' : said(value)}`, { sop });
  };

  return {
    adopt({ steps }, number) {
      plan = number;
      called.clear();
      const what = `Plan ${number}: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}.`;
      scope.note(what, { sop: { plan, steps: steps.map(shownStep) } });
    },
    onEvent(event) {
      if (event.type === 'step.ended') noteEnd(event);
      if (event.type !== 'step.started') return;
      called.add(keyOf(event));
      if (event.comment !== undefined && (event.index ?? 0) === 0)
        scope.note(event.comment, { sop: { plan, step: event.variable } });
    },
  };
}

function keyOf({ variable, index = -1 }: { readonly variable: string; readonly index?: number }): string {
  return `${index} ${variable}`;
}

function shownStep({ name, command, needs, each, when, comment }: CheckedStep): Json {
  return {
    name,
    command,
    needs: [...needs],
    ...(each === undefined ? {} : { each: each.path }),
    ...(when === undefined ? {} : { when: `${when.isNegated ? 'not ' : ''}${when.of.path}` }),
    ...(comment === undefined ? {} : { comment }),
  };
}

function said(value: StepValue): string {
  switch (value.status) {
    case 'success':
      return 'is set';
    case 'fail':
      return `failed: ${value.error.message}`;
    case 'undefined':
      return `did not run: ${value.reason}`;
    case 'canceled':
      return `was left out: ${value.reason}`;
  }
}
