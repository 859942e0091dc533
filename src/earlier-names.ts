import { renamedFunction } from './core/index.ts';
import { buildTimeline } from './views/timeline.ts';
import { sumUsage } from './views/usage.ts';
import { explainRun } from './views/why.ts';

// Names from release 0.1. The next release removes them.
export type {
  /** @deprecated Use `DatabaseOptions`. */
  DatabaseOptions as DatabaseGround,
} from './config/storage/open-database.ts';
export type {
  /** @deprecated Use `RenderContext`. */
  RenderContext as RenderPlace,
} from './core/descriptor/skill-text.ts';
export type {
  /** @deprecated Use `GeneratedCode`. */
  GeneratedCode as Made,
  /** @deprecated Use `GeneratedFile`. */
  GeneratedFile as MadeFile,
} from './core/family.ts';
export type {
  /** @deprecated Use `LastingApproval`. */
  LastingApproval as LastingLeave,
} from './core/policy.ts';
export type {
  /** @deprecated Use `CallMode`. */
  CallMode as Entrance,
  /** @deprecated Use `CallOverrides`. */
  CallOverrides as Wanted,
} from './core/run.ts';
export type {
  /** @deprecated Use `PlanArgument`. */
  PlanArgument as Argument,
  /** @deprecated Use `PlanGuard`. */
  PlanGuard as Guard,
  /** @deprecated Use `PlanLiteral`. */
  PlanLiteral as Literal,
  /** @deprecated Use `PlanReference`. */
  PlanReference as Reference,
  /** @deprecated Use `ScriptPosition`. */
  ScriptPosition as Place,
} from './engines/sop/plan.ts';
export type {
  /** @deprecated Use `ArtifactSummary`. */
  ArtifactSummary as KeptArtifact,
} from './views/run-node.ts';
export type {
  /** @deprecated Use `ModelRole`. */
  ModelRole as Role,
} from './core/model/sources.ts';
export type {
  /** @deprecated Use `InputParts`. */
  InputParts as Parts,
} from './core/policy.ts';
export type {
  /** @deprecated Use `ProcessCommand`. */
  ProcessCommand as Command,
  /** @deprecated Use `ProcessResult`. */
  ProcessResult as CommandResult,
} from './core/sandbox.ts';
export type {
  /** @deprecated Use `MissingRequirement`. */
  MissingRequirement as Missing,
} from './core/skill.ts';
export type {
  /** @deprecated Use `StoreEntry`. */
  StoreEntry as Entry,
} from './core/store.ts';
export type {
  /** @deprecated Use `LoopResult`. */
  LoopResult as Result,
  /** @deprecated Use `LoopResults`. */
  LoopResults as Results,
} from './engines/loop/references.ts';
export type {
  /** @deprecated Use `LoopTools`. */
  LoopTools as ToolChoice,
} from './engines/loop/run-loop.ts';
export type {
  /** @deprecated Use `BackgroundCall`. */
  BackgroundCall as Later,
  /** @deprecated Use `LoadedSkillText`. */
  LoadedSkillText as Loaded,
  /** @deprecated Use `ToolCondition`. */
  ToolCondition as Condition,
} from './engines/loop/tools.ts';
export type {
  /** @deprecated Use `CommandVerdict`. */
  CommandVerdict as Verdict,
} from './engines/sop/command.ts';
export type {
  /** @deprecated Use `CompletionRequest`. */
  CompletionRequest as Completion,
} from './models/llm-agent.ts';
export type {
  /** @deprecated Use `RunDecision`. */
  RunDecision as Reason,
} from './views/why.ts';

/** @deprecated Use `buildTimeline`. */
export const timelineOf = renamedFunction('timelineOf', 'buildTimeline', buildTimeline);

/** @deprecated Use `sumUsage`. */
export const usageOf = renamedFunction('usageOf', 'sumUsage', sumUsage);

/** @deprecated Use `explainRun`. */
export const whyOf = renamedFunction('whyOf', 'explainRun', explainRun);
