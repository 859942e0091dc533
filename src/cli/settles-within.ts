/** Whether something settles within so many milliseconds. */
export async function settlesWithin(something: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, milliseconds, false);
  try {
    return await Promise.race([something.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
