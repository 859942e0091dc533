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
import type { Eval, TrialGround } from './eval.ts';
import type { TrialModels } from './models.ts';
import type { TrialPlace } from './workspace.ts';

/** What one case alone has. */
interface TrialParts {
  readonly ports: Ports;
  readonly place: TrialPlace;
  readonly models: TrialModels;
}

/** The agent of one case: the skills of the project, and nothing else that outlives it. */
export function openTrialAgent(
  trial: Eval,
  ground: TrialGround,
  { ports, place, models }: TrialParts,
): BareAgent {
  const settings = settingsFor(trial, ground.settings);
  const policy = ports.openPolicy(settings.permissions ?? {}, place.trustFile);
  const options = {
    ...ground.roots,
    ...models.options,
    settings,
    workspace: place.workspace,
    trustFile: place.trustFile,
    policy: withApprovals(policy, trial.approve),
    ...optional('store', ground.store),
    retentionDays: 0, // whoever tests does not want to forget anything
    cache: true,
    preparesEarly: false,
    embeddings: false,
  };
  return new BareAgent(options, ports);
}

/** What the settings say about the skill is replaced as a whole: nothing that the user grants it is mixed with what a case says. */
function settingsFor({ skill, settings }: Eval, all: Settings): Settings {
  const { modelOptions: _models, ...rest } = all;
  if (settings === undefined) return rest;
  const { skills } = rest;
  return { ...rest, skills: { ...skills, entries: { ...skills?.entries, [skill]: settings } } };
}

/**
 * A policy with what a case allows or denies of what would be asked about. A file beside a skill may come from a stranger,
 * so it can only allow tools of this package, which are held to the workspace of the case: never code that nobody
 * trusted, a process that nothing contains, a tool of a server or the network.
 */
function withApprovals(policy: Policy, approve: Eval['approve']): Policy {
  const rules = Array.isArray(approve) ? parseRules(approve as readonly string[]) : [];
  return {
    ...policy,
    async decide(request) {
      const decision = await policy.decide(request);
      if (decision.decision !== 'ask') return decision;
      if (approve === 'none') return { decision: 'deny', reason: 'the case approves nothing.' };
      const isMeant = approve === 'all' || rulesCover(rules, request);
      return isMeant && decision.each !== true && staysInside(request) ? { decision: 'allow' } : decision;
    },
  };
}

const reachesOut = ['WebFetch'];

function staysInside({ source, made, permission: { label, pin } }: PermissionRequest): boolean {
  return made && source === 'bundled' && pin === undefined && !reachesOut.includes(label ?? '');
}

/** Stands in for the person whom a run asks. */
export interface Answerer {
  /** Sees a run to its end, or to a question that has no answer here. */
  seeThrough(handle: RunHandle, signal: AbortSignal): Promise<RunResult>;
  /** How many answers nobody asked for. */
  readonly left: number;
}

/** Gives the answers of a case in their order, and the decisions of whoever started the cases. */
export function createAnswerer(
  agent: BareAgent,
  { answers }: Pick<Eval, 'answers'>,
  decides: TrialGround['decides'],
): Answerer {
  let given = 0;
  const answerTo = ({ kind }: OpenQuestion): Json | undefined => {
    if (kind === 'input') return given < answers.length ? answers[given++] : undefined;
    if (decides === undefined) return undefined;
    return decides === 'allow' ? { allow: 'once' } : { deny: 'Nobody is asked.' };
  };
  return {
    async seeThrough(handle, signal) {
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
