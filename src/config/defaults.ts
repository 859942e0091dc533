import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Ports } from '../agent/options.ts';
import { builtinSkills } from '../builtins/index.ts';
import { optional } from '../core/collections.ts';
import { builtinFamilies } from '../families/index.ts';
import { openMiniLm } from '../models/minilm.ts';
import { createPolicy } from '../policy/policy.ts';
import { openTrustBook } from '../policy/trust-book.ts';
import { codeKey, ownPackage } from './package-root.ts';
import { openSandboxes } from './lazy-sandboxes.ts';
import { openStore } from './open-store.ts';
import { trustFileIn } from './project-trust.ts';
import { readSettings } from './settings.ts';
import { cacheFolder, homeFolder, userFolder } from './user-folders.ts';

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
      (await import('./open-database.ts')).openDatabase(where, { environment, folder }),
    openModels: async (options, folder) =>
      (await import('./open-models.ts')).openModels(options, { environment, folder }),
    openSandboxes: (mode) => openSandboxes(mode, cacheFolder(environment, home)),
    openCode: async (sandboxes) => (await import('../sandboxes/code-runner.ts')).createCodeRunner(sandboxes),
    openSnippets: async () => (await import('../sandboxes/isolate.ts')).createIsolates(),
    readEnvFile: async (folder) => (await import('../models/keys.ts')).readEnvFile(folder),
    openServer: async (place) => (await import('../connections/tool-server.ts')).createToolServer(place),
    mountSkills: async (request) =>
      (await import('../connections/server-skills.ts')).mountServerSkills(request),
    openPolicy: (permissions, trustFile) =>
      createPolicy(permissions, trustFile === undefined ? ownBook : openTrustBook(trustFile)),
    ...optional('trustFile', trustFileIn(user)),
    owner: `${process.pid}@${hostname()}`,
    openEmbedder: openMiniLm,
    readSettings: (startDir) => readSettings({ startDir, userFolder: user, home, environment }),
  };
}
