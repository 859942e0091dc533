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

/** Where such skills come from. */
export const fromServer: Source = 'mcp';

/** A tool of a server as a skill: its definition is pinned, and what it gives is nothing to obey. */
export function toolSkill(server: ListedServer, definition: ToolDefinition): ProvidedSkill {
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
      askServer(name, scope, (request) =>
        server.open().call(definition, isJsonObject(input) ? input : {}, request),
      ),
  };
}

/** What a skill over a server is called, and how rules see it; `hash` is that of what the server says of it. */
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

const longest = 2_000; // characters of a description; what a server says of its tools stands in every request

function described({ name }: ListedServer, { title, description }: ToolDefinition): string {
  const said = withoutHidden(description.trim() === '' ? (title ?? '') : description).trim();
  if (said === '') return `A tool of the server "${name}".`;
  return said.length > longest ? `${said.slice(0, longest - 1).trimEnd()}…`.toWellFormed() : said;
}

/** The schema of the server, or where ours cannot be read by it the names alone: the server checks the rest. */
function usableSchema({ name, input }: ToolDefinition): JsonObject {
  try {
    schemaFor(`the input of "${name}"`, input);
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
