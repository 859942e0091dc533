import { AgentError } from '../error.ts';
import { isJsonObject } from '../json.ts';
import { schemaFor } from '../json/validate.ts';

const maxTools = 128;

/** Throws `usage.bad-input` for anything that is not a list of tools with different names and valid schemas. */
export function checkClientTools(given: unknown): void {
  if (given === undefined) return;
  if (!Array.isArray(given) || given.length > maxTools)
    throw badTools(`A request's tools must be a list of at most ${maxTools}.`);
  const names = new Set<string>();
  for (const tool of given as readonly unknown[]) {
    const { name, description, input } = isJsonObject(tool) ? tool : {};
    if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
      throw badTools('The name of a tool must be 1 to 64 letters, digits, hyphens and underscores.');
    if (names.has(name)) throw badTools(`Two tools have the name "${name}".`);
    names.add(name);
    if (typeof description !== 'string')
      throw badTools(`The description of the tool "${name}" must be text.`);
    if (input === undefined) continue;
    if (!isJsonObject(input)) throw badTools(`The input of the tool "${name}" must be a JSON Schema.`);
    try {
      schemaFor(`the tool "${name}"`, input);
    } catch {
      throw badTools(`The input of the tool "${name}" is not a JSON Schema that can be used.`);
    }
  }
}

function badTools(message: string): AgentError {
  return new AgentError('usage.bad-input', message, {
    hint: 'Pass [{ name, description, input }], with the JSON Schema of the arguments.',
  });
}
