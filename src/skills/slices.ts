/** Milliseconds of work before others get their turn. */
const slice = 4;

/** Goes through the steps a slice at a time, so that nobody waits for all of them; false when it was stopped. */
export async function inSlices(steps: Iterator<unknown>, mayGoOn: () => boolean): Promise<boolean> {
  let end = performance.now() + slice;
  while (steps.next().done !== true) {
    if (performance.now() < end) continue;
    await new Promise((resolve) => setImmediate(resolve));
    if (!mayGoOn()) return false;
    end = performance.now() + slice;
  }
  return mayGoOn();
}
