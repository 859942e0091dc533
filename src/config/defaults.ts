import { join } from 'node:path';
import type { Ports } from '../agent/options.ts';
import { processOwner } from '../agent/process-owner.ts';
import { builtinSkills } from '../builtins/index.ts';
import { AgentError, optional, type SandboxMode, type SandboxProvider } from '../core/index.ts';
import { builtinFamilies } from '../families/index.ts';
import { openMiniLm } from '../models/embedder.ts';
import { readEnvFile } from '../models/providers/keys.ts';
import { createPolicy, type PolicyTrustBook } from '../policy/policy.ts';
import { openTrustBook } from '../policy/trust-book.ts';
import { cacheFolder, homeFolder, userFolder } from './paths.ts';
import { codeKey, ownPackage } from './program.ts';
import { readSettings } from './read/settings.ts';
import { openStore } from './storage/open-store.ts';
import { folderGrantsFile, openFolderGrants } from '../policy/folder-grants.ts';
import { installedPorts } from './install.ts';
import { trustFileIn } from './trust.ts';

/** Returns the ports that an agent uses by default, with their file locations taken from the environment. */
export function defaultPorts(environment: Ports['environment'] = process.env): Ports {
  const own = ownPackage();
  const home = homeFolder(environment);
  const user = userFolder(environment, home);
  // The trust book is created once and shared by all reloads, so skills that the user has trusted
  // in this agent stay trusted.
  const ownBook = openTrustBook(undefined);
  return {
    families: builtinFamilies,
    builtins: builtinSkills,
    bundledRoot: join(own.root, 'skills'),
    ...optional('home', home),
    platform: process.platform,
    environment,
    ...optional('cacheFolder', cacheFolder(environment, home)),
    get cacheKey() {
      // Computed on demand, because running from source requires a scan of all files.
      return codeKey(own);
    },
    openStore,
    openDatabase: async (where, folder) =>
      (await import('./storage/open-database.ts')).openDatabase(where, { environment, folder }),
    openModels: async (options, folder) =>
      (await import('./models/open-models.ts')).openModels(options, { environment, folder }),
    openSandboxes: (mode) => openSandboxes(mode, cacheFolder(environment, home), environment),
    openCode: async (sandboxes) => (await import('../sandboxes/code/runner.ts')).createCodeRunner(sandboxes),
    openSnippets: async () => (await import('../sandboxes/isolate/runner.ts')).createIsolates(),
    readEnvFile: async (folder) => readEnvFile(folder),
    ...installedPorts(environment, home),
    openServer: async (endpoint) => (await import('../mcp-client/tool-server.ts')).createToolServer(endpoint),
    mountSkills: async (request) =>
      (await import('../mcp-client/server-skills/mount.ts')).mountServerSkills(request),
    openPolicy: (permissions, trustFile, trustsSkill) => {
      const book = trustFile === undefined ? ownBook : bookWithFolders(trustFile);
      return createPolicy(permissions, { ...book, ...optional('trustsSkill', trustsSkill) });
    },
    grantedFolders: (trustFile) =>
      trustFile === undefined ? [] : openFolderGrants(folderGrantsFile(trustFile)).list(),
    ...optional('trustFile', trustFileIn(user)),
    get owner() {
      return processOwner();
    },
    version: ownPackage().version,
    openEmbedder: openMiniLm,
    readSettings: (startDir) => readSettings({ startDir, userFolder: user, home, environment }),
  };
}

/**
 * Creates the sandbox provider for skill processes and loads its code on first use. If this machine
 * does not support sandboxes, processes run unsandboxed, or not at all if `mode` requires a
 * sandbox. Rejected changes are saved in `cache` if the workspace has no folder for them.
 * Toolchains are located with the variables in `environment`.
 */
export function openSandboxes(
  mode: SandboxMode,
  cache?: string,
  environment: Ports['environment'] = {},
): SandboxProvider {
  let chosen: Promise<SandboxProvider> | undefined;
  const choose = (): Promise<SandboxProvider> => (chosen ??= chooseSandboxes(mode, cache, environment));
  return {
    contains: async () => (await choose()).contains(),
    open: async (grant) => (await choose()).open(grant),
  };
}

async function chooseSandboxes(
  mode: SandboxMode,
  cache: string | undefined,
  host: Ports['environment'],
): Promise<SandboxProvider> {
  const sandboxSupport = await (await import('../sandboxes/sandbox-support.ts')).findSandboxSupport();
  if (sandboxSupport.kind !== 'none') {
    const { createProcessSandboxes } = await import('../sandboxes/bubblewrap-provider.ts');
    return createProcessSandboxes({
      host,
      ...(cache === undefined ? {} : { rejected: join(cache, 'rejected') }),
    });
  }
  if (mode === 'auto') return (await import('../sandboxes/plain-provider.ts')).createPlainSandboxes();
  throw new AgentError('sandbox.unavailable', `A sandbox is required. ${sandboxSupport.reason}`, {
    hint: sandboxSupport.hint,
  });
}

/** Opens a trust book that also trusts the skills in the folders that the user granted. */
function bookWithFolders(trustFile: string): PolicyTrustBook {
  const { covers, touchedBy, noteChanges } = openFolderGrants(folderGrantsFile(trustFile));
  return { ...openTrustBook(trustFile), covers, touchedBy, noteChanges };
}
