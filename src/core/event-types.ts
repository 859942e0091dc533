import type { Json } from './json.ts';
import type { Actor } from './policy/run-access.ts';
import type { Output, RunEnd } from './run.ts';

/** The run has ended. This is always the last event. */
export interface RunEnded {
  readonly type: 'run.ended';
  readonly status: RunEnd;
  readonly output: Output;
  /** Who cancelled the run. */
  readonly actor?: Actor;
}

/** A candidate skill for a prompt. */
export interface RoutingCandidate {
  /** The name that resolves to the skill. */
  readonly skill: string;
  /** Confidence that this skill applies, from 0 to 1. It is 0 if nothing matches the prompt. */
  readonly score: number;
  /** The words that the skill and the prompt have in common. */
  readonly words: readonly string[];
}

/** Emitted after skills are ranked for a prompt that does not name a skill. */
export interface CandidatesRanked {
  readonly type: 'candidates.ranked';
  /**
   * The kind of skills that were ranked. `routers` pass a prompt on to other skills; `workers` do the work.
   */
  readonly among: 'routers' | 'workers';
  /** The skills that were considered, best first. Skills without a score follow in alphabetical order. */
  readonly candidates: readonly RoutingCandidate[];
  /** The number of candidates omitted because there are too many. */
  readonly omitted: number;
  /** The minimum score. A skill with a lower score does not apply. */
  readonly threshold: number;
  /** Whether skills were ranked by words only, or also by meaning. */
  readonly by: 'words' | 'meaning';
  /** Whether the ranking found no skill that applies. */
  readonly abstained: boolean;
}

/** Emitted after the skill for the prompt is chosen. */
export interface SkillSelected {
  readonly type: 'skill.selected';
  /** The skill's name, or an empty string if no skill fits. */
  readonly skill: string;
  /**
   * How the skill was chosen: by the caller, the ranking, the session or a model. `ad-hoc` means that the
   * skill was created for the prompt; `nothing` means that no skill fits.
   */
  readonly by: 'name' | 'ranking' | 'session' | 'model' | 'ad-hoc' | 'nothing';
  /** The skill's input. Set if it was determined from the prompt. */
  readonly input?: Json;
  /** The reason for choosing the skill. Absent in logs of earlier releases. */
  readonly reason?: string;
  /** The comparison with other candidates. Set if the skill is a candidate of a ranking. */
  readonly evidence?: ChoiceEvidence;
}

/** The comparison of a chosen candidate with the best other candidate of its ranking. */
export interface ChoiceEvidence {
  /** The candidate's score, from 0 to 1. */
  readonly score: number;
  /** The candidate's lead over the next best, or its score if there is none. Negative if another is better. */
  readonly margin: number;
  /** The best other candidate. Absent if there is none. */
  readonly next?: string;
  /** The words that the skill and the prompt have in common, most informative first. */
  readonly words: readonly string[];
}

/** Returns how a candidate compares with the others of a ranking. Pure. */
export function evidenceFor(
  skill: string,
  candidates: readonly RoutingCandidate[],
): ChoiceEvidence | undefined {
  const chosen = candidates.find((candidate) => candidate.skill === skill);
  if (chosen === undefined) return undefined;
  const next = candidates.find((candidate) => candidate !== chosen && candidate.score > 0);
  const margin = Math.round((chosen.score - (next?.score ?? 0)) * 1000) / 1000;
  return {
    score: chosen.score,
    margin,
    ...(next === undefined ? {} : { next: next.skill }),
    words: chosen.words,
  };
}

/** A skill created an artifact, which is stored with the run. */
export interface ArtifactCreated {
  readonly type: 'artifact.created';
  /** A key that stays the same if the frame runs again, so that the artifact is not added twice. */
  readonly key: string;
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
  /** The digest of the full text: `sha256:` followed by 64 hexadecimal digits. */
  readonly digest: string;
  /** Set if the text is truncated. */
  readonly cut?: true;
  readonly data?: Json;
}

/** An output that a skill stores with its run, so that users can view and reuse it. */
export interface Artifact {
  /** The name that identifies the artifact within its run, like a path. */
  readonly name: string;
  readonly mediaType: string;
  /** The text, truncated after a million characters. */
  readonly text: string;
  /** The data needed to reuse the artifact, such as the input of a snippet. */
  readonly data?: Json;
}
