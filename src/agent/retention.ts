import type { Store } from '../core/store.ts';

const day = 86_400_000; // milliseconds
const hour = 3_600_000;

/** Forgets runs that ended so many days ago, now and every hour; 0 keeps them. Whoever fails to is asked again in an hour. */
export function keepTidy(store: Store, days: number): Disposable {
  const tidy = (): void => void store.expire(Date.now() - days * day).catch(() => 0);
  if (days === 0) return { [Symbol.dispose]: () => undefined };
  tidy();
  const timer = setInterval(tidy, hour);
  timer.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}
