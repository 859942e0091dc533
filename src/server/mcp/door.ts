import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Who may come in. */
export interface Door {
  /** The answer to a request that is not let in. */
  refusal(request: IncomingMessage): Response | undefined;
}

/** Lets in who asks for the one path under a name of this machine, from no foreign page, and knows the token. */
export async function createDoor({
  host,
  token,
}: {
  readonly host: string;
  readonly token: string;
}): Promise<Door> {
  const { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } =
    await import('@modelcontextprotocol/server');
  const own = host.includes(':') ? `[${host}]` : host;
  const hosts = [...localhostAllowedHostnames(), own];
  const origins = [...localhostAllowedOrigins(), own];
  const isAnywhere = host === '0.0.0.0' || host === '::'; // its names are not known, and the token keeps pages out
  return {
    refusal({ url = '', headers }) {
      if (url.split('?')[0] !== '/mcp') return refused(404, 'There is nothing here; MCP is served at /mcp.');
      const named = validateHostHeader(headers.host, hosts);
      if (!named.ok && !isAnywhere) return refused(403, named.message);
      const from = validateOriginHeader(headers.origin, origins);
      if (!from.ok) return refused(403, from.message);
      if (isSame(headers.authorization ?? '', `Bearer ${token}`)) return undefined;
      return refused(401, 'A token is needed: Authorization: Bearer …', { 'www-authenticate': 'Bearer' });
    },
  };
}

/** Takes the same time whatever is given. */
function isSame(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function refused(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  const error = { code: -32_000, message };
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status, headers });
}
