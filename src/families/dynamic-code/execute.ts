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

/** Has a model answer with text or with code, and runs the code; what goes wrong goes back to the model once. */
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
  const schema = scope.request.wanted.result ?? scope.skill.card.output;
  if (schema !== undefined) schemaFor('the result', schema); // no value could fit one that cannot be read
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

/** What the caller wants, else the model of the file, else its tier. */
function modelOf({ model, tier = 'code' }: DynamicCodeDefinition, { request: { wanted } }: Scope): Tier {
  const asked = wanted.model ?? model;
  return (asked === undefined ? undefined : namedTier(asked)) ?? tier;
}

function repairTurns(
  { text, native }: ModelReply,
  { fault, hint = '', code, log }: Problem,
): readonly Message[] {
  const order = [
    code === '' ? 'That answer cannot be used:' : 'That code was run, and came to nothing:',
    ...[fault, hint, log.trim() === '' ? '' : `It had logged:\n${log.slice(0, mostShown)}`],
    code === '' ? '' : 'What it did before stays done. It is not run again.',
    'Answer again, with the whole corrected answer. There is no further try.',
  ];
  return [
    { role: 'assistant', text, ...optional('native', native) },
    { role: 'user', text: order.filter((part) => part !== '').join('\n') },
  ];
}

/** The same code comes to the same; it is not run twice. */
function isSame(first: Answer, second: Answer): boolean {
  return first.mode === 'code' && second.mode === 'code' && first.code === second.code;
}

const mostShown = 2_000; // characters of code and log

function noAnswer({ fault, code, log }: Problem, { skill }: Scope): AgentError {
  return new AgentError('skill.failed', `"${skill.name}" came to no answer in two tries: ${fault}`, {
    hint: `Say in ${skill.file === '' ? 'its prompt' : skill.file} more exactly how to answer, or use a stronger model.`,
    details: { code: code.slice(0, mostShown), log: log.slice(0, mostShown) },
  });
}
