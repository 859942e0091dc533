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
 * Prepares skills before their first call if their families request it. Prepares each version of a skill
 * once, including skills that are added or changed later. A failure is recorded in the run that prepares the
 * skill and reported in `issues`. Does nothing before `begin`, never makes a caller wait, never throws.
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
   * Schedules all skills that need to be prepared. Called when the agent is ready and at the start of every
   * run; only the first call has an effect.
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
    if (this.#failures.size === 0) return [];
    const registry = this.#ports.skills.snapshot();
    return registry.skills.flatMap((skill): readonly Issue[] => {
      const failure = this.#failures.get(skill.name);
      if (failure === undefined || skill.status !== 'ready') return [];
      const issue = this.#generationIssue(registry, skill) ?? failure.unlessDone();
      return issue === undefined ? [] : [issue];
    });
  }

  /**
   * Resolves when no preparations remain, including those for skills added in the meantime. Calls `begin` if
   * necessary.
   */
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
    // Defer the scan, because the caller of `begin` must not wait for it or receive its errors.
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

  /** Immediately schedules the skills that need preparation, then prepares them in the background. */
  #look(registry: Registry, isMeant: (name: string) => boolean = () => true): void {
    const meant = registry.skills.filter((skill) => isMeant(skill.name) && skill.status === 'ready');
    const due = meant.filter((skill) => {
      const isDue = this.#isDue(registry, skill);
      if (!isDue) this.#checkGeneration(registry, skill);
      return isDue;
    });
    for (const skill of due) {
      const runId = preparationId(this.#ports.skills.digest(skill));
      this.#scheduled.set(reachedAs(registry, skill), { skill: skill.name, runId });
    }
    if (due.length > 0) this.#waitFor(this.#find(due.map((skill) => reachedAs(registry, skill))));
  }

  #isDue(registry: Registry, skill: Skill): boolean {
    const isDue = askFamily(this.#ports, registry, skill, ({ prepare, isDue }, definition) => {
      return prepare !== undefined && isDue?.(definition, skill.dir) !== false;
    });
    return isDue ?? false;
  }

  /**
   * Records whether an earlier attempt to generate the skill's code failed. If it failed, the skill is not
   * prepared early again.
   */
  #checkGeneration(registry: Registry, skill: Skill): void {
    if (this.#generationIssue(registry, skill) === undefined) this.#failures.delete(skill.name);
    else this.#failures.set(skill.name, { unlessDone: () => undefined });
  }

  #generationIssue(registry: Registry, skill: Skill): Issue | undefined {
    return askFamily(this.#ports, registry, skill, ({ inspect }, definition) => {
      const { status, issues = [] } = inspect?.(definition, skill.dir) ?? {};
      const cause = status === 'failed' ? issues.find(({ level }) => level === 'error') : undefined;
      return cause === undefined ? undefined : generationIssue(skill, cause);
    });
  }

  async #find(names: readonly string[]): Promise<void> {
    try {
      const { runs } = await this.#ports.open();
      for (const name of names) {
        const found = await runs.early(name);
        if (this.#isStopped) return;
        const skill = this.#scheduled.get(name)?.skill ?? name;
        this.#scheduled.delete(name);
        if (found !== undefined && this.#begun.has(found.version)) continue;
        this.#failures.delete(skill);
        if (found === undefined) continue;
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
      const registry = this.#ports.skills.snapshot();
      const skill = registry.skills.find(
        ({ name, status }) => name === preparation.skill && status === 'ready',
      );
      if (skill !== undefined) this.#checkGeneration(registry, skill);
    } catch (thrown) {
      if (!this.#isStopped) this.#failures.set(preparation.skill, failureOf(preparation, thrown));
    } finally {
      this.#pending.delete(preparation);
    }
  }

  /** Makes `settled` wait until the work has succeeded or failed. */
  #waitFor(work: Promise<void>): void {
    const ended = work
      // Failed preparations are recorded in their runs. If the services fail to open, the next run reports
      // the failure.
      .catch(() => undefined)
      .then(() => void this.#open.delete(ended));
    this.#open.add(ended);
  }
}

/** A failed preparation. */
interface Failure {
  /** Returns the issue to report, or undefined if the skill was prepared later. */
  unlessDone(): Issue | undefined;
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
  return { unlessDone: () => (preparation.isDone() ? undefined : issue) };
}

/**
 * Builds the issue for code that could not be generated, based on the issue that the skill's family reported.
 */
function generationIssue({ name: skill }: Skill, { code, message, details, ...cause }: Issue): Issue {
  return {
    ...cause,
    level: 'warning',
    code: 'skill.unprepared',
    message: `"${skill}" could not be prepared: ${message}`,
    details: { code, ...details, skill },
  };
}

/**
 * Calls `ask` with the code generator of a skill's family if the skill is prepared early. Otherwise, returns
 * undefined.
 */
function askFamily<Answer>(
  { definitionOf }: PreparationPorts,
  { families }: Registry,
  skill: Skill,
  ask: (generation: NonNullable<Family['generation']>, definition: unknown) => Answer,
): Answer | undefined {
  const family = familyOf(families, skill);
  if (family?.generation?.isEarly === undefined) return undefined;
  try {
    const definition = definitionOf(skill, family);
    return family.generation.isEarly(definition) ? ask(family.generation, definition) : undefined;
  } catch {
    return undefined; // The skill's files changed or are unreadable; its first call reports this.
  }
}
