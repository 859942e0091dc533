import type { ChangeFault } from '../records/change.ts';

/** Faults one below the other; those of several records say which one they are about. */
export function faultLines(faults: readonly ChangeFault[], total: number): readonly string[] {
  const isAboutOne = faults.every(({ index }) => index === faults[0]?.index);
  const lines = faults.map(({ index, line, message }) =>
    isAboutOne || line !== undefined ? `- ${message}` : `- Record ${index + 1}: ${message}`,
  );
  const more = total - faults.length;
  return more > 0 ? [...lines, `… and ${more.toLocaleString('en')} more.`] : lines;
}
