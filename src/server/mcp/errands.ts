import { faultLine } from './fault-line.ts';

/** Work that no call waits for; whoever closes what it stands on does. */
export interface Errands {
  add(work: Promise<unknown>): void;
  /** Resolves when all of it is done. */
  done(): Promise<void>;
}

/** Keeps work that goes on beside calls; what goes wrong with it is reported in a line, and ends nothing else. */
export function createErrands(report: (line: string) => void): Errands {
  const open = new Set<Promise<unknown>>();
  return {
    add(work) {
      const errand = work
        .catch((thrown: unknown) => report(faultLine(thrown)))
        .finally(() => open.delete(errand));
      open.add(errand);
    },
    async done() {
      while (open.size > 0) await Promise.all(open);
    },
  };
}
