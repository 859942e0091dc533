/** Does something whenever it is called, never twice at once: calls while it is at work come to one more time. It must not reject. */
export function oneByOne(work: () => Promise<void>): () => void {
  let isAtWork = false;
  let isWanted = false;
  const run = async (): Promise<void> => {
    isAtWork = true;
    for (isWanted = true; isWanted;) {
      isWanted = false;
      await work();
    }
    isAtWork = false;
  };
  return () => {
    isWanted = true;
    if (!isAtWork) void run();
  };
}
