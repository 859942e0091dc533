import type { CrashPoint } from '../../src/testing/crash-harness.ts';

/** Returns the crash points before and after each append, in order. */
export function crashPoints(appends: number): readonly CrashPoint[] {
  return Array.from({ length: appends }, (_, index) => index + 1).flatMap((at): readonly CrashPoint[] => [
    { at, when: 'before' },
    { at, when: 'after' },
  ]);
}
