export { RecursiveSkilledAgent, loadSkill, parseSkill } from './config/preset.ts';
export type { AgentOptions, Settings } from './agent/options.ts';
export type { WaitingQuestion } from './agent/runs/pending.ts';
export type { PendingApproval } from './agent/runs/pending.ts';
export type { PendingPreparation } from './agent/preparations.ts';
export { createAgent, type AgentSetup, type ServerEntry } from './config/create-agent.ts';
export type { AgentTool, AiSdkTool, FunctionTool } from './agent/tools.ts';
export type { StreamHandle } from './agent/streams/answer-text.ts';
export { toResponse, type ResponseOptions } from './agent/streams/to-response.ts';
export {
  toUIMessageStream,
  type UiMessageChunk,
  type UiMessageOptions,
  type UiRun,
} from './agent/streams/ui-messages.ts';
export { respondToChat, type ChatOptions } from './agent/streams/respond-to-chat.ts';
export type { PromptContext, PromptOptions, PromptUser } from './agent/prompt-options.ts';
export type { RenderOptions } from './agent/render-skill.ts';
export type { RerunOptions, ResumeOptions, RunHistory } from './agent/runs/run-history.ts';
export type {
  AgentSession,
  CalledSkill,
  PromptCallOptions,
  SessionOptions,
  SkillOptions,
  SkillValue,
} from './agent/sessions/session.ts';
export type { ShellOptions, ShellResult } from './agent/sessions/session.ts';
export type { Artifact, ArtifactCreated } from './core/event-types.ts';
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
  type TemplateSource,
  type TextCapability,
} from './core/family.ts';
export { AgentError, isAgentError, type ErrorCode, type ErrorData } from './core/error.ts';
export type { Bundle } from './core/descriptor/bundle.ts';
export type { Fields } from './core/descriptor/fields.ts';
export type { Frontmatter } from './core/descriptor/frontmatter.ts';
export type { Section, Sections } from './core/descriptor/sections.ts';
export type { CodeModelOptions, CodeScope } from './core/code.ts';
export type { Embedder } from './core/model/sources.ts';
export type {
  ApprovalRequested,
  ApprovalResolved,
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
export type { Memory } from './core/session.ts';
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
  ModelRole,
  TierChoice,
} from './core/model/sources.ts';
export { askValue, type AskedValue, type ValueCheck } from './core/model/ask-value.ts';
export type { Output } from './core/run.ts';
export type {
  Approval,
  ApprovalRequest,
  Decision,
  LastingApproval,
  InputParts,
  Permission,
  PermissionRequest,
  Permissions,
  PermissionSubject,
  Pin,
  Policy,
  Protection,
  SkillVersion,
} from './core/policy.ts';
export type { AssistantMode, Question } from './core/run.ts';
export type {
  HookEvent,
  HookMoment,
  HookVerdict,
  LoadedText,
  RenderedCommand,
  Rendering,
  RenderContext,
  Replacement,
} from './core/descriptor/skill-text.ts';
export type { RunHandle } from './core/event.ts';
export type { Actor, Requester, RunAccess, RunUser } from './core/policy/run-access.ts';
export type { LimitOptions, RunLimits } from './core/policy/run-limits.ts';
export type {
  OpenQuestion,
  PromptIo,
  RunEnd,
  RunOptions,
  RunRequest,
  RunResult,
  RunStatus,
  ShownQuestion,
} from './core/run.ts';
export type { MemoryMap, SessionConfig, SessionFacts, SessionMemory, SessionStats } from './core/session.ts';
export type {
  ProcessCommand,
  ProcessResult,
  Grant,
  LiveProcess,
  RejectedChange,
  Sandbox,
  SandboxLimits,
  SandboxMode,
  SandboxProvider,
} from './core/sandbox.ts';
export type { CallOptions, Lifetime, ProvidedSkill, Scope } from './core/scope.ts';
export type { FoundSkill, InjectionStyle } from './core/skill.ts';
export type { ProcessInput } from './core/code.ts';
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
export type { CatalogQuery, ShownCatalog } from './core/skill.ts';
export type { Database, RunSql, SqlRow, SqlStatement, SqlValue } from './core/database.ts';
export type { StoreEntry, Epoch, RunQuery, RunSummary, Store } from './core/store.ts';
export type {
  MissingRequirement,
  Requirements,
  Skill,
  SkillCard,
  SkillStatus,
  Source,
} from './core/skill.ts';
export type { CallMode, CallOverrides } from './core/run.ts';
export type { BuildRequest, GeneratedCode, GeneratedFile } from './core/family.ts';
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
export type { SkillEntry, SkillSettings } from './skills/eligibility/skill-settings.ts';
export type { SkillLimits } from './skills/limits.ts';
export type { SkillListener } from './skills/registry/changes.ts';
export type { LoadedSkill, LoadOptions } from './skills/load-skill.ts';
export type { Candidate, LearnOptions, Ranking, RankQuery } from './skills/rank/skill-ranking.ts';
export type { SkillQuery } from './skills/rank/search.ts';
export type { Skills } from './skills/skills.ts';
export type { RunArtifact } from './views/run-result.ts';
export { buildTimeline, type TimelineRow } from './views/timeline.ts';
export { sumUsage, type RunUsage, type UsageRow } from './views/usage.ts';
export { explainRun, type RunDecision } from './views/why.ts';
export { foldRun } from './views/run-tree.ts';
export type {
  Activity,
  Branch,
  FrameNode,
  ArtifactSummary,
  RefusedNode,
  RunCounts,
  TreeNode,
  RunTree,
} from './views/run-node.ts';
export { createMemoryStore, type MemoryStoreOptions } from './stores/memory.ts';
export { openStore } from './config/storage/open-store.ts';
export { openDatabase, type DatabaseOptions } from './config/storage/open-database.ts';
export { runLoop, type LoopRequest } from './engines/loop/run-loop.ts';
export { baseSystem } from './engines/loop/prompt.ts';
export { loopOutput, type LoopEnd, type LoopReason } from './engines/loop/end.ts';
export type { HookedCall, LoopHooks } from './engines/loop/hooks.ts';
export { offerTools, type OfferRequest } from './engines/loop/offer-tools.ts';
export type { LoopTools } from './engines/loop/run-loop.ts';
export type { LoopResult, LoopResults } from './engines/loop/references.ts';
export type { Submit } from './engines/loop/submit.ts';
export {
  skillTools,
  type AroundTools,
  type BackgroundCall,
  type LoadedSkillText,
  type LoopTool,
  type ToolCondition,
  type ToolReply,
} from './engines/loop/tools.ts';
export { runSopSession } from './engines/sop/session/run-session.ts';
export { checkSop, parseSop } from './engines/sop/earlier-names.ts';
export type { CheckedScript } from './engines/sop/check/check-sop.ts';
export type { CheckedPlan, CheckedStep } from './engines/sop/checked-plan.ts';
export type { CommandCall, CommandIndex, SopCommand, SopCommands, SopResult } from './engines/sop/command.ts';
export { createSop, type Sop } from './engines/sop/execute/run-sop.ts';
export type {
  PlanArgument,
  PlanGuard,
  PlanLiteral,
  ScriptPosition,
  Plan,
  PlanStep,
  PlanReference,
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
export { cancelStep, failStep, giveUp, waitFor, type CommandVerdict } from './engines/sop/command.ts';
export { serialiseSubagent, type SubagentChanges } from './families/subagent/serialise.ts';
export type { SubagentSettings } from './families/subagent/settings.ts';
export { LLMAgent } from './config/models/open-models.ts';
export type { CallSettings, CompletionRequest, LLMAgentOptions } from './models/llm-agent.ts';
export type { Ledger, LedgerEntry, LedgerTotal } from './models/ledger.ts';
export type { ResponseShape } from './models/llm-agent.ts';
export { withTextTools } from './models/text-tools/model.ts';
export type { TierUse } from './models/tiers.ts';
export { fromAiSdk, type AiSdkOptions } from './models/ai-sdk/model.ts';

export * from './earlier-names.ts';
