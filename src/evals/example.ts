import { isJsonObject, type Json, type JsonObject, type Skill } from '../core/index.ts';

/** A first case for a skill, as the text of a file: with an input of its schema, or one of its own examples. */
export function buildExampleCase({ name, card }: Skill): string {
  const given =
    isJsonObject(card.input) && isObject(card.input)
      ? `input: ${JSON.stringify(sampleOf(card.input))}`
      : `prompt: ${JSON.stringify(card.examples?.[0] ?? 'what somebody would ask it')}`;
  return `# Cases of ${name}; run them with: skilled test ${name}
- name: answers
  ${given}
  # A skill that asks a model needs one here. Without it no model is asked.
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

/** Something of the shape, as far as a schema tells it plainly. */
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

/** Only what must be given, or everything where nothing must be. */
function sampleObject({ required }: JsonObject, properties: JsonObject, depth: number): JsonObject {
  const needed = Array.isArray(required) && required.length > 0 ? required : undefined;
  const members = Object.entries(properties).filter(([name]) => needed?.includes(name) ?? true);
  return Object.fromEntries(members.map(([name, schema]) => [name, sampleOf(schema, depth + 1)]));
}
