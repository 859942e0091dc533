import type { RunEvent } from '../core/event.ts';
import type { OpenQuestion } from '../core/run.ts';
import { foldRun } from './run-tree.ts';

/** The questions of a run that wait for a person, oldest first. */
export function pendingOf(events: Iterable<RunEvent>): readonly OpenQuestion[] {
  return foldRun(events).questions;
}
