/** A listener for signals that stop a server. */
interface Stopped extends Disposable {
  /** Resolves on the first signal. The second signal ends the process immediately. */
  readonly stopped: Promise<unknown>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens for signals that stop a server until the result is disposed. */
export function untilStopped(): Stopped {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(130);
    isStopping = true;
    resolve(undefined);
  };
  for (const signal of signals) process.on(signal, stop);
  return {
    stopped,
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
