import { reasonOf } from '../core/error.ts';
import type { Issue } from '../core/issue.ts';
import type { Skill } from '../core/skill.ts';
import type { SkillChange } from './change.ts';

/** Called after each change with the skills that have a name of their own and what changed; what it throws or rejects with is reported. */
export type SkillListener = (skills: readonly Skill[], change: SkillChange) => unknown;

/** Those who want to know of changes. */
export interface Listeners {
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
