/** Work in lines: what has the same name happens one after the other, in the order of the calls. */
export interface Lines {
  join<Value>(name: string, work: () => Promise<Value>): Promise<Value>;
}

/** Lines that are forgotten when they are empty. */
export function createLines(): Lines {
  const last = new Map<string, Promise<unknown>>();

  return {
    async join(name, work) {
      const before = last.get(name);
      const done = before === undefined ? work() : before.then(work, work);
      last.set(name, done);
      try {
        return await done;
      } finally {
        if (last.get(name) === done) last.delete(name);
      }
    },
  };
}
