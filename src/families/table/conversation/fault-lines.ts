import type { ChangeFault } from '../records/change.ts';

/** Formats faults, one per line. If the faults are in several records, each line names its record. */
export function faultLines(faults: readonly ChangeFault[], total: number): readonly string[] {
  const isAboutOne = faults.every(({ index }) => index === faults[0]?.index);
  const lines = faults.map(({ index, line, message }) =>
    isAboutOne || line !== undefined ? `- ${message}` : `- Record ${index + 1}: ${message}`,
  );
  const more = total - faults.length;
  return more > 0 ? [...lines, `… and ${more.toLocaleString('en')} more.`] : lines;
}
