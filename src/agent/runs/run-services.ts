import type { ModelSource, Store } from '../../core/index.ts';
import { shutDown } from '../../run/lifecycle/stop.ts';
import { workspaceOf, type AgentOptions } from '../options.ts';
import type { Lender } from '../setup.ts';
import type { RunServices } from './run-handle.ts';

const usualDrain = 10_000; // milliseconds
const usualRetention = 30; // days

/** The kernel and the store of an agent: loaded and opened with its first run, and nothing of them before. */
export class LazyRunServices {
  readonly #lender: Lender;
  readonly #before: () => Promise<void> | undefined;
  #works: Promise<RunServices> | undefined;
  #tidying: Disposable | undefined;
  #isClosed = false;

  /** `before` is awaited with the first run. */
  constructor(lender: Lender, before: () => Promise<void> | undefined = () => undefined) {
    this.#lender = lender;
    this.#before = before;
  }

  open(): Promise<RunServices> {
    if (this.#works === undefined && this.#isClosed) return Promise.reject(shutDown());
    return (this.#works ??= this.#make());
  }

  /** Lets runs end for so many milliseconds, and leaves the others to be resumed; a store that the caller gave is the caller's to close. */
  async close(drainMs = usualDrain): Promise<void> {
    this.#isClosed = true;
    const works = await this.#works?.catch(() => undefined);
    this.#tidying?.[Symbol.dispose]();
    works?.sessions.close();
    await works?.runs.close(drainMs);
    if (typeof this.#lender.options.store !== 'object') await works?.store.close();
  }

  async #make(): Promise<RunServices> {
    const lender = this.#lender;
    const [{ Runs }, { Sessions }, { runtimeOf }, store, models] = await Promise.all([
      import('../../run/runs.ts'),
      import('../../sessions/sessions.ts'),
      import('./runtime.ts'),
      openStore(lender),
      openModels(lender),
      this.#before(),
    ]);
    const workspace = workspaceOf(lender.options);
    const inFile =
      workspace === undefined ? new Map<string, string>() : await lender.ports.readEnvFile(workspace);
    this.#tidying = keepTidy(store, lender.options.retentionDays ?? usualRetention);
    const runs = new Runs(runtimeOf(lender, { store, models, inFile }));
    const config = { ...lender.setUp.settings.sessionConfig, ...lender.options.sessionConfig };
    const sessions = new Sessions(config, {
      store,
      now: Date.now,
      keyOf: (id) => runs.keyOf(id),
      clean: (value) => runs.clean(value),
      onForget: (id) => runs.forgetSession(id),
    });
    return { store, runs, sessions };
  }
}

/** Options go before settings; only who reads settings has the machine looked at for models. */
async function openModels({ options, ports, setUp }: Lender): Promise<ModelSource> {
  const { models, tierConfig, providers, prices, retries, idleSeconds, offline } = options;
  if (isModelSource(models)) return models;
  const own = { models, tierConfig, providers, prices, retries, idleSeconds, offline };
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  const folder = options.settings === true ? workspaceOf(options) : undefined;
  return ports.openModels({ ...setUp.settings.modelOptions, ...given }, folder);
}

function isModelSource(models: AgentOptions['models']): models is ModelSource {
  return typeof models === 'object' && 'model' in models && typeof models.model === 'function';
}

async function openStore({ options, ports }: Lender): Promise<Store> {
  return typeof options.store === 'object' ? options.store : ports.openStore(options.store);
}

const day = 86_400_000; // milliseconds
const hour = 3_600_000;

/** Forgets runs that ended so many days ago, now and every hour; 0 keeps them. Whoever fails to is asked again in an hour. */
function keepTidy(store: Store, days: number): Disposable {
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
