import { isJsonObject, type Json, type Output, type Scope } from '../../core/index.ts';
import { clearFailure } from '../../generation/status.ts';
import type { TableDefinition } from './descriptor/definition.ts';
import { failedOutput } from './failed-output.ts';
import { hasProse } from './has-prose.ts';
import { mustHaveAccess } from './access.ts';
import { generateProse } from './prose/generate.ts';

/**
 * Generates code for the prose rules, then asks for approval of each database change that requires it, even
 * with `--force`. If code cannot be generated, the database is still updated.
 */
export async function build(definition: TableDefinition, input: Json, scope: Scope): Promise<Output> {
  const prose = await buildProse(definition, input, scope);
  if (prose?.status === 'failed') scope.note(prose.text, { level: 'warning' });
  try {
    // Write access is required, because messages about schema changes contain record values.
    mustHaveAccess(definition, scope, 'write');
    const { buildSchema } = await import('./schema/build-schema.ts');
    const schema = await buildSchema(definition, scope);
    if (prose?.status === 'failed') return prose;
    const texts = prose === undefined ? [schema.text] : [prose.text, schema.text];
    return { ...schema, text: `${scope.skill.name}: ${texts.join(' ')}` };
  } catch (thrown) {
    return failedOutput(thrown);
  }
}

async function buildProse(
  definition: TableDefinition,
  input: Json,
  scope: Scope,
): Promise<Output | undefined> {
  const { dir } = scope.skill;
  if (dir === '' || !hasProse(definition)) return undefined;
  clearFailure(dir);
  return generateProse(definition, scope, { force: isJsonObject(input) && input['force'] === true });
}
