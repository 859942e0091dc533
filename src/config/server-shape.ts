import { isJsonObject } from '../core/json.ts';
import { readServerEntry } from '../core/servers/read-server.ts';
import {
  flag,
  folder,
  host,
  positiveNumber,
  text,
  textOrReference,
  words,
  workspaceAccess,
} from './setting-shapes.ts';
import { leaf, listOf, mapOf, objectOf, type Shape } from './settings-shape.ts';

const kind = leaf(
  '"stdio" or "http"',
  { enum: ['stdio', 'http', 'streamable-http', 'streamableHttp'] },
  (value) => typeof value === 'string',
);

const oauth = objectOf(
  { clientId: text, clientSecret: textOrReference, refreshToken: textOrReference, scope: text, issuer: text },
  { names: 'a member of oauth', needs: ['clientId', 'issuer'] },
);

const entry = objectOf(
  {
    type: kind,
    command: text,
    args: words,
    env: mapOf('an object by names of variables', textOrReference),
    workspace: workspaceAccess,
    hosts: listOf('a list of hosts', host),
    read: listOf('a list of folders', folder),
    url: text,
    headers: mapOf('an object by names of headers', textOrReference),
    bearer: textOrReference,
    oauth,
    timeoutSeconds: positiveNumber,
    skills: flag,
  },
  { names: 'a member of a server' },
);

const expected = 'an object of servers by name';

/** Servers of MCP tools by name. One that is not right in all its parts is left out whole: with less it would be another one. */
export const toolServers: Shape = {
  ...mapOf(expected, entry),
  fit(value, path, complain) {
    if (!isJsonObject(value)) {
      complain(path, expected);
      return undefined;
    }
    const right = Object.entries(value).filter(([name, server]) => {
      const read = readServerEntry(name, server, 'settings');
      if (typeof read === 'string')
        complain(`${path}.${name}`, `the description of a server; this one ${read}`);
      return typeof read === 'object';
    });
    return Object.fromEntries(right);
  },
};
