import type { AgentOptions, Settings } from '../agent/options.ts';
import type { ErrorCode, Json, ModelOptions, RunLimits, RunStatus } from '../core/index.ts';
import type { ScriptedTurn } from '../models/scripted.ts';
import type { SkillEntry } from '../skills/eligibility/skill-settings.ts';

/** One case of a skill: what it is given, and what must come of it. */
export interface Eval {
  /** A name that reaches the skill. */
  readonly skill: string;
  readonly name: string;
  /** The file that it stands in, absolute. */
  readonly file: string;
  /** One-based. */
  readonly line: number;
  /** The bundle of the skill. */
  readonly dir: string;
  /** What is said or given, one after the other in one session. */
  readonly turns: readonly Turn[];
  /** Who answers as the model; without it no model is asked. */
  readonly model?: TrialModel;
  /** To the questions of the skill, in their order. */
  readonly answers: readonly Json[];
  /** What it may do beyond what is allowed anyway; undefined leaves that to whoever started the cases. */
  readonly approve?: 'all' | 'none' | readonly string[];
  /** Texts by their path in the workspace. */
  readonly files: Readonly<Record<string, string>>;
  /** A folder that the workspace begins as a copy of, absolute. */
  readonly workspace?: string;
  readonly roles?: readonly string[];
  readonly limits?: Partial<RunLimits>;
  /** Stands in the place of what the settings say about the skill. */
  readonly settings?: SkillEntry;
  readonly timeoutSeconds: number;
  readonly expect: Expectation;
}

/** What begins one run of a case. */
export type Turn = { readonly prompt: string } | { readonly input: Json };

/** Who answers in the place of a model. */
export type TrialModel =
  | { readonly script: readonly ScriptedTurn[] }
  /** A file of answers, absolute. */
  | { readonly recording: string };

/** What must come of a case; what is absent may be anything. */
export interface Expectation {
  readonly status: RunStatus;
  readonly text?: TextExpectation;
  readonly value?: ValueExpectation;
  readonly error?: ErrorCode;
  /** Skills that are called, in their order. */
  readonly calls?: { readonly names: readonly string[]; readonly isWhole: boolean };
  readonly maxCalls?: number;
  /** By path in the workspace; null for what must not be there. */
  readonly files?: Readonly<Record<string, TextExpectation | null>>;
}

/** What a text must be like; all that is said must hold. */
export interface TextExpectation {
  readonly equals?: string;
  readonly contains?: readonly string[];
  readonly matches?: RegExp;
}

/** What a value must be like: all of it, or those of its members that are given. */
export interface ValueExpectation {
  readonly value: Json;
  readonly isWhole: boolean;
}

/** What all cases of one start stand on. */
export interface TrialGround {
  /** The folder of the project. */
  readonly folder: string;
  /** Where skills are looked for. */
  readonly roots: Pick<AgentOptions, 'startDir' | 'additionalSkillRoots' | 'only' | 'userRoots'>;
  readonly settings: Settings;
  /** Whatever nobody allowed is denied, or allowed, instead of asked about; a person said so. */
  readonly decides?: 'allow' | 'deny';
  /** Where runs are kept; in memory unless given. */
  readonly store?: string;
  /** The models that are asked to make recordings anew; without them recordings are replayed. */
  readonly records?: ModelOptions;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** What is wrong with a file of cases. */
export interface CaseFault {
  /** Absolute. */
  readonly file: string;
  /** One-based. */
  readonly line: number;
  /** A sentence. */
  readonly message: string;
  readonly hint?: string;
}
