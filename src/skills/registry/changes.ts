import { reasonOf, type Issue, type Skill } from '../../core/index.ts';
import type { SkillRecord } from './record.ts';
import type { Registry } from './registry.ts';

/** Called after each change with the skills that have a name of their own and what changed; what it throws or rejects with is reported. */
export type SkillListener = (skills: readonly Skill[], change: SkillChange) => unknown;

/** Those who want to know of changes. */
interface Listeners {
  readonly size: number;
  /** Returns the function that ends the subscription. */
  add(listener: SkillListener): () => void;
  /** Tells everyone who listens now, changes always in their order, even when a listener changes something itself. */
  tell(skills: readonly Skill[], change: SkillChange): void;
  /** What listeners threw, the last ones of many. */
  readonly issues: readonly Issue[];
}

const mostIssues = 20;

/** Nobody yet. */
export function createListeners(): Listeners {
  const subscriptions = new Set<{ readonly listener: SkillListener }>();
  const waiting: { readonly skills: readonly Skill[]; readonly change: SkillChange }[] = [];
  let issues: readonly Issue[] = [];
  let isTelling = false;

  const report = (thrown: unknown): void => {
    const reason = reasonOf(thrown);
    const message = `A listener of the registry threw: ${reason}.`;
    issues = [...issues, { level: 'warning', code: 'registry.listener', message } as const].slice(
      -mostIssues,
    );
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
    tell(skills, change) {
      waiting.push({ skills, change });
      if (isTelling) return;
      isTelling = true;
      try {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          for (const subscription of [...subscriptions]) {
            if (subscriptions.has(subscription)) call(subscription.listener, next.skills, next.change);
          }
        }
      } finally {
        isTelling = false;
      }
    },
  };
}

/** What a new snapshot changed among the skills that can be called. */
export interface SkillChange {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly version: number;
}

/** The differences between two snapshots; undefined when no caller could tell them apart. */
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

/** Two steps instead of one joined key: this runs over every skill after every change. */
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

function isCallable({ status }: SkillRecord): boolean {
  return status === 'ready' || status === 'unavailable';
}

function differs(a: SkillRecord, b: SkillRecord): boolean {
  return (
    a.sum !== b.sum ||
    a.status !== b.status ||
    a.file !== b.file ||
    a.source !== b.source ||
    a.made !== b.made ||
    (a.missing !== b.missing && JSON.stringify(a.missing) !== JSON.stringify(b.missing))
  );
}
