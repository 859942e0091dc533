import { dirname } from 'node:path';
import { digestFolder } from './digest.ts';
import type { Found } from './scan-state.ts';

/** The digests of watched bundles, so that a change of a file beside the descriptor is told from a mere touch. */
export interface BundleDigests {
  /** Which bundles there are now; resolves when each has a digest to compare with. */
  track(found: readonly Found[]): Promise<void>;
  /** The bundle that a path lies in. */
  bundleAt(path: string): string | undefined;
  /** Whether the content of a bundle differs from when it was last asked. */
  hasChanged(dir: string): boolean;
  close(): void;
}

const slice = 200;

/** Digests computed in slices, so that nobody waits for ten thousand bundles at once. */
export function bundleDigests(): BundleDigests {
  let digests = new Map<string, string | undefined>();
  let open = true;
  const measure = (dir: string): string => {
    try {
      return digestFolder(dir);
    } catch (thrown) {
      return `unreadable: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    }
  };
  return {
    async track(found) {
      const next = new Map<string, string | undefined>();
      for (const { loose, realFile } of found) {
        const dir = dirname(realFile);
        if (!loose) next.set(dir, digests.get(dir));
      }
      digests = next;
      let count = 0;
      for (const [dir, digest] of next) {
        if (digest !== undefined) continue;
        if (!open || digests !== next) return;
        next.set(dir, measure(dir));
        if (++count % slice === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    bundleAt(path) {
      for (let dir = path; ; dir = dirname(dir)) {
        if (digests.has(dir)) return dir;
        if (dirname(dir) === dir) return undefined;
      }
    },
    hasChanged(dir) {
      const before = digests.get(dir);
      const now = measure(dir);
      digests.set(dir, now);
      return before !== now;
    },
    close() {
      open = false;
    },
  };
}
