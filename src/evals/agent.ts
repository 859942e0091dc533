import type { Ports, Settings } from '../agent/options.ts';
import { BareAgent } from '../agent/recursive-skilled-agent.ts';
import {
  optional,
  parseRules,
  rulesCover,
  type Json,
  type OpenQuestion,
  type PermissionRequest,
  type Policy,
  type RunHandle,
  type RunResult,
} from '../core/index.ts';
import { pendingOf } from '../views/index.ts';
import type { Eval, EvalContext } from './eval.ts';
import type { EvalModels } from './models.ts';
import type { EvalFolder } from './workspace.ts';

/** The resources that belong to a single eval. */
interface EvalResources {
  readonly ports: Ports;
  readonly folder: EvalFolder;
  readonly models: EvalModels;
}

/** Opens the agent for one eval. The agent has the project's skills but its own workspace and trust file. */
export function openEvalAgent(
  evaluation: Eval,
  context: EvalContext,
  { ports, folder, models }: EvalResources,
): BareAgent {
  const settings = settingsFor(evaluation, context.settings);
  const policy = ports.openPolicy(settings.permissions ?? {}, folder.trustFile);
  const options = {
    ...context.roots,
    ...models.options,
    settings,
    workspace: folder.workspace,
    trustFile: folder.trustFile,
    policy: withApprovals(policy, evaluation.approve),
    ...optional('store', context.store),
    retentionDays: 0, // evals must not delete old runs
    cache: true,
    preparesEarly: false,
    embeddings: false,
  };
  return new BareAgent(options, ports);
}

/**
 * Returns the settings for an eval. If the eval has settings for its skill, they replace the user's settings
 * for the skill, which could contain grants.
 */
function settingsFor({ skill, settings }: Eval, all: Settings): Settings {
  const { modelOptions: _models, ...rest } = all;
  if (settings === undefined) return rest;
  const { skills } = rest;
  return { ...rest, skills: { ...skills, entries: { ...skills?.entries, [skill]: settings } } };
}

/**
 * Extends a policy with the approvals and denials of an eval. An eval file can come from a stranger, so it
 * can only approve bundled tools that stay within the eval's workspace. It can never approve untrusted code,
 * unsandboxed processes, server tools or network access.
 */
function withApprovals(policy: Policy, approve: Eval['approve']): Policy {
  const rules = Array.isArray(approve) ? parseRules(approve as readonly string[]) : [];
  return {
    ...policy,
    async decide(request) {
      const decision = await policy.decide(request);
      if (decision.decision !== 'ask') return decision;
      if (approve === 'none') return { decision: 'deny', reason: 'this test approves nothing.' };
      const isMeant = approve === 'all' || rulesCover(rules, request);
      return isMeant && decision.each !== true && staysInside(request) ? { decision: 'allow' } : decision;
    },
  };
}

const reachesOut = ['WebFetch'];

function staysInside({ source, isDefinedInCode, permission: { label, pin } }: PermissionRequest): boolean {
  return isDefinedInCode && source === 'bundled' && pin === undefined && !reachesOut.includes(label ?? '');
}

/** Answers a run's questions in place of the user. */
export interface Answerer {
  /**
   * Waits until a run ends, answering its questions, or until it asks a question without a prepared answer.
   */
  runToEnd(handle: RunHandle, signal: AbortSignal): Promise<RunResult>;
  /** The number of answers that have not been used. */
  readonly left: number;
}

/**
 * Creates an answerer that gives the eval's answers in order. If `decides` is set, the answerer also allows
 * or denies all approval requests.
 */
export function createAnswerer(
  agent: BareAgent,
  { answers }: Pick<Eval, 'answers'>,
  decides: EvalContext['decides'],
): Answerer {
  let given = 0;
  const answerTo = ({ kind }: OpenQuestion): Json | undefined => {
    if (kind === 'input') return given < answers.length ? answers[given++] : undefined;
    if (decides === undefined) return undefined;
    return decides === 'allow' ? { allow: 'once' } : { deny: 'No one is available to approve.' };
  };
  return {
    async runToEnd(handle, signal) {
      let result = await handle.result;
      while (result.status === 'waiting') {
        const { runId } = result;
        let isAnswered = false;
        for (const question of pendingOf(await agent.runs.events(runId))) {
          const answer = answerTo(question);
          if (answer === undefined) continue;
          await agent.runs.answer(runId, answer, question.id);
          isAnswered = true;
        }
        if (!isAnswered) break;
        result = await agent.runs.resume(runId, { signal }).result;
      }
      return result;
    },
    get left() {
      return answers.length - given;
    },
  };
}
