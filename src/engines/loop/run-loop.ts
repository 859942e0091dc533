import {
  collect,
  optional,
  toolNames,
  type Message,
  type ModelReply,
  type Scope,
  type Tier,
  type Tool,
} from '../../core/index.ts';
import { createBackground } from './background.ts';
import { runCalls } from './calls.ts';
import { compact } from './compact.ts';
import { LoopConversation } from './conversation.ts';
import { endFor, loopError, stoppedBy, type LoopEnding, type LoopEnd } from './end.ts';
import { createHooks, type LoopHooks } from './hooks.ts';
import { createJudge } from './judge.ts';
import { explainReferences, type LoopResult, type LoopResults } from './references.ts';
import { createSubmission, explainSubmit, type Submission, type Submit } from './submit.ts';
import { skillTools, type LoopTool } from './tools.ts';

/** A loop's task and its limits. */
export interface LoopRequest {
  readonly system?: string;
  /** The user's request, or a conversation that ends with the request. */
  readonly prompt: string | readonly Message[];
  /**
   * The tools for the model, or a function that returns them before every step. Default: the skills that the
   * caller may call.
   */
  readonly tools?: LoopTools;
  /** The value that the model must submit with the `submit` tool. Default: the model answers with text. */
  readonly submit?: Submit;
  /** Hooks that are called before and after each call and at the end of the loop. */
  readonly hooks?: LoopHooks;
  /** The role, tier or model to call. Default `execution`. */
  readonly tier?: Tier;
  /**
   * The reasoning effort: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. Default: the model's
   * own.
   */
  readonly effort?: string;
  /** The maximum number of model steps. The frame's limits also apply. Default 20. */
  readonly maxSteps?: number;
  /** The loop ends after this many consecutive steps in which every call failed. Default 5. */
  readonly maxErrors?: number;
  /** Results of earlier loops that can be referenced, keyed by name. */
  readonly results?: LoopResults;
  /** Loads a result of an earlier loop when the model refers to it, and returns undefined for unknown names. */
  readonly recall?: (name: string) => Promise<LoopResult | undefined>;
  /** The number of results that each tool gave in earlier loops, so that names are used only once. */
  readonly counts?: Readonly<Record<string, number>>;
  /** The approximate number of tokens above which older messages are summarised. Default: 80,000. */
  readonly compactAt?: number;
  /** The number of recent messages that are never summarised. Default: 8. */
  readonly keepRecent?: number;
  /** A name that distinguishes the loops of a frame. Required for every loop except the first. */
  readonly name?: string;
  /** Cancels only this loop. The model stops immediately; calls in progress end first. */
  readonly signal?: AbortSignal;
}

/**
 * Calls a model, makes the calls that it requests, and repeats this until the model answers. All data comes
 * from the scope. A loop that was killed therefore resumes at the same point, with the same conversation, and
 * repeats no calls.
 */
export async function runLoop(scope: Scope, request: LoopRequest): Promise<LoopEnd> {
  const { maxSteps = 20, maxErrors = 5, compactAt = 80_000, keepRecent = 8 } = request;
  const { name = '', signal = scope.signal, system, tier, effort } = request;
  const conversation = new LoopConversation(request.prompt, request);
  const background = createBackground(scope, conversation);
  const hooks = createHooks(scope, request.hooks);
  const submission = request.submit === undefined ? undefined : createSubmission(scope, request.submit);
  const offered = offeredTools(request.tools ?? skillTools(scope.skills.callable, scope), submission);
  const ask = createAsk(scope, { system, tier, effort, submission });
  const judge = createJudge(scope, { conversation, submission, hooks, background, maxErrors, signal });
  const prefix = name === '' ? '' : `${name}.`;
  const shortening = { compactAt, keepRecent };

  const end = (steps: number, how: LoopEnding, budget = steps): LoopEnd => {
    const isOver = submission !== undefined && how.reason === 'step-limit';
    const error = isOver ? loopError.noResult(scope.skill.name, budget) : how.error;
    return endFor(conversation, steps, { ...how, ...optional('error', error) });
  };

  for (let turn = 1; turn <= maxSteps; turn += 1) {
    if (signal.aborted) return end(turn - 1, { reason: 'interrupted' });
    await background.join(`${prefix}b${turn}`);
    await compact(scope, conversation, shortening, { key: `${prefix}s${turn}`, signal });
    const tools = await offered();
    const reply = await ask(conversation, tools, `${prefix}m${turn}`, signal);
    conversation.add(...(reply.joined ?? []));
    if (reply.error?.code === 'model.too-long') {
      const urgent = { key: `${prefix}u${turn}`, isUrgent: true, signal };
      if (await compact(scope, conversation, shortening, urgent)) continue;
    }
    if (reply.error !== undefined || !isWhole(reply)) return end(turn, stoppedBy(reply, signal), turn - 1);
    const { text, calls } = reply;
    const step = { text, key: `${prefix}h${turn}`, isLast: turn === maxSteps };
    if (text.trim() !== '' || calls.length > 0) conversation.add(turnOf(reply));
    let how: LoopEnding | undefined;
    if (calls.length > 0) {
      const key = `${prefix}c${turn}.`;
      const only = step.isLast ? { tool: submission?.tool } : undefined;
      how = await judge.onCalls(
        await runCalls(scope, { tools, calls, conversation, hooks, background, key, only }),
        step,
      );
    } else {
      how = text.trim() === '' ? judge.onNothing() : await judge.onAnswer(step);
    }
    if (how !== undefined) return end(turn, how);
  }
  return end(maxSteps, { reason: 'step-limit', error: loopError.steps(maxSteps) });
}

/** Whether the reply is complete: an answer or tool calls. */
function isWhole({ reason }: ModelReply): boolean {
  return reason === 'answer' || reason === 'calls';
}

function turnOf({ text, calls, native }: ModelReply): Message {
  return {
    role: 'assistant',
    text,
    ...(calls.length === 0 ? {} : { calls }),
    ...optional('native', native),
  };
}

/** Settings that all model requests of a loop share. */
interface Asked {
  readonly system?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly effort?: string | undefined;
  readonly submission: Submission | undefined;
}

/** Asks the model for the next turn of a conversation. */
type Ask = (
  conversation: LoopConversation,
  tools: readonly LoopTool[],
  key: string,
  signal: AbortSignal,
) => Promise<ModelReply>;

/**
 * Creates a function that asks the model. The function rebuilds the system prompt and the tools only if the
 * tools have changed.
 */
function createAsk(scope: Scope, asked: Asked): Ask {
  const { tier = 'execution' } = asked;
  let last: { readonly tools: readonly LoopTool[]; readonly parts: Parts } | undefined;
  return (conversation, tools, key, signal) => {
    if (last?.tools !== tools) last = { tools, parts: partsOf(asked, tools) };
    const request = { ...last.parts, messages: [...conversation.messages], key };
    return collect(scope.model(tier).stream(request, signal));
  };
}

interface Parts {
  readonly system?: string;
  readonly tools?: readonly Tool[];
  readonly effort?: string;
  readonly joins: true;
}

function partsOf({ system, effort, submission }: Asked, tools: readonly LoopTool[]): Parts {
  const others = tools.filter((tool) => tool !== submission?.tool);
  const said = [
    system,
    others.length === 0 ? undefined : explainReferences,
    submission === undefined ? undefined : explainSubmit,
  ].filter((part) => part !== undefined);
  const offered = tools.map(({ name, description, input }) => ({ name, description, input }));
  return {
    ...(said.length === 0 ? {} : { system: said.join('\n\n') }),
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...optional('effort', effort),
    joins: true,
  };
}

/** The tools of a loop, or a function that returns the current tools. */
export type LoopTools = readonly LoopTool[] | (() => readonly LoopTool[] | Promise<readonly LoopTool[]>);

/**
 * Returns a function that lists the tools of each step. The list is the same object until a tool changes. If
 * a value must be submitted, the last tool is `submit`; any other tool with this name is renamed.
 */
function offeredTools(
  choice: LoopTools,
  submission: Submission | undefined,
): () => Promise<readonly LoopTool[]> {
  let given: readonly LoopTool[] | undefined;
  let offered: readonly LoopTool[] = [];
  return async () => {
    const now = typeof choice === 'function' ? await choice() : choice;
    if (given === undefined || !isSame(now, given)) {
      offered = submission === undefined ? now : [...besides(submission.tool.name, now), submission.tool];
    }
    given = now;
    return offered;
  };
}

function isSame(one: readonly LoopTool[], other: readonly LoopTool[]): boolean {
  return one === other || (one.length === other.length && one.every((tool, index) => tool === other[index]));
}

/** Renames tools that have a reserved name. */
function besides(taken: string, tools: readonly LoopTool[]): readonly LoopTool[] {
  const names = toolNames([taken, ...tools.map(({ name }) => name)]).slice(1);
  return tools.map((tool, index) => {
    const { [index]: name = tool.name } = names;
    return name === tool.name ? tool : { ...tool, name };
  });
}
