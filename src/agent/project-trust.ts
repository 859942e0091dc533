import type { TrustSubject } from '../core/index.ts';

/** The trust of a program in the skills of its project. */
export interface ProjectTrust {
  /** Whether a skill belongs to the project and its files are as they were when it was first used. */
  vouchesFor(skill: TrustSubject): boolean;
  /** Extends the trust to files that were generated from a trusted version of a skill. */
  inherit(from: string, to: string): void;
}

/**
 * Creates the trust in a project's skills. It covers the first version of each skill that the agent uses, so
 * that a run that changes a skill gains nothing.
 */
export function createProjectTrust(): ProjectTrust {
  const first = new Map<string, string>();
  const trusted = new Set<string>();
  return {
    vouchesFor({ source, skill, dir, digest }) {
      const now = source === 'project' ? digest() : undefined;
      if (now === undefined) return false;
      const key = JSON.stringify([dir, skill]);
      if (dir !== undefined && !first.has(key)) {
        first.set(key, now);
        trusted.add(now);
      }
      return trusted.has(now);
    },
    inherit(from, to) {
      if (trusted.has(from)) trusted.add(to);
    },
  };
}
