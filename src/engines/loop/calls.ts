import { AgentError, isAgentError, reasonOf, toErrorData } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { ToolCall } from '../../core/model.ts';
import { didYouMean } from '../../core/names.ts';
import type { Output } from '../../core/output.ts';
import type { Scope } from '../../core/scope.ts';
import type { Conversation } from './conversation.ts';
import { runInLanes } from './lanes.ts';
import { isReferring, resolveReferences, type Result } from './references.ts';
import type { LoopTool } from './tools.ts';

/** A call of a model, and what it came to. */
export interface MadeCall {
  readonly call: ToolCall;
  readonly output: Output;
}

const mostAtOnce = 8;
const mostCalls = 128; // of one step

/** The calls of one step. */
export interface WantedCalls {
  readonly tools: readonly LoopTool[];
  readonly calls: readonly ToolCall[];
  readonly conversation: Conversation;
  /** What the key of each begins with. */
  readonly key: string;
}

/**
 * Makes the calls of one step and tells the conversation what they came to, in their order. Calls run at the same time
 * unless their tool is sequential. One that cannot be made is an error that the model reads, and a note for people.
 */
export async function runCalls(scope: Scope, wanted: WantedCalls): Promise<readonly MadeCall[]> {
  const { tools, calls, conversation, key } = wanted;
  const toolOf = (call: ToolCall): LoopTool | undefined => tools.find(({ name }) => name === call.name);
  const outputs = await runInLanes(
    calls.slice(0, mostCalls),
    (call) => toolOf(call)?.sequential === true,
    mostAtOnce,
    (call, index) => make(scope, toolOf(call), call, wanted, `${key}${index + 1}`),
  );
  return calls.map((call, index) => {
    const output = outputs[index] ?? failed(tooMany());
    conversation.addResult(call, output);
    return { call, output };
  });
}

async function make(
  scope: Scope,
  tool: LoopTool | undefined,
  call: ToolCall,
  { tools, conversation }: WantedCalls,
  key: string,
): Promise<Output> {
  let input: Json;
  try {
    if (tool === undefined) throw noSuchTool(call.name, tools);
    if (call.fault !== undefined) throw unreadable(call.name, call.fault);
    const find = (name: string): Result | undefined => conversation.result(name);
    input =
      tool.literal === true ? withoutReferences(call, find) : resolveReferences(call.input, find, tool.input);
  } catch (thrown) {
    const output = failed(thrown);
    scope.note(`A call of the model could not be made: ${output.text}`);
    return output;
  }
  try {
    return await tool.call(input, key);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** What a tool throws is its own failure, not a defect of this package. */
function failed(thrown: unknown): Output {
  const error = toErrorData(isAgentError(thrown) ? thrown : new AgentError('skill.failed', reasonOf(thrown)));
  return { status: 'failed', text: error.message, error };
}

/** A result of somebody else is data; inside a command it would be read as a part of it. */
function withoutReferences({ name, input }: ToolCall, find: (name: string) => Result | undefined): Json {
  if (!isReferring(input, find)) return input;
  throw new AgentError(
    'usage.bad-input',
    `"${name}" takes no names of results: they could become commands.`,
    {
      hint: 'Write the result to a file with another tool, and use that file.',
    },
  );
}

function noSuchTool(name: string, tools: readonly LoopTool[]): AgentError {
  const names = tools.map((tool) => tool.name);
  const known = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`;
  return new AgentError('usage.not-found', `There is no tool "${name}".`, {
    hint: [didYouMean(name, names), known].filter((part) => part !== undefined).join(' '),
  });
}

function tooMany(): AgentError {
  return new AgentError('limit.calls', `More than ${mostCalls} calls at once are not made.`, {
    hint: 'Call again what is still needed.',
  });
}

function unreadable(name: string, fault: string): AgentError {
  return new AgentError('usage.bad-input', `The input of "${name}" could not be read: ${fault}`, {
    hint: 'Call it again with one JSON object that fits its schema.',
  });
}
