import { join } from 'node:path';
import {
  AgentError,
  fitSchema,
  fromErrorData,
  isAgentError,
  isJsonObject,
  optional,
  toErrorData,
  wantedVerdict,
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

/** Calls the function of a skill in a process of its own. */
export async function execute(prepared: PreparedCodeSkill, input: Json, scope: Scope): Promise<Output> {
  try {
    return await work(prepared, input, scope);
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const error = named(toErrorData(thrown), scope.skill.name);
    return { status: 'failed', text: error.message, error };
  }
}

/** Callers see only this error, so its message names the skill; `details.skill` says that it already does. */
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
  tellState(prepared, scope);
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
  tellPrinted(result, scope);
  const file = module.slice(dir.length + 1);
  return fitWanted(buildOutput(result.value, { schema: card.output, name, file }), scope);
}

function mustSayInput({ input, inputFormat = '' }: PreparedCodeSkill, { skill }: Scope): void {
  if (input !== undefined || inputFormat !== '') return;
  const message = `"${skill.name}" does not say what it takes (${skill.file}).`;
  throw new AgentError('skill.invalid', message, {
    hint: 'Add a section "Input Format" in words, or with a JSON Schema in a json fence.',
    details: { skill: skill.name },
  });
}

/** The absolute path of the module, once whatever a killed process left half done is finished. */
async function findModule(prepared: PreparedCodeSkill, { skill }: Scope): Promise<string> {
  const { dir } = skill;
  if (dir !== '') await settleGeneration(dir);
  const entry = findEntry(dir);
  if (entry === undefined) throw whyNoCode(prepared, skill);
  if (entry.fault !== undefined) throw entryFault(dir, entry.path, entry.fault);
  return join(dir, entry.path);
}

/** Older code is better than none, but nobody should take it for the newest. */
function tellState({ failure, drifted = [] }: PreparedCodeSkill, { note, skill: { name } }: Scope): void {
  if (failure !== undefined)
    note(`Older code runs: "${name}" could not be generated anew: ${failure.message}`, { level: 'warning' });
  if (drifted.length === 0) return;
  note(
    `Edited by hand and left as found: ${drifted.join(', ')}. \`skilled build ${name} --force\` makes it anew.`,
  );
}

const mostPrinted = 2000; // characters

function tellPrinted({ stdout, stderr }: CodeResult, { note }: Scope): void {
  const printed = [stdout, stderr].map((text) => text.trim()).filter((text) => text !== '');
  for (const text of printed) note(`It printed: ${text.slice(0, mostPrinted)}`);
}

/** What a skill came to, by what its function returned; throws `skill.failed` for what does not fit the schema. Pure. */
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
      `"${name}" returned something that does not fit its Output Format: ${named} (${file}).`,
      {
        hint: `Correct ${file}, or the Output Format.`,
        details: { faults: faults ?? [], skill: name },
        cause: thrown,
      },
    );
  }
}

/** A function that returns nothing has nothing to say. */
function textOf(value: Json): string {
  return typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
}

/** The output of a skill whose value is what its caller wants; throws `skill.no-result` where it is not. */
async function fitWanted(output: Output, scope: Scope): Promise<Output> {
  const { result: schema } = scope.request.wanted;
  if (schema === undefined || output.status === 'failed') return output;
  const { fault, value = null } = await wantedVerdict(
    scope,
    'wanted',
    'the result',
    schema,
    output.value ?? null,
  );
  if (fault === undefined) return { ...output, value };
  throw new AgentError(
    'skill.no-result',
    `"${scope.skill.name}" came to no result as it is wanted: ${fault}`,
    {
      hint: 'Want what its Output Format says, or have another skill make that of it.',
      details: { skill: scope.skill.name },
    },
  );
}

/** Why there is no code to run of a skill: it could not be made, or as a look at its folder tells. */
function whyNoCode(prepared: PreparedCodeSkill, { name, dir }: Skill): AgentError {
  const { failure } = prepared;
  if (failure !== undefined) return isOfCode(failure) ? notMade(name, failure) : fromErrorData(failure);
  const made = dir === '' ? undefined : inspectGeneration(dir, recipeFor(prepared));
  const wrong = made?.issues.find(({ level }) => level === 'error');
  if (wrong === undefined) return noEntry(dir);
  const { message, hint } = wrong;
  return new AgentError('skill.invalid', `The code of "${name}" cannot be generated: ${message}`, {
    ...optional('hint', hint),
    details: { skill: name },
  });
}

/** Whether it is about what was written, and not about the model, the sandbox or leave to use them. */
function isOfCode({ code }: ErrorData): boolean {
  return code.startsWith('skill.') || code === 'model.bad-answer';
}

function notMade(name: string, { message, details }: ErrorData): AgentError {
  return new AgentError('skill.failed', `The code of "${name}" could not be generated: ${message}`, {
    hint: `Correct the specs, or try again with \`skilled build ${name}\`.`,
    details: { ...(isJsonObject(details) ? details : {}), skill: name },
  });
}
