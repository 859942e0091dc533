/** What is in use, and how often at once. */
export interface Uses {
  isHeld(key: string): boolean;
  /** Holds a key from this moment until the work has settled. */
  hold<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

/** Nothing in use yet. */
export function createUses(): Uses {
  const counts = new Map<string, number>();

  return {
    isHeld: (key) => counts.has(key),
    async hold(key, work) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = (counts.get(key) ?? 1) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      }
    },
  };
}
