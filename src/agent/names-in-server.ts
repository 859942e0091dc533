import { variablesIn } from '../core/servers/read-server.ts';
import type { ServerDescription } from '../core/servers/tool-server.ts';

/** The names of all variables in the texts of a description, as `${NAME}`. */
export function namesIn(description: ServerDescription): readonly string[] {
  const texts =
    description.kind === 'stdio'
      ? [description.command, ...description.args, ...Object.values(description.env)]
      : [description.url, ...Object.values(description.headers)];
  return texts.flatMap((text) => (typeof text === 'string' ? variablesIn(text) : []));
}
