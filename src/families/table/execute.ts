import { AgentError, isJsonObject, type Json, type Output, type Scope } from '../../core/index.ts';
import { clearFailure } from '../../generation/status.ts';
import { mustHaveAccess } from './access.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { generateProse } from './prose/generate-prose.ts';
import { proseItems } from './prose/prose-items.ts';
import type { TableInput } from './run-table.ts';
import { endedOutput, failedOutput } from './failed-output.ts';

/** Reads the input as text or as a typed request. The fields of a typed request are checked when it runs. */
export function accept({ table }: TableDefinition, input: Json): TableInput {
  const given: Json = typeof input === 'string' ? { prompt: input } : input;
  if (!isJsonObject(given)) throw badInput(table, 'expected text or a request');
  const { prompt = null, operation = null, ...rest } = given;
  const members = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const isBare = Object.keys(members).length === 0;
  if (prompt !== null && typeof prompt !== 'string') throw badInput(table, '"prompt" must be a string');
  if (operation !== null && typeof operation !== 'string')
    throw badInput(table, '"operation" must be a string');
  const text = prompt?.trim() ?? '';
  if (text !== '' && (operation !== null || !isBare))
    throw badInput(table, '"prompt" cannot be combined with the properties of a request');
  if (text !== '') return { prompt: text };
  if (operation !== null) return { operation, ...members };
  throw badInput(table, isBare ? 'it is empty' : '"operation" is missing');
}

function badInput(table: string, what: string): AgentError {
  return new AgentError('usage.bad-input', `Invalid input for the table ${table}: ${what}.`, {
    hint: 'Pass text, as in {"prompt": "list all"}, or a request, as in {"operation": "list", "limit": 10}.',
  });
}

/** Runs a request. A caller without read access gets no information about the table or the request. */
export async function execute(definition: TableDefinition, input: Json, scope: Scope): Promise<Output> {
  try {
    mustHaveAccess(definition, scope, 'read');
    const { runTable } = await import('./run-table.ts');
    return await runTable(definition, accept(definition, input), scope);
  } catch (thrown) {
    return endedOutput(thrown, scope);
  }
}

/**
 * Generates code for the prose rules, then asks for approval of each database change that requires it, even
 * with `--force`. If code cannot be generated, the database is still updated.
 */
export async function build(definition: TableDefinition, input: Json, scope: Scope): Promise<Output> {
  const { dir, name } = scope.skill;
  let prose: Output | undefined;
  if (dir !== '' && proseItems(definition).length > 0) {
    clearFailure(dir);
    prose = await generateProse(definition, scope, {
      force: isJsonObject(input) && input['force'] === true,
    });
  }
  if (prose?.status === 'failed') scope.note(prose.text, { level: 'warning' });
  try {
    // Write access is required, because messages about schema changes contain record values.
    mustHaveAccess(definition, scope, 'write');
    const { buildSchema } = await import('./schema/build-schema.ts');
    const schema = await buildSchema(definition, scope);
    if (prose?.status === 'failed') return prose;
    const texts = prose === undefined ? [schema.text] : [prose.text, schema.text];
    return { ...schema, text: `${name}: ${texts.join(' ')}` };
  } catch (thrown) {
    return failedOutput(thrown);
  }
}
