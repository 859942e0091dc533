import type { CommandCall } from '../command.ts';
import { failureOf } from './failure-of.ts';
import type { Meter } from './limits.ts';
import { runCommand } from './run-command.ts';
import type { SopMonitor } from '../sop-options.ts';
import type { StepValue } from '../step-value.ts';
import type { Stop } from './stop.ts';
import type { Work } from './work.ts';

/** What a work came to: a value, the end of the whole plan, or both; neither when it was aborted before it began. */
export interface Performed {
  readonly value?: StepValue;
  readonly stop?: Stop;
}

/** Who looks on while work is done. */
export interface Onlookers {
  readonly meter: Meter;
  readonly monitor: SopMonitor | undefined;
  /** The command runs now. */
  onStart(work: Work): void;
  /** It has run; told before the monitor, so that nothing is lost when that one ends the plan. */
  onValue(work: Work, value: StepValue): void;
}

/** Does one work within its limits; rejects only for what `onStart` and `onValue` throw. */
export async function performWork(work: Work, call: CommandCall, onlookers: Onlookers): Promise<Performed> {
  const { meter, monitor } = onlookers;
  const tooMuch = meter.begin();
  if (tooMuch !== undefined) return { stop: { status: 'failed', error: tooMuch } };
  if (monitor?.before !== undefined) {
    const stop = await stopFrom(() => monitor.before?.(call, meter.counts()));
    if (stop !== undefined) return { stop };
  }
  const isAborted = (): boolean => call.signal.aborted;
  if (!isAborted()) onlookers.onStart(work);
  if (isAborted()) return {};

  const value = await runCommand(work.step.runs, call);
  if (value.status === 'impossible')
    return { stop: { status: 'cannot-complete', reason: value.reason, origin: call.variable } };
  onlookers.onValue(work, value);
  const tooBad = value.status === 'fail' && !isAborted() ? meter.fail(work.step.runs.name) : undefined;
  if (tooBad !== undefined) return { value, stop: { status: 'failed', error: tooBad } };
  if (monitor?.after === undefined) return { value };
  const stop = await stopFrom(() => monitor.after?.(call, value, meter.counts()));
  return stop === undefined ? { value } : { value, stop };
}

async function stopFrom(watch: () => void | Promise<void>): Promise<Stop | undefined> {
  try {
    await watch();
    return undefined;
  } catch (thrown) {
    return { status: 'failed', error: failureOf(thrown) };
  }
}
