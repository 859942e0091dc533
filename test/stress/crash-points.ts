import type { CrashPoint } from '../../src/testing/crash-harness.ts';

/** Both sides of each of so many appends, in order. */
export function crashPoints(appends: number): readonly CrashPoint[] {
  return Array.from({ length: appends }, (_, index) => index + 1).flatMap((at): readonly CrashPoint[] => [
    { at, when: 'before' },
    { at, when: 'after' },
  ]);
}
