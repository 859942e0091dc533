import type { Family } from '../core/family.ts';
import type { Issue } from '../core/issue.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import type { MountRequest, ServerDescription, ServerPlace } from '../core/servers/tool-server.ts';
import { descriptorsOf } from '../skills/descriptors.ts';
import type { ServerRoot } from '../skills/roots.ts';
import type { Lender } from './lender.ts';
import { knownServers } from './open-server.ts';
import { sandboxesOf } from './sandboxes-of.ts';
import { serverPlace } from './server-place.ts';
import { serverSecrets } from './server-secrets.ts';

/** What mounts stand on. */
export interface MountGround {
  readonly lender: Lender;
  readonly families: readonly Family[];
  /** Where copies outlive the agent, if anywhere. */
  readonly cacheFolder: () => string | undefined;
}

/** What the servers gave. */
export interface Mounts {
  readonly roots: readonly ServerRoot[];
  readonly issues: readonly Issue[];
}

/** Asks all servers whose skills are wanted, at once; whatever is wrong is a finding. */
export async function mountServers(
  { lender, families }: MountGround,
  more: Pick<MountRequest, 'folder' | 'isAgain' | 'signal'>,
): Promise<Mounts> {
  const { byFile } = descriptorsOf(families);
  const isDescriptor = (name: string): boolean => byFile.has(name.toLowerCase());
  const servers = knownServers(lender).filter(({ skills }) => skills === true);
  const mounted = await Promise.all(
    servers.map(async (server) => ({
      server: server.name,
      ...(await lender.ports.mountSkills({
        ...more,
        server: server.name,
        openPlace: () => openPlace(lender, server),
        isDescriptor,
      })),
    })),
  );
  const redact = createRedactor(serverSecrets(servers, lender.ports.environment)); // a server may say what it was given
  return {
    roots: mounted.flatMap(({ server, root }) => (root === undefined ? [] : [{ path: root, server }])),
    issues: mounted
      .flatMap(({ issues }) => issues)
      .map((issue) => ({ ...issue, message: redact(issue.message) })),
  };
}

/** Nobody is asked before a server is started for its skills, so it starts only where something contains it. */
async function openPlace(lender: Lender, server: ServerDescription): Promise<ServerPlace> {
  return serverPlace({ lender, sandboxes: sandboxesOf(lender) }, server, false);
}
