import type { AgentOptions, Settings } from '../agent/options.ts';
import type { ErrorCode, Json, ModelOptions, RunLimits, RunStatus } from '../core/index.ts';
import type { ScriptedTurn } from '../models/scripted.ts';
import type { SkillEntry } from '../skills/eligibility/skill-settings.ts';

/** An eval, which tests a skill: the input and the expected result. */
export interface Eval {
  /** The name of the skill that is tested. */
  readonly skill: string;
  readonly name: string;
  /** The absolute path of the file that contains the eval. */
  readonly file: string;
  /** The line number of the eval, counted from 1. */
  readonly line: number;
  /** The skill's bundle directory. */
  readonly dir: string;
  /** The prompts or inputs, which run one after another in one session. */
  readonly turns: readonly Turn[];
  /** The replacement for the model. If absent, calls to models fail. */
  readonly model?: EvalModel;
  /** Answers to the skill's questions, in order. */
  readonly answers: readonly Json[];
  /**
   * The approvals that the eval grants: all, none, or those that match its rules. If undefined, the caller
   * decides on each approval request.
   */
  readonly approve?: 'all' | 'none' | readonly string[];
  /** File contents, keyed by path in the workspace. */
  readonly files: Readonly<Record<string, string>>;
  /** The absolute path of a folder whose contents are copied to the workspace before the eval starts. */
  readonly workspace?: string;
  readonly roles?: readonly string[];
  readonly limits?: Partial<RunLimits>;
  /** Settings that replace the user's settings for the skill. */
  readonly settings?: SkillEntry;
  readonly timeoutSeconds: number;
  readonly expect: Expectation;
}

/** The prompt or input that starts one run of an eval. */
export type Turn = { readonly prompt: string } | { readonly input: Json };

/** A replacement for the model in an eval. */
export type EvalModel =
  | { readonly script: readonly ScriptedTurn[] }
  /** The absolute path of a file with recorded answers. */
  | { readonly recording: string };

/** An eval's expected result. Fields that are absent are not checked. */
export interface Expectation {
  readonly status: RunStatus;
  readonly text?: TextExpectation;
  readonly value?: ValueExpectation;
  readonly error?: ErrorCode;
  /** The names of the skills that must be called, in order. With `isWhole`, no other skills may be called. */
  readonly calls?: { readonly names: readonly string[]; readonly isWhole: boolean };
  readonly maxCalls?: number;
  /** Expected files, keyed by path in the workspace. Null means that the file must not exist. */
  readonly files?: Readonly<Record<string, TextExpectation | null>>;
}

/** Conditions for a text. The text must satisfy all conditions that are set. */
export interface TextExpectation {
  readonly equals?: string;
  readonly contains?: readonly string[];
  readonly matches?: RegExp;
}

/** The expected value: either the exact value, if `isWhole` is true, or the properties that it must have. */
export interface ValueExpectation {
  readonly value: Json;
  readonly isWhole: boolean;
}

/** The settings and resources that all evals in one run of `skilled test` share. */
export interface EvalContext {
  /** The project folder. */
  readonly folder: string;
  /** The options that locate skills. */
  readonly roots: Pick<AgentOptions, 'startDir' | 'additionalSkillRoots' | 'only' | 'userRoots'>;
  readonly settings: Settings;
  /** The user's decision on all approval requests that the eval leaves open. */
  readonly decides?: 'allow' | 'deny';
  /** The location of the store for runs. Defaults to a store in memory. */
  readonly store?: string;
  /** The models to use for new recordings. If absent, existing recordings are replayed. */
  readonly records?: ModelOptions;
  /** A signal that aborts all evals. */
  readonly signal: AbortSignal;
}

/** An error in an eval file. */
export interface EvalFault {
  /** The absolute path of the file. */
  readonly file: string;
  /** The line number of the error, counted from 1. */
  readonly line: number;
  /** The error message, as one sentence. */
  readonly message: string;
  readonly hint?: string;
}
