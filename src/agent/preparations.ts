import { createLimiter } from '../core/index.ts';
import type { Registry } from '../skills/registry/registry.ts';
import type { Skills } from '../skills/skills.ts';
import type { EarlyPreparation } from '../run/calls/early-preparation.ts';
import { reachedAs } from '../run/permissions/tool-lists.ts';
import type { RunServices } from './runs/run-handle.ts';

/** A skill that is being prepared before anybody calls it. */
export interface PendingPreparation {
  readonly skill: string;
  /** The run that does it, once its turn has come. */
  readonly runId: string;
}

/** What early preparations stand on. */
interface PreparationPorts {
  readonly skills: Pick<Skills, 'snapshot' | 'subscribe'>;
  /** Opens the works of the agent; called when the first execution begins and not before. */
  readonly open: () => Promise<Pick<RunServices, 'runs'>>;
}

const mostAtOnce = 4;

/**
 * Prepares the skills whose families want that before the first call: once for each version, those that are added or
 * changed later too. Nothing begins before `begin`, nothing is thrown: what fails stands in its run.
 */
export class Preparations {
  readonly #ports: PreparationPorts;
  readonly #begun = new Set<string | object>();
  readonly #pending = new Set<EarlyPreparation>();
  readonly #open = new Set<Promise<void>>();
  readonly #limiter = createLimiter(mostAtOnce);
  readonly #stopped = new AbortController();
  #isBegun = false;
  #unsubscribe: (() => void) | undefined;

  constructor(ports: PreparationPorts) {
    this.#ports = ports;
  }

  /** Begins with all that there is to prepare; called with every execution, and does something once. */
  begin(): void {
    if (this.#isStopped || this.#isBegun) return;
    this.#isBegun = true;
    this.#attend(this.#follow());
  }

  /** Those that have not ended, also those that wait for their turn. */
  get pending(): readonly PendingPreparation[] {
    return [...this.#pending].map(({ skill, runId }) => ({ skill, runId }));
  }

  /** Resolves when none is left, those that come in meanwhile included; begins them where nothing did. */
  async settled(): Promise<void> {
    this.begin();
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopped.abort();
    this.#unsubscribe?.();
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #follow(): Promise<void> {
    await Promise.resolve(); // whoever begins does not wait for a look at the disk, nor hear of its trouble
    const { skills } = this.#ports;
    const registry = skills.snapshot();
    const isNeeded = registry.families.some(({ generation }) => generation?.isEarly !== undefined);
    if (this.#isStopped || !isNeeded) return;
    this.#unsubscribe = skills.subscribe((_skills, { added, updated }) => {
      const changed = new Set([...added, ...updated]);
      this.#look(namesIn(skills.snapshot(), (name) => changed.has(name)));
    });
    this.#look(namesIn(registry));
  }

  #look(names: readonly string[]): void {
    if (names.length > 0) this.#attend(this.#find(names));
  }

  async #find(names: readonly string[]): Promise<void> {
    const { runs } = await this.#ports.open();
    for (const name of names) {
      const found = await runs.early(name);
      if (this.#isStopped) return;
      if (found === undefined || this.#begun.has(found.version)) continue;
      this.#begun.add(found.version);
      this.#pending.add(found);
      this.#attend(this.#prepare(found));
    }
  }

  async #prepare(preparation: EarlyPreparation): Promise<void> {
    try {
      await this.#limiter.run(() => preparation.begin(), this.#stopped.signal);
    } finally {
      this.#pending.delete(preparation);
    }
  }

  /** Keeps it among what is waited for until it ends, however it ends. */
  #attend(work: Promise<void>): void {
    const ended = work
      .catch(() => undefined) // a failure stands in its run, and an agent that cannot open its works says so to whoever runs something
      .then(() => void this.#open.delete(ended));
    this.#open.add(ended);
  }
}

/** Unique names of the skills that may have to be prepared early. */
function namesIn(registry: Registry, isMeant: (name: string) => boolean = () => true): readonly string[] {
  const early = registry.families.filter(({ generation }) => generation?.isEarly !== undefined);
  const families = new Set(early.map(({ id }) => id));
  return registry.skills
    .filter(({ status, family, name }) => status === 'ready' && families.has(family) && isMeant(name))
    .map((skill) => reachedAs(registry, skill));
}
