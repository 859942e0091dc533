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

/** Always returns an error, because skills of this family are not read from files. */
function parse(): Parsed<FunctionDefinition> {
  return {
    name: '',
    card: { description: '' },
    definition: undefined,
    issues: [
      {
        level: 'error',
        code: 'function.no-files',
        message: 'Functions are defined in code and cannot be read from files.',
        hint: 'Define it with defineSkill({ name, description, run }) and register it.',
      },
    ],
  };
}

/** Calls the function. Anything it throws becomes a failed output. */
async function execute(definition: FunctionDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    return await definition.run(input, scope);
  } catch (thrown) {
    const error = errorOf(thrown);
    return { status: 'failed', text: error.message, error };
  }
}

/**
 * Converts a thrown value to an error. An unknown error is treated as a failure of the skill, not as a bug.
 */
function errorOf(thrown: unknown): ErrorData {
  if (isAgentError(thrown)) return toErrorData(thrown);
  const message = reasonOf(thrown);
  return { code: 'skill.failed', message, hint: 'Check the function that the skill runs.' };
}

/** The family of skills written in TypeScript with `defineSkill({ run })`, including the built-in skills. */
export const functionFamily = defineFamily<FunctionDefinition>({
  id: 'function',
  label: 'Function',
  parse,
  adopt,
  execute,
  input: { accept: (definition, input) => definition.accept(input) },
  permission: { describe: ({ permission }) => permission },
});
