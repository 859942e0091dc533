import { reasonOf, type Issue, type Skill } from '../../core/index.ts';
import type { SkillRecord } from './record.ts';
import type { Registry } from './registry.ts';

/**
 * A function that is called after each change, with all ready and unavailable skills and the change. If it
 * throws or rejects, the error is reported as an issue.
 */
export type SkillListener = (skills: readonly Skill[], change: SkillChange) => unknown;

/** The listeners that are called after each change. */
interface Listeners {
  readonly size: number;
  /** Adds a listener. Returns a function that removes it. */
  add(listener: SkillListener): () => void;
  /** Calls all listeners. They receive changes in order, even if a listener causes another change. */
  notify(skills: readonly Skill[], change: SkillChange): void;
  /** The last error of each listener. */
  readonly issues: readonly Issue[];
}

const maxIssues = 20;

/** Creates an empty list of listeners. */
export function createListeners(): Listeners {
  const subscriptions = new Set<{ readonly listener: SkillListener }>();
  const waiting: { readonly skills: readonly Skill[]; readonly change: SkillChange }[] = [];
  let issues: readonly Issue[] = [];
  let isNotifying = false;

  const report = (thrown: unknown): void => {
    const reason = reasonOf(thrown);
    const message = `A registry listener failed: ${reason}.`;
    issues = [...issues, { level: 'warning', code: 'registry.listener', message } as const].slice(-maxIssues);
  };
  const call = (listener: SkillListener, skills: readonly Skill[], change: SkillChange): void => {
    try {
      const answer = listener(skills, change);
      if (answer instanceof Promise) answer.catch(report);
    } catch (thrown) {
      report(thrown);
    }
  };
  return {
    get size() {
      return subscriptions.size;
    },
    get issues() {
      return issues;
    },
    add(listener) {
      const subscription = { listener };
      subscriptions.add(subscription);
      return () => {
        subscriptions.delete(subscription);
      };
    },
    notify(skills, change) {
      waiting.push({ skills, change });
      if (isNotifying) return;
      isNotifying = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          for (const subscription of [...subscriptions]) {
            if (subscriptions.has(subscription)) call(subscription.listener, next.skills, next.change);
          }
        }
      } finally {
        isNotifying = false;
      }
    },
  };
}

/** The names of callable skills that changed in a new snapshot. */
export interface SkillChange {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly version: number;
}

/**
 * Returns the differences between two snapshots that are visible to callers, or undefined if there are none.
 */
export function changeBetween(
  before: Registry,
  after: Registry,
  touched: (skill: SkillRecord) => boolean,
): Omit<SkillChange, 'version'> | undefined {
  const gone = byFamilyAndName(before);
  const added: string[] = [];
  const updated: string[] = [];
  for (const skill of after.skills) {
    if (!isCallable(skill)) continue;
    const family = gone.get(skill.family);
    const earlier = family?.get(skill.name);
    family?.delete(skill.name);
    if (earlier === undefined) added.push(skill.name);
    else if (differs(earlier, skill) || touched(skill)) updated.push(skill.name);
  }
  const removed = [...gone.values()].flatMap((family) => [...family.keys()]).sort();
  return added.length + removed.length + updated.length === 0 ? undefined : { added, removed, updated };
}

/**
 * Indexes callable skills by family and name. Nested maps are faster than joined keys, which matters because
 * every change visits all skills.
 */
function byFamilyAndName(registry: Registry): ReadonlyMap<string, Map<string, SkillRecord>> {
  const families = new Map<string, Map<string, SkillRecord>>();
  for (const skill of registry.skills) {
    if (!isCallable(skill)) continue;
    const family = families.get(skill.family);
    if (family === undefined) families.set(skill.family, new Map([[skill.name, skill]]));
    else family.set(skill.name, skill);
  }
  return families;
}

/** Whether callers can call a skill, or could if its requirements were met. */
export function isCallable({ status }: SkillRecord): boolean {
  return status === 'ready' || status === 'unavailable';
}

/** Whether callers can see a difference between two versions of a skill. */
export function differs(a: SkillRecord, b: SkillRecord): boolean {
  return (
    a.sum !== b.sum ||
    a.status !== b.status ||
    a.file !== b.file ||
    a.source !== b.source ||
    a.codeDefinition !== b.codeDefinition ||
    (a.missing !== b.missing && JSON.stringify(a.missing) !== JSON.stringify(b.missing))
  );
}
