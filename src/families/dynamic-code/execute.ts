import {
  AgentError,
  askValue,
  isAgentError,
  namedTier,
  optional,
  schemaFor,
  toErrorData,
  type Json,
  type Message,
  type ModelReply,
  type Output,
  type Scope,
  type Tier,
} from '../../core/index.ts';
import { readAnswer, tryAnswer, type Answer, type Problem } from './answer.ts';
import { hostFunctions } from './host-functions.ts';
import { snippetLimits, type DynamicCodeDefinition } from './parse.ts';
import { buildRequest } from './request.ts';

/** Has a model answer with text or code, and runs the code. The model gets one attempt to fix a problem. */
export async function execute(definition: DynamicCodeDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    return await work(definition, input, scope);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const error = toErrorData(thrown);
    return { status: 'failed', text: error.message, error };
  }
}

async function work(definition: DynamicCodeDefinition, input: Json, scope: Scope): Promise<Output> {
  const schema = scope.request.overrides.result ?? scope.skill.card.output;
  // Check the schema first, because no value can match an invalid schema.
  if (schema !== undefined) schemaFor('the result', schema);
  const model = scope.model(modelOf(definition, scope));
  const request = await buildRequest(definition, input, schema, scope);
  const snippet = { input, functions: hostFunctions(scope), ...snippetLimits(definition) };

  const first = await askValue(model, request, readAnswer, scope.signal);
  const tried = await tryAnswer(first.value, { turn: 1, snippet, schema }, scope);
  if ('output' in tried) return tried.output;

  const messages = [...request.messages, ...repairTurns(first.reply, tried)];
  const { value: second } = await askValue(model, { ...request, messages }, readAnswer, scope.signal);
  if (isSame(first.value, second)) throw noAnswer(tried, scope);
  const again = await tryAnswer(second, { turn: 2, snippet, schema }, scope);
  if ('output' in again) return again.output;
  throw noAnswer(again, scope);
}

/** Returns the model to use: the caller's choice, otherwise the file's model or tier. */
function modelOf({ model, tier = 'code' }: DynamicCodeDefinition, { request: { overrides } }: Scope): Tier {
  const asked = overrides.model ?? model;
  return (asked === undefined ? undefined : namedTier(asked)) ?? tier;
}

function repairTurns(
  { text, native }: ModelReply,
  { fault, hint = '', code, log }: Problem,
): readonly Message[] {
  const order = [
    code === '' ? 'That answer cannot be used:' : 'That code ran, but gave no usable result:',
    ...[fault, hint, log.trim() === '' ? '' : `Its log:\n${log.slice(0, maxShown)}`],
    code === '' ? '' : 'Its effects were not undone, and it will not run again.',
    'Answer again with the complete corrected answer. This is your last attempt.',
  ];
  return [
    { role: 'assistant', text, ...optional('native', native) },
    { role: 'user', text: order.filter((part) => part !== '').join('\n') },
  ];
}

/** Whether both answers contain the same code, in which case the code is not run again. */
function isSame(first: Answer, second: Answer): boolean {
  return first.mode === 'code' && second.mode === 'code' && first.code === second.code;
}

const maxShown = 2_000; // The maximum number of characters of code or log in an error.

function noAnswer({ fault, code, log }: Problem, { skill }: Scope): AgentError {
  return new AgentError('skill.failed', `"${skill.name}" found no answer in two tries: ${fault}`, {
    hint: `Describe the answer more precisely in ${skill.file === '' ? 'its prompt' : skill.file}, or use a stronger model.`,
    details: { code: code.slice(0, maxShown), log: log.slice(0, maxShown) },
  });
}
