import type { Json } from './json.ts';

/** A skill that may be meant by a prompt. */
export interface RoutingCandidate {
  /** The name that leads to it. */
  readonly skill: string;
  /** From 0 to 1: how sure it is that this skill applies. */
  readonly score: number;
  /** The words of the prompt that it shares. */
  readonly words: readonly string[];
}

/** Skills were ranked for a prompt that names none. */
export interface CandidatesRanked {
  readonly type: 'candidates.ranked';
  /** Those that hand a prompt on to others, or those that do the work. */
  readonly among: 'routers' | 'workers';
  /** The best, best first. */
  readonly candidates: readonly RoutingCandidate[];
  /** How many others there are. */
  readonly omitted: number;
  /** Below it a skill does not apply. */
  readonly threshold: number;
  /** What decided: words alone, or meaning as well. */
  readonly by: 'words' | 'meaning';
  /** Whether none applies. */
  readonly abstained: boolean;
}

/** It was chosen which skill answers. */
export interface SkillSelected {
  readonly type: 'skill.selected';
  /** Empty when nothing fits. */
  readonly skill: string;
  /** Who chose it: whoever asked, the ranking, the session, a model; or it was made for the prompt, or nothing fits. */
  readonly by: 'name' | 'ranking' | 'session' | 'model' | 'ad-hoc' | 'nothing';
  /** What it is given, where the prompt decided that. */
  readonly input?: Json;
  /** In words, where there is more to say. */
  readonly reason?: string;
}
