import { optional } from '../../../core/collections.ts';
import type { CheckedStep } from '../checked-plan.ts';
import type { SopEvent, SopStatus } from '../sop-event.ts';
import type { Clock, SopOptions } from '../sop-options.ts';
import type { StepValue } from '../step-value.ts';
import type { Work } from './work.ts';

/** A value of a step, and whether it was there before. */
export interface Settled {
  readonly value: StepValue;
  readonly isKept?: true;
}

/** Tells the host what happens; the clock is looked at only if somebody listens. */
export interface Teller {
  planStarted(script: string): void;
  started(work: Work): void;
  ended(step: CheckedStep, settled: Settled, index?: number): void;
  planEnded(status: SopStatus): void;
}

/** A teller for the listener of these options, whose failures are not caught. */
export function createTeller(options: SopOptions, clock: Clock): Teller {
  const tell = (event: SopEvent): void => options.onEvent?.(event);
  const at = (): number => (options.onEvent === undefined ? 0 : clock.now());
  const ofStep = (
    { name, command }: CheckedStep,
    index: number | undefined,
  ): { variable: string; index?: number; command: string } => ({
    variable: name,
    ...optional('index', index),
    command,
  });
  return {
    planStarted: (script) => tell({ at: at(), type: 'plan.started', script }),
    started({ step, index, bound }) {
      const { input } = bound;
      const comment = optional('comment', step.comment);
      tell({ at: at(), type: 'step.started', ...ofStep(step, index), input, ...comment });
    },
    ended: (step, settled, index) =>
      tell({ at: at(), type: 'step.ended', ...ofStep(step, index), ...settled }),
    planEnded: (status) => tell({ at: at(), type: 'plan.ended', status }),
  };
}
