import { isJsonObject, type Json, type JsonObject, type Skill } from '../core/index.ts';

/**
 * Builds a first eval file for a skill. The input is one of the skill's examples or a sample value that
 * matches its input schema.
 */
export function buildExampleEval({ name, card }: Skill): string {
  const given =
    isJsonObject(card.input) && isObject(card.input)
      ? `input: ${JSON.stringify(sampleOf(card.input))}`
      : `prompt: ${JSON.stringify(card.examples?.[0] ?? 'a prompt for this skill')}`;
  return `# Tests of ${name}. Run them with: skilled test ${name}
- name: answers
  ${given}
  # A skill that calls a model needs one here; otherwise no model is called.
  # model: { script: ['What the model says.'] }
  expect:
    status: done
    # text: { contains: 'words' }
    # value: { member: 1 }
`;
}

function isObject({ type, properties }: JsonObject): boolean {
  return type === 'object' && isJsonObject(properties);
}

const deepest = 5;

/** Creates a sample value that matches a schema. Supports only simple schemas. */
function sampleOf(schema: Json | undefined, depth = 0): Json {
  if (!isJsonObject(schema) || depth > deepest) return 'text';
  const { type, enum: choices, default: usual, examples, properties, items } = schema;
  if (usual !== undefined) return usual;
  const first = [examples, choices].flatMap((list) => (Array.isArray(list) ? (list as Json[]) : []))[0];
  if (first !== undefined) return first;
  if (isJsonObject(properties)) return sampleObject(schema, properties, depth);
  if (type === 'array') return [sampleOf(items, depth + 1)];
  if (type === 'number' || type === 'integer') return 1;
  return type === 'boolean' ? true : 'text';
}

/** Creates an object with the required properties, or with all properties if none are required. */
function sampleObject({ required }: JsonObject, properties: JsonObject, depth: number): JsonObject {
  const needed = Array.isArray(required) && required.length > 0 ? required : undefined;
  const members = Object.entries(properties).filter(([name]) => needed?.includes(name) ?? true);
  return Object.fromEntries(members.map(([name, schema]) => [name, sampleOf(schema, depth + 1)]));
}
