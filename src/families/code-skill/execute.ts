import { join } from 'node:path';
import type { CodeResult } from '../../core/code.ts';
import { AgentError, isAgentError, toErrorData, type ErrorData } from '../../core/error.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Output } from '../../core/run.ts';
import type { Scope } from '../../core/scope.ts';
import { settleGeneration } from '../../generation/settle.ts';
import { isUnread } from './accept.ts';
import { buildOutput } from './build-output.ts';
import { codeLimits } from './code-limits.ts';
import type { PreparedCodeSkill } from './definition.ts';
import { entryFault } from './entry-fault.ts';
import { findEntry } from './find-entry.ts';
import { fitWanted } from './fit-wanted.ts';
import { hostFunctions } from './host-functions.ts';
import { takeValues } from './take-values.ts';
import { whyNoCode } from './why-no-code.ts';

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
  const { skill, runId, session } = scope;
  const { name, dir, card } = skill;
  mustSayInput(prepared, scope);
  const module = await findModule(prepared, scope);
  tellState(prepared, scope);
  const schema = prepared.input;
  const given =
    schema !== undefined && isUnread(schema, input) ? await takeValues(schema, input, scope) : input;
  const result = await scope.runCode({
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
