import { createLimiter, familyOf, toErrorData, type Family, type Issue, type Skill } from '../core/index.ts';
import type { Registry } from '../skills/registry/registry.ts';
import type { Skills } from '../skills/skills.ts';
import type { EarlyPreparation } from '../run/calls/early-preparation.ts';
import { preparationId } from '../run/log/sanitize.ts';
import { reachedAs } from '../run/permissions/tool-lists.ts';
import type { RunServices } from './runs/run-handle.ts';

/** A skill that is being prepared before its first call. */
export interface PendingPreparation {
  readonly skill: string;
  /** The id of the run that prepares the skill, once that run has started. */
  readonly runId: string;
}

/** Everything needed for early preparation. */
interface PreparationPorts {
  readonly skills: Pick<Skills, 'snapshot' | 'subscribe' | 'digest'>;
  /** Returns a skill's definition from its family. Throws if its descriptor is unusable. */
  readonly definitionOf: (skill: Skill, family: Family) => unknown;
  /** Opens the run services. Called only when a skill needs to be prepared. */
  readonly open: () => Promise<Pick<RunServices, 'runs'>>;
}

const maxConcurrent = 4;

/**
 * Prepares skills whose families request it before the first call. Each version is prepared once, including
 * skills that are added or changed later. Does nothing before `begin`, never makes a caller wait and never
 * throws. A failure is recorded in the skill's run and reported in `issues`.
 */
export class Preparations {
  readonly #ports: PreparationPorts;
  readonly #begun = new Set<string | object>();
  readonly #scheduled = new Map<string, PendingPreparation>();
  readonly #pending = new Set<EarlyPreparation>();
  readonly #failures = new Map<string, Failure>();
  readonly #open = new Set<Promise<void>>();
  readonly #limiter = createLimiter(maxConcurrent);
  readonly #stopped = new AbortController();
  #isBegun = false;
  #unsubscribe: (() => void) | undefined;

  constructor(ports: PreparationPorts) {
    this.#ports = ports;
  }

  /**
   * Schedules all skills that need to be prepared. Called when the agent is ready and with every execution;
   * only the first call has an effect.
   */
  begin(): void {
    if (this.#isStopped || this.#isBegun) return;
    this.#isBegun = true;
    this.#waitFor(this.#follow());
  }

  /** The preparations that have not ended yet, including queued ones. */
  get pending(): readonly PendingPreparation[] {
    return [...this.#scheduled.values(), ...this.#pending].map(({ skill, runId }) => ({ skill, runId }));
  }

  /** The skills whose preparation failed. A later call or a file change can trigger another attempt. */
  get issues(): readonly Issue[] {
    const failures = [...this.#failures.values()];
    return failures.filter(({ preparation }) => !preparation.isDone()).map(({ issue }) => issue);
  }

  /** Resolves when no preparations remain, even for skills added meanwhile. Calls `begin` if necessary. */
  async settled(): Promise<void> {
    this.begin();
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Prevents further preparations from starting. */
  stop(): void {
    this.#stopped.abort();
    this.#unsubscribe?.();
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #follow(): Promise<void> {
    // Run the scan separately, because the caller of `begin` must not wait for it or receive its errors.
    await Promise.resolve();
    const { skills } = this.#ports;
    const registry = skills.snapshot();
    const isNeeded = registry.families.some(({ generation }) => generation?.isEarly !== undefined);
    if (this.#isStopped || !isNeeded) return;
    this.#unsubscribe = skills.subscribe((_skills, { added, updated }) => {
      const changed = new Set([...added, ...updated]);
      this.#look(skills.snapshot(), (name) => changed.has(name));
    });
    this.#look(registry);
  }

  /** Immediately schedules the skills that need preparation, and then examines them in the background. */
  #look(registry: Registry, isMeant: (name: string) => boolean = () => true): void {
    const due = registry.skills.filter((skill) => isMeant(skill.name) && this.#isDue(registry, skill));
    for (const skill of due) {
      this.#failures.delete(skill.name);
      const runId = preparationId(this.#ports.skills.digest(skill));
      this.#scheduled.set(reachedAs(registry, skill), { skill: skill.name, runId });
    }
    if (due.length > 0) this.#waitFor(this.#find(due.map((skill) => reachedAs(registry, skill))));
  }

  #isDue(registry: Registry, skill: Skill): boolean {
    const family = skill.status === 'ready' ? familyOf(registry.families, skill) : undefined;
    const { prepare, isEarly, isDue } = family?.generation ?? {};
    if (family === undefined || prepare === undefined || isEarly === undefined) return false;
    try {
      const definition = this.#ports.definitionOf(skill, family);
      return isEarly(definition) && isDue?.(definition, skill.dir) !== false;
    } catch {
      return false; // The skill's files changed or are unreadable; its first call reports this.
    }
  }

  async #find(names: readonly string[]): Promise<void> {
    try {
      const { runs } = await this.#ports.open();
      for (const name of names) {
        const found = await runs.early(name);
        if (this.#isStopped) return;
        this.#scheduled.delete(name);
        if (found === undefined || this.#begun.has(found.version)) continue;
        this.#begun.add(found.version);
        this.#pending.add(found);
        this.#waitFor(this.#prepare(found));
      }
    } finally {
      for (const name of names) this.#scheduled.delete(name);
    }
  }

  async #prepare(preparation: EarlyPreparation): Promise<void> {
    try {
      await this.#limiter.run(() => preparation.begin(), this.#stopped.signal);
    } catch (thrown) {
      if (!this.#isStopped) this.#failures.set(preparation.skill, failureOf(preparation, thrown));
    } finally {
      this.#pending.delete(preparation);
    }
  }

  /** Makes `settled` wait until the given work has succeeded or failed. */
  #waitFor(work: Promise<void>): void {
    const ended = work
      // The run records a failure. If the services fail to open, the next run reports it.
      .catch(() => undefined)
      .then(() => void this.#open.delete(ended));
    this.#open.add(ended);
  }
}

/** A preparation that failed, as `diagnostics` reports it. */
interface Failure {
  readonly preparation: EarlyPreparation;
  readonly issue: Issue;
}

function failureOf(preparation: EarlyPreparation, thrown: unknown): Failure {
  const { skill, runId, file } = preparation;
  const { code, message } = toErrorData(thrown);
  const issue: Issue = {
    level: 'warning',
    code: 'skill.unprepared',
    message: `"${skill}" could not be prepared: ${message}`,
    ...(file === '' ? {} : { file }),
    hint: `The next call tries again. To see what happened: \`skilled trace ${runId}\``,
    details: { skill, runId, code },
  };
  return { preparation, issue };
}
