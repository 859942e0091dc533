/** Signals that stop a server. */
export interface Stopped extends Disposable {
  /** Resolves with the first one; another one ends the process at once. */
  readonly stopped: Promise<unknown>;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens for signals that stop a server until it is disposed of. */
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
