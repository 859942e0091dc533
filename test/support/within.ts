/** The outcome of something that could wait for ever; rejects with what was waited for. */
export async function within<Value>(seconds: number, what: string, work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const clock = setTimeout(() => {
    late.reject(new Error(`${what} did not happen within ${seconds} s.`));
  }, seconds * 1000);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(clock);
  }
}
