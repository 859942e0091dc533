import { join } from 'node:path';
import {
  AgentError,
  endOf,
  fitSchema,
  fromErrorData,
  isAgentError,
  isJsonObject,
  optional,
  toErrorData,
  judgeResult,
  type CodeResult,
  type ErrorData,
  type Json,
  type JsonObject,
  type Output,
  type Scope,
  type Skill,
} from '../../core/index.ts';
import { settleGeneration } from '../../generation/lock.ts';
import { inspectGeneration } from '../../generation/status.ts';
import { isUnread, takeValues } from './accept.ts';
import { entryFault, findEntry, noEntry } from './entry.ts';
import { recipeFor } from './generation.ts';
import { hostFunctions } from './host-functions.ts';
import { codeLimits, type PreparedCodeSkill } from './parse.ts';

/** Calls a skill's function in a separate process. */
export async function execute(prepared: PreparedCodeSkill, input: Json, scope: Scope): Promise<Output> {
  try {
    return await work(prepared, input, scope);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const error = named(toErrorData(thrown), scope.skill.name);
    return { status: 'failed', text: error.message, error };
  }
}

/**
 * Adds the skill's name to an error message, so that callers know which skill failed. Returns the error
 * unchanged if `details.skill` already contains the name.
 */
function named(error: ErrorData, name: string): ErrorData {
  const isNamed = isJsonObject(error.details) && error.details['skill'] === name;
  return isNamed ? error : { ...error, message: `"${name}": ${error.message}` };
}

async function work(prepared: PreparedCodeSkill, input: Json, scope: Scope): Promise<Output> {
  const {
    skill,
    run: { id: runId, session },
  } = scope;
  const { name, dir, card } = skill;
  mustSayInput(prepared, scope);
  const module = await findModule(prepared, scope);
  noteState(prepared, scope);
  const schema = prepared.input;
  const given =
    schema !== undefined && isUnread(schema, input) ? await takeValues(schema, input, scope) : input;
  const result = await scope.processes.runCode({
    module,
    name: 'action',
    input: given,
    functions: hostFunctions(scope),
    facts: { runId, session, skill: name },
    ...codeLimits(prepared),
  });
  notePrinted(result, scope);
  const file = module.slice(dir.length + 1);
  return fitResult(buildOutput(result.value, { schema: card.output, name, file }), scope);
}

function mustSayInput({ input, inputFormat = '' }: PreparedCodeSkill, { skill }: Scope): void {
  if (input !== undefined || inputFormat !== '') return;
  const message = `"${skill.name}" does not describe its input (${skill.file}).`;
  throw new AgentError('skill.invalid', message, {
    hint: 'Add a section "Input Format" with a description, or with a JSON Schema in a json fence.',
    details: { skill: skill.name },
  });
}

/** Returns the path of the entry module, after completing any interrupted code generation. */
async function findModule(prepared: PreparedCodeSkill, { skill }: Scope): Promise<string> {
  const { dir } = skill;
  if (dir !== '') await settleGeneration(dir);
  const entry = findEntry(dir);
  if (entry === undefined) throw whyNoCode(prepared, skill);
  if (entry.fault !== undefined) throw entryFault(dir, entry.path, entry.fault);
  return join(dir, entry.path);
}

/** Adds a note if the code that runs is outdated or was edited by hand. */
function noteState({ failure, drifted = [] }: PreparedCodeSkill, { note, skill: { name } }: Scope): void {
  if (failure !== undefined)
    note(`Older code is used because "${name}" could not be generated again: ${failure.message}`, {
      level: 'warning',
    });
  if (drifted.length === 0) return;
  note(
    `Edited by hand and kept: ${drifted.join(', ')}. To generate again, run \`skilled build ${name} --force\`.`,
  );
}

const maxPrinted = 2000; // The maximum number of characters of printed output in a note.

function notePrinted({ stdout, stderr }: CodeResult, { note }: Scope): void {
  const printed = [stdout, stderr].map((text) => text.trim()).filter((text) => text !== '');
  for (const text of printed) note(`It printed: ${endOf(text, maxPrinted)}`);
}

/**
 * Builds the output for a returned value. Throws `skill.failed` if the value does not match the schema. Pure.
 */
function buildOutput(
  returned: Json,
  {
    schema,
    name,
    file,
  }: { readonly schema: JsonObject | undefined; readonly name: string; readonly file: string },
): Output {
  const value = schema === undefined ? returned : fitting(returned, schema, { name, file });
  return { status: 'done', text: textOf(value), value };
}

function fitting(returned: Json, schema: JsonObject, { name, file }: { name: string; file: string }): Json {
  try {
    return fitSchema('what it returned', schema, returned);
  } catch (thrown) {
    if (!isAgentError(thrown) || thrown.code !== 'usage.bad-input') throw thrown;
    const faults = isJsonObject(thrown.details) ? thrown.details['faults'] : undefined;
    const named = Array.isArray(faults) ? faults.join('; ') : thrown.message;
    throw new AgentError(
      'skill.failed',
      `The result of "${name}" does not match its Output Format: ${named} (${file}).`,
      {
        hint: `Correct ${file}, or the Output Format.`,
        details: { faults: faults ?? [], skill: name },
        cause: thrown,
      },
    );
  }
}

/**
 * Converts a value to text: strings are unchanged, null becomes an empty string, and other values become
 * JSON.
 */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}

/** Returns the output if its value matches the caller's result schema. Otherwise throws `skill.no-result`. */
async function fitResult(output: Output, scope: Scope): Promise<Output> {
  const { result: schema } = scope.request.overrides;
  if (schema === undefined || output.status === 'failed') return output;
  const { fault, value = null } = await judgeResult(
    scope,
    'wanted',
    'the result',
    schema,
    output.value ?? null,
  );
  if (fault === undefined) return { ...output, value };
  throw new AgentError(
    'skill.no-result',
    `The result of "${scope.skill.name}" does not fit the requested schema: ${fault}`,
    {
      hint: 'Request a result that matches its Output Format, or convert the result with another skill.',
      details: { skill: scope.skill.name },
    },
  );
}

/** Explains why a skill has no runnable code, based on the failed generation or the state of its folder. */
function whyNoCode(prepared: PreparedCodeSkill, { name, dir }: Skill): AgentError {
  const { failure } = prepared;
  if (failure !== undefined)
    return isOfCode(failure) ? generationError(name, failure) : fromErrorData(failure);
  const generated = dir === '' ? undefined : inspectGeneration(dir, recipeFor(prepared));
  const wrong = generated?.issues.find(({ level }) => level === 'error');
  if (wrong === undefined) return noEntry(dir);
  const { message, hint } = wrong;
  return new AgentError('skill.invalid', `The code of "${name}" cannot be generated: ${message}`, {
    ...optional('hint', hint),
    details: { skill: name },
  });
}

/**
 * Whether an error was caused by the code or its specs rather than by the model, the sandbox or permissions.
 */
function isOfCode({ code }: ErrorData): boolean {
  return code.startsWith('skill.') || code === 'model.bad-answer';
}

function generationError(name: string, { message, details }: ErrorData): AgentError {
  return new AgentError('skill.failed', `The code of "${name}" could not be generated: ${message}`, {
    hint: `Correct the specs, or try again with \`skilled build ${name}\`.`,
    details: { ...(isJsonObject(details) ? details : {}), skill: name },
  });
}
