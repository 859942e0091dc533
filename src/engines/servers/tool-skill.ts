import {
  hashOf,
  isAgentError,
  isJsonObject,
  schemaFor,
  withoutHidden,
  type Json,
  type JsonObject,
  type Permission,
  type ProvidedSkill,
  type SkillCard,
  type Source,
  type ToolDefinition,
} from '../../core/index.ts';
import { askServer } from './ask-server.ts';
import type { ListedServer } from './list-tools.ts';
import { toolLabel } from './allowed-tools.ts';

/** The source of all skills that come from MCP servers. */
export const fromServer: Source = 'mcp';

/**
 * Converts a server's tool to a skill. The skill is pinned to this definition of the tool, and models are
 * instructed to treat its results as data.
 */
export function toolSkill(
  server: Pick<ListedServer, 'name' | 'place' | 'identity' | 'open'>,
  definition: ToolDefinition,
): ProvidedSkill {
  const { name: tool, hash } = definition;
  const { name, permission } = identify(server, tool, hash);
  const card: SkillCard = {
    description: described(server, definition),
    input: usableSchema(definition),
    label: toolLabel({ server: server.name, tool }),
    fromOutside: true,
  };
  return {
    name,
    source: fromServer,
    card,
    permission,
    digest: hash,
    run: (input, scope) =>
      askServer(name, scope, async (request) =>
        (await server.open(scope)).call(definition, isJsonObject(input) ? input : {}, request),
      ),
  };
}

/**
 * Returns the name and the permission of the skill for a server's tool. `hash` is the hash of the tool's
 * definition.
 */
export function identify(
  { name: server, place, identity }: Pick<ListedServer, 'name' | 'place' | 'identity'>,
  tool: string,
  hash: string,
): { readonly name: string; readonly permission: Permission } {
  const name = `${server}.${tool}`;
  return {
    name,
    permission: {
      label: toolLabel({ server, tool }),
      effect: `It uses "${tool}" of the server "${server}" (${place}).`,
      pin: { key: hashOf([identity, place, tool]), hash, name },
    },
  };
}

// The maximum length of a description, in characters. Every model request contains all descriptions.
const longest = 2_000;

function described({ name }: Pick<ListedServer, 'name'>, { title, description }: ToolDefinition): string {
  const said = withoutHidden(description.trim() === '' ? (title ?? '') : description).trim();
  if (said === '') return `A tool of the server "${name}".`;
  return said.length > longest ? `${said.slice(0, longest - 1).trimEnd()}…`.toWellFormed() : said;
}

/**
 * Returns the schema of a server's tool. If it is invalid, returns a schema that contains only the names of
 * parameters. The server then validates the rest.
 */
function usableSchema({ name, input }: ToolDefinition): JsonObject {
  try {
    schemaFor(`the input for "${name}"`, input);
    return input;
  } catch (thrown) {
    if (!isAgentError(thrown)) throw thrown;
    const { properties, required } = input as Readonly<Record<string, Json | undefined>>;
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    const needed = Array.isArray(required) ? required.filter((one) => names.includes(String(one))) : [];
    return {
      type: 'object',
      properties: Object.fromEntries(names.map((one) => [one, {}])),
      required: needed,
    };
  }
}
