import {
  defineFamily,
  isAgentError,
  reasonOf,
  toErrorData,
  type ErrorData,
  type Json,
  type Output,
  type Parsed,
  type Scope,
} from '../../core/index.ts';
import { adopt, type FunctionDefinition } from './adopt.ts';

/** Says that no file holds a skill of this family. */
function parse(): Parsed<FunctionDefinition> {
  return {
    name: '',
    card: { description: '' },
    definition: undefined,
    issues: [
      {
        level: 'error',
        code: 'function.no-files',
        message: 'Functions are made in code and are not read from files.',
        hint: 'Make it with defineSkill({ name, description, run }) and register it.',
      },
    ],
  };
}

/** Calls the function; whatever it throws becomes a failed output. */
async function execute(definition: FunctionDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    return await definition.run(input, scope);
  } catch (thrown) {
    const error = errorOf(thrown);
    return { status: 'failed', text: error.message, error };
  }
}

/** What a function of somebody else throws is its own failure, not a defect of ours. */
function errorOf(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  const message = reasonOf(thrown);
  return { code: 'skill.failed', message, hint: 'Look into the function that the skill runs.' };
}

/** Skills written in TypeScript with `defineSkill({ run })`; the built-ins are of this kind. */
export const functionFamily = defineFamily<FunctionDefinition>({
  id: 'function',
  label: 'Function',
  parse,
  adopt,
  execute,
  input: { accept: (definition, input) => definition.accept(input) },
  permission: { describe: ({ permission }) => permission },
});
