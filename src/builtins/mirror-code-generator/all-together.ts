/** Waits for all of the work; what fails first calls the rest off, and is thrown once that has ended. */
export async function allTogether(
  signal: AbortSignal,
  begin: (signal: AbortSignal) => readonly Promise<void>[],
): Promise<void> {
  const failed = new AbortController();
  const failures: unknown[] = [];
  const work = begin(AbortSignal.any([signal, failed.signal])).map((one) =>
    one.catch((thrown: unknown) => {
      failures.push(thrown);
      failed.abort();
    }),
  );
  await Promise.all(work);
  if (failures.length > 0) throw failures[0];
}
