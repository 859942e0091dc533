import type { ModelSource, Store } from '../../core/index.ts';
import { shutDown } from '../../run/lifecycle/stop.ts';
import { workspaceOf, type AgentOptions } from '../options.ts';
import type { AgentContext } from '../setup.ts';
import { currentStore } from './earlier-store.ts';
import type { RunServices } from './run-handle.ts';

const usualDrain = 10_000; // The default time to wait for unfinished runs when closing, in milliseconds.
const usualRetention = 30; // The default retention time for ended runs, in days.

/** Loads an agent's kernel and opens its store when the first run needs them. */
export class LazyRunServices {
  readonly #context: AgentContext;
  readonly #before: () => Promise<void> | undefined;
  #services: Promise<RunServices> | undefined;
  #tidying: Disposable | undefined;
  #isClosed = false;
  #isOver = false;

  /** `before` is called and awaited when the services are opened for the first run. */
  constructor(context: AgentContext, before: () => Promise<void> | undefined = () => undefined) {
    this.#context = context;
    this.#before = before;
  }

  /** Whether shutdown has begun. Shutting down also stops all timers. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  open(): Promise<RunServices> {
    if (this.#services === undefined && this.#isClosed) return Promise.reject(shutDown());
    return (this.#services ??= this.#make());
  }

  /**
   * Opens the services like `open`, but also during a shutdown, until the shutdown has finished waiting for
   * runs.
   */
  openUntilOver(): Promise<RunServices> {
    return this.#isOver ? Promise.reject(shutDown()) : this.open();
  }

  /**
   * Waits up to `drainMs` milliseconds for runs to end; unfinished runs can be resumed later. Does not close
   * a store that the caller passed in.
   */
  async close(drainMs = usualDrain): Promise<void> {
    this.#isClosed = true;
    const services = await this.#services?.catch(() => undefined);
    this.#tidying?.[Symbol.dispose]();
    services?.sessions.stopCleanup();
    await services?.runs.close(drainMs);
    this.#isOver = true;
    await services?.sessions.close();
    if (typeof this.#context.options.store !== 'object') await services?.store.close();
  }

  async #make(): Promise<RunServices> {
    const context = this.#context;
    const [{ Runs }, { Sessions }, { runtimeOf }, store, models] = await Promise.all([
      import('../../run/runs.ts'),
      import('../../sessions/sessions.ts'),
      import('./runtime.ts'),
      openStore(context),
      openModels(context),
      this.#before(),
    ]);
    const workspace = workspaceOf(context.options);
    const inFile =
      workspace === undefined ? new Map<string, string>() : await context.ports.readEnvFile(workspace);
    this.#tidying = scheduleExpiry(store, context.options.retentionDays ?? usualRetention);
    const runs = new Runs(runtimeOf(context, { store, models, inFile }));
    const config = { ...context.setUp.settings.sessionConfig, ...context.options.sessionConfig };
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

/**
 * Opens the models. Options take precedence over settings. The workspace's `.env` file and local model
 * servers are used only if the agent reads the settings files.
 */
async function openModels({ options, ports, setUp }: AgentContext): Promise<ModelSource> {
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

async function openStore({ options, ports }: AgentContext): Promise<Store> {
  return typeof options.store === 'object' ? currentStore(options.store) : ports.openStore(options.store);
}

const day = 86_400_000; // One day, in milliseconds.
const hour = 3_600_000;

/**
 * Deletes runs that ended more than `days` days ago, immediately and then every hour; 0 keeps all runs. If
 * deletion fails, it is retried an hour later.
 */
function scheduleExpiry(store: Store, days: number): Disposable {
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
