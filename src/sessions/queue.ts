/** A place in a line. */
interface QueueTurn {
  /** Resolves when everybody before has left. */
  readonly turn: Promise<void>;
  /** Lets the next one in, now or when its own turn would have come. */
  leave(): void;
}

/** Lines by name, each in the order in which it was entered. */
interface KeyedQueue {
  /** Takes the last place of a line, at once. */
  enter(name: string): QueueTurn;
}

/** Lines that are forgotten when they are empty. */
export function createLines(): KeyedQueue {
  const ends = new Map<string, Promise<void>>();

  return {
    enter(name) {
      const turn = ends.get(name) ?? Promise.resolve();
      const { promise: left, resolve } = Promise.withResolvers<undefined>();
      const end = turn.then(() => left);
      ends.set(name, end);
      void end.then(() => {
        if (ends.get(name) === end) ends.delete(name);
      });
      return {
        turn,
        leave() {
          resolve(undefined);
        },
      };
    },
  };
}
