export { RecursiveSkilledAgent, loadSkill, parseSkill } from './config/preset.ts';
export type { AgentOptions, Settings } from './agent/options.ts';
export type { WaitingQuestion } from './agent/runs/pending.ts';
export type { PendingApproval } from './agent/runs/pending.ts';
export type { PendingPreparation } from './agent/preparations.ts';
export type { PromptContext, PromptIo, PromptOptions, PromptUser } from './agent/options.ts';
export type { RenderOptions } from './agent/render-skill.ts';
export type { RerunOptions, ResumeOptions, RunHistory } from './agent/runs/run-history.ts';
export type { AgentSession, CalledSkill, SkillOptions, SkillValue } from './agent/sessions/session.ts';
export type { ShellOptions, ShellResult } from './agent/sessions/session.ts';
export type { Artifact } from './core/scope.ts';
export type { Snippet, SnippetResult } from './core/code.ts';
export { defineSkill, type DefinedSkill, type SkillSpec } from './core/define-skill.ts';
export {
  defineFamily,
  type Configured,
  type Descriptor,
  type AssistantRequest,
  type AuthoringCapability,
  type Family,
  type FamilySpec,
  type GenerationCapability,
  type InputCapability,
  type Parsed,
  type PermissionCapability,
  type PromptCapability,
  type SkillFiles,
  type TextCapability,
} from './core/family.ts';
export { AgentError, isAgentError, type ErrorCode, type ErrorData } from './core/error.ts';
export type { Bundle } from './core/descriptor/bundle.ts';
export type { CodeModelOptions, CodeScope } from './core/code.ts';
export type { Embedder } from './core/model/sources.ts';
export type {
  ApprovalRequested,
  ApprovalResolved,
  ArtifactCreated,
  CallRefused,
  EventBody,
  EventType,
  FrameEnded,
  FrameStarted,
  InputRequested,
  InputResolved,
  ModelDelta,
  ModelEnded,
  ModelStarted,
  NewEvent,
  RunEvent,
  RunStarted,
  StepEnded,
  StepStarted,
} from './core/event.ts';
export type { Issue, IssueLevel } from './core/issue.ts';
export type { Json, JsonObject } from './core/json.ts';
export type { Memory } from './core/scope.ts';
export {
  collect,
  type FailedAttempt,
  type Message,
  type Model,
  type ModelEvent,
  type ModelReply,
  type ModelRequest,
  type NativeTurn,
  type StopReason,
  type Tier,
  type Tool,
  type ToolCall,
  type Usage,
} from './core/model.ts';
export type {
  ModelChoice,
  ModelOptions,
  ModelSource,
  NamedModel,
  Price,
  ProviderChoice,
  Role,
  TierChoice,
} from './core/model/sources.ts';
export { askValue, type AskedValue, type ValueCheck } from './core/model/ask-value.ts';
export type { Output } from './core/run.ts';
export type {
  Approval,
  ApprovalRequest,
  Decision,
  LastingLeave,
  Parts,
  Permission,
  PermissionRequest,
  Permissions,
  PermissionSubject,
  Pin,
  Policy,
  SkillVersion,
} from './core/policy.ts';
export type { Question } from './core/run.ts';
export type {
  HookEvent,
  HookMoment,
  HookVerdict,
  LoadedText,
  RenderedCommand,
  Rendering,
  RenderPlace,
  Replacement,
} from './core/descriptor/skill-text.ts';
export type { RunHandle } from './core/event.ts';
export type { RunLimits } from './core/run-limits.ts';
export type { OpenQuestion, RunEnd, RunRequest, RunResult, RunStatus } from './core/run.ts';
export type { MemoryMap, SessionConfig, SessionFacts, SessionMemory, SessionStats } from './core/session.ts';
export type {
  Command,
  CommandResult,
  Grant,
  LiveProcess,
  RejectedChange,
  Sandbox,
  SandboxLimits,
  SandboxMode,
  SandboxProvider,
} from './core/sandbox.ts';
export type {
  CallOptions,
  FoundSkill,
  InjectionStyle,
  Lifetime,
  ProcessInput,
  ProvidedSkill,
  Scope,
} from './core/scope.ts';
export type { SettingValue } from './core/servers/tool-server.ts';
export type {
  HttpServer,
  OAuthClient,
  ServerDescription,
  ServerFeatures,
  ServerPrompt,
  ServerResource,
  StdioServer,
  ToolContent,
  ToolDefinition,
  ToolRequest,
  ToolResult,
  ToolServer,
} from './core/servers/tool-server.ts';
export type { CatalogQuery, ShownCatalog } from './core/scope.ts';
export type { Database, RunSql, SqlRow, SqlStatement, SqlValue } from './core/database.ts';
export type { Entry, Epoch, RunQuery, RunSummary, Store } from './core/store.ts';
export type { Missing, Requirements, Skill, SkillCard, SkillStatus, Source } from './core/skill.ts';
export type { Entrance, Wanted } from './core/run.ts';
export type { BuildRequest, Made, MadeFile } from './core/family.ts';
export { readHeaded, type Headed } from './core/descriptor/read-descriptor.ts';
export { builtinFamilies } from './families/index.ts';
export { applySkillsPromptLimits, type Catalog, type CatalogOptions } from './skills/catalog/catalog.ts';
export { compactSkillPaths } from './skills/catalog/entries.ts';
export type { CatalogEntry } from './skills/catalog/entries.ts';
export type { CatalogLimits } from './skills/catalog/budget.ts';
export type { CatalogPriorities } from './skills/catalog/priority.ts';
export type { SkillChange } from './skills/registry/changes.ts';
export {
  buildLightSkillInjection,
  buildSkillInjection,
  type InjectedSkill,
} from './skills/catalog/injection.ts';
export type { SkillLimits } from './skills/limits.ts';
export type { SkillListener } from './skills/registry/changes.ts';
export type { LoadedSkill, LoadOptions } from './skills/load-skill.ts';
export type { Candidate, LearnOptions, Ranking, RankQuery } from './skills/rank/skill-ranking.ts';
export type { SkillQuery } from './skills/rank/search.ts';
export type { Skills } from './skills/skills.ts';
export type { RunArtifact } from './views/run-result.ts';
export { timelineOf, type TimelineRow } from './views/timeline.ts';
export { usageOf, type RunUsage, type UsageRow } from './views/usage.ts';
export { whyOf, type Reason } from './views/why.ts';
export { foldRun } from './views/run-tree.ts';
export type {
  Activity,
  Branch,
  FrameNode,
  KeptArtifact,
  RefusedNode,
  RunCounts,
  TreeNode,
  RunTree,
} from './views/run-node.ts';
export { createMemoryStore, type MemoryStoreOptions } from './stores/memory.ts';
export { openStore } from './config/storage/open-store.ts';
export { openDatabase, type DatabaseGround } from './config/storage/open-database.ts';
export { runLoop, type LoopRequest } from './engines/loop/run-loop.ts';
export { baseSystem } from './engines/loop/prompt.ts';
export { loopOutput, type LoopEnd, type LoopReason } from './engines/loop/end.ts';
export type { HookedCall, LoopHooks } from './engines/loop/hooks.ts';
export { offerTools, type OfferRequest } from './engines/loop/offer-tools.ts';
export type { ToolChoice } from './engines/loop/run-loop.ts';
export type { Result, Results } from './engines/loop/references.ts';
export type { Submit } from './engines/loop/submit.ts';
export {
  skillTools,
  type AroundTools,
  type ToolCondition as Condition,
  type Later,
  type LoadedSkillText as Loaded,
  type LoopTool,
  type ToolReply,
} from './engines/loop/tools.ts';
export { runSopSession } from './engines/sop/session/run-session.ts';
export { checkSop, type CheckedScript } from './engines/sop/check/check-sop.ts';
export type { CheckedPlan, CheckedStep } from './engines/sop/checked-plan.ts';
export type { CommandCall, CommandIndex, SopCommand, SopCommands, SopResult } from './engines/sop/command.ts';
export { createSop, type Sop } from './engines/sop/execute/run-sop.ts';
export { parseSop } from './engines/sop/language/parse-sop.ts';
export type {
  Argument,
  Guard,
  Literal,
  ScriptPosition as Place,
  Plan,
  PlanStep,
  Reference,
} from './engines/sop/plan.ts';
export { printSop } from './engines/sop/language/print-sop.ts';
export { runSop } from './engines/sop/execute/run-sop.ts';
export { skillCommands, type CallStyle } from './engines/sop/session/skill-commands.ts';
export type { SopCounts, SopEnd } from './engines/sop/plan-run.ts';
export type { SopEvent, SopStatus } from './engines/sop/plan-run.ts';
export type { SopIssue, SopIssueCode } from './engines/sop/issue.ts';
export type { Clock, SopLimits, SopMonitor, SopOptions } from './engines/sop/plan-run.ts';
export { sopOutput } from './engines/sop/session/session.ts';
export type { SessionLimits, SopMemory, SopRequest, SopSessionEnd } from './engines/sop/session/session.ts';
export type { SopState, StepRecord, StepValue } from './engines/sop/plan-run.ts';
export {
  cancelStep,
  failStep,
  giveUp,
  waitFor,
  type CommandVerdict as Verdict,
} from './engines/sop/command.ts';
export { serialiseSubagent, type SubagentChanges } from './families/subagent/serialise.ts';
export type { SubagentSettings } from './families/subagent/settings.ts';
export { LLMAgent } from './config/models/open-models.ts';
export type { CallSettings, Completion, LLMAgentOptions } from './models/llm-agent.ts';
export type { Ledger, LedgerEntry, LedgerTotal } from './models/ledger.ts';
export type { ResponseShape } from './models/llm-agent.ts';
export { withTextTools } from './models/text-tools/model.ts';
export type { TierUse } from './models/tiers.ts';
export { fromAiSdk } from './models/ai-sdk/model.ts';
