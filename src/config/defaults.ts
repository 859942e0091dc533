import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Ports } from '../agent/options.ts';
import { builtinSkills } from '../builtins/index.ts';
import { AgentError, optional, type SandboxMode, type SandboxProvider } from '../core/index.ts';
import { builtinFamilies } from '../families/index.ts';
import { openMiniLm } from '../models/embedder.ts';
import { readEnvFile } from '../models/providers/keys.ts';
import { createPolicy } from '../policy/policy.ts';
import { openTrustBook } from '../policy/trust-book.ts';
import { cacheFolder, homeFolder, userFolder } from './paths.ts';
import { codeKey, ownPackage } from './program.ts';
import { readSettings } from './read/settings.ts';
import { openStore } from './storage/open-store.ts';
import { trustFileIn } from './trust.ts';

/** The implementations and the machine that an agent gets unless its caller chooses others. */
export function defaultPorts(environment: Ports['environment'] = process.env): Ports {
  const own = ownPackage();
  const home = homeFolder(environment);
  const user = userFolder(environment, home);
  const ownBook = openTrustBook(undefined); // for as long as there is an agent, whatever is reloaded
  return {
    families: builtinFamilies,
    builtins: builtinSkills,
    bundledRoot: join(own.root, 'skills'),
    ...optional('home', home),
    platform: process.platform,
    environment,
    ...optional('cacheFolder', cacheFolder(environment, home)),
    get cacheKey() {
      return codeKey(own); // looks at every file of the package when that is not built
    },
    openStore,
    openDatabase: async (where, folder) =>
      (await import('./storage/open-database.ts')).openDatabase(where, { environment, folder }),
    openModels: async (options, folder) =>
      (await import('./models/open-models.ts')).openModels(options, { environment, folder }),
    openSandboxes: (mode) => openSandboxes(mode, cacheFolder(environment, home)),
    openCode: async (sandboxes) => (await import('../sandboxes/code/runner.ts')).createCodeRunner(sandboxes),
    openSnippets: async () => (await import('../sandboxes/isolate/runner.ts')).createIsolates(),
    readEnvFile: async (folder) => readEnvFile(folder),
    openServer: async (place) => (await import('../mcp-client/tool-server.ts')).createToolServer(place),
    mountSkills: async (request) =>
      (await import('../mcp-client/server-skills/mount.ts')).mountServerSkills(request),
    openPolicy: (permissions, trustFile) =>
      createPolicy(permissions, trustFile === undefined ? ownBook : openTrustBook(trustFile)),
    ...optional('trustFile', trustFileIn(user)),
    owner: `${process.pid}@${hostname()}`,
    version: ownPackage().version,
    openEmbedder: openMiniLm,
    readSettings: (startDir) => readSettings({ startDir, userFolder: user, home, environment }),
  };
}

/**
 * Where processes of skills run on this machine, loaded with the first of them: contained if it can, else without
 * containment or, where that is required, not at all. Rejected changes go into a folder of the cache where a workspace has
 * none for them.
 */
export function openSandboxes(mode: SandboxMode, cache?: string): SandboxProvider {
  let chosen: Promise<SandboxProvider> | undefined;
  const choose = (): Promise<SandboxProvider> => (chosen ??= chooseSandboxes(mode, cache));
  return {
    contains: async () => (await choose()).contains(),
    open: async (grant) => (await choose()).open(grant),
  };
}

async function chooseSandboxes(mode: SandboxMode, cache: string | undefined): Promise<SandboxProvider> {
  const containment = await (await import('../sandboxes/sandbox-support.ts')).findContainment();
  if (containment.kind !== 'none') {
    const { createProcessSandboxes } = await import('../sandboxes/bubblewrap-provider.ts');
    return createProcessSandboxes(cache === undefined ? {} : { rejected: join(cache, 'rejected') });
  }
  if (mode === 'auto') return (await import('../sandboxes/plain-provider.ts')).createPlainSandboxes();
  throw new AgentError('sandbox.unavailable', `A sandbox is required. ${containment.reason}`, {
    hint: containment.hint,
  });
}
